import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownCpus } from '../process/cpu-limit.js';
import { missingFor, missingText, remember } from './costs.js';

/** @param {import('node:test').TestContext} t an empty cache */
function emptyCache(t) {
  const before = process.env.LADDERBENCH_CACHE;
  const folder = mkdtempSync(join(tmpdir(), 'lb-costs-'));
  process.env.LADDERBENCH_CACHE = folder;
  t.after(() => {
    if (before === undefined) delete process.env.LADDERBENCH_CACHE;
    else process.env.LADDERBENCH_CACHE = before;
    rmSync(folder, { recursive: true });
  });
}

const stack = (/** @type {object} */ build) =>
  /** @type {any} */ ({
    id: 'own',
    base: 'own',
    folder: '/nowhere',
    manifest: { title: 'Own', native: { build: [{ command: ['true'], ...build }] } },
  });

test('what will be built is said with minutes and megabytes, once for all who need it', (t) => {
  emptyCache(t);
  const own = stack({ cost: { cpuSec: 120, megabytes: 50 } });
  const missing = missingFor([own, own], {});
  const seconds = Math.ceil(120 / ownCpus() + 10);
  assert.deepEqual(
    missing.map((m) => [m.title, m.what, m.seconds, m.megabytes]),
    [['Own', 'build', seconds, 50]],
  );
  assert.match(missingText(missing)[0], /^Set-up, once: about .*; about 50 MB to fetch$/);
  assert.deepEqual(missingText([]), []);
});

test('how long a build took here goes before what was measured elsewhere', (t) => {
  emptyCache(t);
  remember('Own', 41.2);
  const [missing] = missingFor([stack({ cost: { cpuSec: 1000, megabytes: 0 } })], {});
  assert.equal(missing.seconds, 42);
});

test('what nobody has measured is not given a time', (t) => {
  emptyCache(t);
  const missing = missingFor([stack({ about: '20 minutes' })], {});
  assert.equal(missing[0].seconds, null);
  const [head, line] = missingText(missing);
  assert.match(head, /1 build of unknown duration/);
  assert.match(line, /build, 20 minutes$/);
});

test('builds of two tools are done at the same time, and said to take as long as the longer of them', (t) => {
  emptyCache(t);
  const of = (/** @type {string} */ id, /** @type {string} */ tool) => ({
    ...stack({}),
    id,
    base: id,
    manifest: { title: id, native: { build: [{ command: [tool, id], about: '' }] } },
  });
  remember('one', 120);
  remember('other', 60);
  const alike = missingFor([of('one', 'sh'), of('other', 'sh')], {});
  assert.match(missingText(alike)[0], /about 3 min\b/);
  const apart = missingFor([of('one', 'sh'), of('other', 'env')], {});
  assert.match(missingText(apart)[0], /about 2 min\b/);
});
