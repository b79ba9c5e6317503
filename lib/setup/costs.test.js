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

test('what a build took here goes before what was measured elsewhere', (t) => {
  emptyCache(t);
  remember({ title: 'Own', cost: { cpuSec: 1000, megabytes: 0 } }, 41 * ownCpus());
  const [missing] = missingFor([stack({ cost: { cpuSec: 1000, megabytes: 0 } })], {});
  assert.equal(missing.seconds, 41);
});

test('the first builds of a machine say how fast it is: the estimate of the others is right to 25 %', (t) => {
  emptyCache(t);
  // Seconds of CPU time that manifests say of two servers in Rust, and those of a first build on 2026-11-28.
  const builds = [
    [150, 103],
    [44, 25],
  ];
  const costOf = (/** @type {number} */ cpuSec) => ({ cpuSec, megabytes: 0 });
  for (const [[elsewhere, here], [other, took]] of [builds, builds.toReversed()]) {
    remember({ title: 'First', cost: costOf(elsewhere) }, here);
    const [{ cpuSec }] = missingFor([stack({ cost: costOf(other) })], {});
    assert.ok(Math.abs(cpuSec / took - 1) <= 0.25, `${cpuSec} for ${took}`);
  }
});

test('what nobody has measured is not given a time', (t) => {
  emptyCache(t);
  const missing = missingFor([stack({ about: '20 minutes' })], {});
  assert.equal(missing[0].seconds, null);
  const [head, line] = missingText(missing);
  assert.match(head, /1 build of unknown duration/);
  assert.match(line, /build, 20 minutes$/);
});

test('builds of two tools share the CPUs, and what is fetched is so meanwhile', (t) => {
  emptyCache(t);
  const of = (/** @type {string} */ id, /** @type {string} */ tool, /** @type {number} */ megabytes) => ({
    ...stack({}),
    id,
    base: id,
    manifest: {
      title: id,
      native: {
        build: [{ command: [tool, id], about: '', cost: { cpuSec: 60 * ownCpus(), megabytes } }],
      },
    },
  });
  const fetched = missingFor([of('one', 'go', 300), of('other', 'go', 0)], {});
  assert.match(missingText(fetched)[0], /about 3 min\b/);
  const meanwhile = missingFor([of('one', 'go', 300), of('other', 'sh', 0)], {});
  assert.match(missingText(meanwhile)[0], /about 2 min\b/);
});
