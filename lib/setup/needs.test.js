import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { canBeUnpacked, findNeed, howToInstall, obtainNeed } from './needs.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-needs-'));
const { PATH: path, HOME: home } = process.env;
after(() => {
  process.env.PATH = path;
  process.env.HOME = home;
  delete process.env.ALPHA_BIN;
  delete process.env.ALPHA_BIN_FROM;
  rmSync(folder, { recursive: true, force: true });
});
for (const name of ['alpha-server', 'alpha-9.1-linux'])
  writeFileSync(join(folder, name), '#!/bin/sh\necho alpha 1.2.3\n', { mode: 0o755 });
process.env.PATH = [folder, path].join(delimiter);

const need = { binary: 'alpha-server', env: 'ALPHA_BIN', debian: 'alpha', hint: 'get it somewhere' };

test('a variable comes before PATH, whatever its program is called', () => {
  delete process.env.ALPHA_BIN;
  assert.equal(findNeed(need)?.source, 'on PATH');
  process.env.ALPHA_BIN = join(folder, 'alpha-9.1-linux');
  const found = findNeed(need);
  assert.equal(found?.source, 'named by ALPHA_BIN');
  process.env.ALPHA_BIN_FROM = 'built from source at v9.1';
  assert.equal(findNeed(need)?.source, 'named by ALPHA_BIN (built from source at v9.1)');
  delete process.env.ALPHA_BIN_FROM;
  assert.equal(
    basename(String(found?.path)),
    'alpha-server',
    'manifests start it by the name that they know',
  );
  assert.equal(findNeed(need)?.path, found?.path, 'asked twice it is the same');
});

test('a variable that names no program is one line, and neither PATH nor a package takes its place', async () => {
  process.env.ALPHA_BIN = '/no/such/program';
  assert.equal(findNeed(need), null);
  assert.equal(canBeUnpacked(need), false);
  const line = 'ALPHA_BIN does not name a program that can be started: correct it, or unset it';
  assert.equal(howToInstall(need), line);
  assert.deepEqual(await obtainNeed(need), { problem: line });
});

test('below a folder of the home folder the newest program is taken, and the user’s name is not told', () => {
  delete process.env.ALPHA_BIN;
  process.env.HOME = join(folder, 'home');
  const kept = { binary: 'beta-backend', folders: ['~/.cache/beta/binaries/*', '/no/such/folder'] };
  assert.equal(findNeed(kept), null, 'no such folder');
  const binaries = join(folder, 'home', '.cache', 'beta', 'binaries');
  for (const [version, day, mode] of /** @type {const} */ ([
    ['2026-02-03', 3, 0o755],
    ['2026-01-02', 2, 0o755],
    ['2026-03-04', 4, 0o644],
  ])) {
    mkdirSync(join(binaries, version), { recursive: true });
    const program = join(binaries, version, kept.binary);
    writeFileSync(program, '#!/bin/sh\n', { mode });
    utimesSync(program, day, day);
  }
  mkdirSync(join(binaries, 'empty'));
  assert.deepEqual(findNeed(kept), {
    path: join(binaries, '2026-02-03', kept.binary),
    env: {},
    source: 'in ~/.cache/beta/binaries/2026-02-03',
  });
});
