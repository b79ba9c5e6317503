import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ARCHIVE, readArchive } from '../record/archive.js';
import { addSystem, CALIBRATED, newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest', { title: 'Honest' });

test('a profile that asks for it has k6’s own page of each cell beside the report, and not in the archive', async () => {
  const reports = join(folder, 'reports');
  const profile = shortProfile(folder, { k6Html: true, calibration: CALIBRATED });
  const { code, stderr } = await runCommand([
    ...[profile, '--stacks', stacks, '--systems', 'honest', '--reports', reports, '--no-live'],
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  const { folder: run, records } = newestRun(reports);
  assert.ok(records.length > 1);
  const details = readFileSync(join(run, 'README.md'), 'utf8');
  const html = readFileSync(join(run, 'report.html'), 'utf8');
  for (const { cell, k6Html } of records) {
    assert.equal(k6Html, true, cell);
    const page = readFileSync(join(run, 'k6', `${cell}.html`), 'utf8');
    assert.match(page, /^<!doctype html>[\s\S]*<\/html>\s*$/);
    assert.doesNotMatch(
      page,
      /<(?:script|img)[^>]+src="(?!data:)|<link[^>]+href="(?!data:)/,
      'it loads nothing',
    );
    assert.ok(details.includes(`[${cell}](k6/${cell}.html)`));
    assert.ok(html.includes(`href="k6/${cell}.html"`));
  }
  assert.equal(readdirSync(join(run, 'k6')).length, records.length);
  const packed = [...readArchive(join(run, ARCHIVE)).keys()];
  assert.deepEqual(
    packed.filter((file) => file.includes('.html')),
    [],
  );
  const verified = await runCommand(['report', run, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
  assert.ok(readFileSync(join(run, 'README.md'), 'utf8').includes('](k6/'));
});

test('who did not ask for it has none', async () => {
  const reports = join(folder, 'without');
  const profile = shortProfile(folder);
  const { code, stderr } = await runCommand([
    ...[profile, '--stacks', stacks, '--systems', 'honest', '--reports', reports],
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  const { folder: run, records, report } = newestRun(reports);
  assert.equal(existsSync(join(run, 'k6')), false);
  assert.equal(records[0].k6Html, undefined);
  assert.doesNotMatch(report, /k6's own page/);
});
