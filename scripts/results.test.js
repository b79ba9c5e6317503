import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../lib/paths.js';
import { readJson } from '../lib/store.js';
import { resultsAmong, withResults } from './results.js';

const EMPTY =
  'Before.\n<!-- results: written by node scripts/results.mjs -->\n<!-- end of results -->\nAfter.\n';

/** @param {Partial<import('../lib/types.d.ts').IndexedRun> & {ids: string[], outcome?: string}} of */
function aRun({ ids, outcome = 'winner', ...rest }) {
  const systems = ids.map((id) => ({ id, ours: id.startsWith('our') }));
  return {
    ...{ date: '2026-01-02', engine: 'native', question: 'ahead', trials: 5, answer: '**Alpha wins**.' },
    ...{ systems, loads: [{ metrics: { p99: { outcome } } }], ...rest },
  };
}

/** @param {object[]} runs newest first */
const indexOf = (runs) => /** @type {any} */ ({ runs });

test('the README keeps to 110 lines with the results of the index', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const text = withResults(readme, readJson(join(ROOT, 'reports', 'index.json')));
  assert.ok(text.trimEnd().split('\n').length <= 110);
});

test('of each job the run that decides about most systems is shown, the newest of these, and where it ran natively', () => {
  const runs = [
    aRun({ run: 'few-trials', topic: 'Jobs', ids: ['alpha', 'beta', 'gamma', 'delta'], trials: 4 }),
    aRun({ run: 'undecided', topic: 'Jobs', ids: ['alpha', 'beta', 'gamma'], outcome: 'inconclusive' }),
    aRun({ run: 'contained', topic: 'Jobs', ids: ['alpha', 'beta'], engine: 'docker' }),
    aRun({ run: 'newer', topic: 'Jobs', ids: ['alpha', 'beta'] }),
    aRun({ run: 'older', topic: 'Jobs', ids: ['alpha', 'beta'] }),
    aRun({ run: 'all', topic: null, ids: ['alpha', 'beta'] }),
    aRun({ run: 'killed', topic: null, question: 'kill', ids: ['alpha'], losses: /** @type {any} */ ([{}]) }),
    aRun({ run: 'settings', topic: 'Settings', ids: ['alpha', 'alpha@a', 'alpha@b'] }),
    aRun({ run: 'ours', topic: 'Own', ids: ['our-a', 'our-b'] }),
  ];
  assert.deepEqual(
    resultsAmong(indexOf(runs)).map(({ run }) => run),
    ['newer', 'killed', 'settings', 'ours'],
  );
});

test('what only another run of the same job measured is named beside the link to it', () => {
  const named = (/** @type {any} */ run) => ({
    ...run,
    systems: run.systems.map((/** @type {any} */ s) => ({ ...s, title: s.id.toUpperCase() })),
  });
  const runs = [
    aRun({ run: 'most', topic: 'Jobs', ids: ['alpha', 'beta', 'gamma'] }),
    aRun({ run: 'same', topic: 'Jobs', ids: ['alpha', 'beta@b'] }),
    aRun({ run: 'more', topic: 'Jobs', ids: ['alpha', 'delta', 'our-a'] }),
    aRun({ run: 'other', topic: 'Others', ids: ['alpha', 'epsilon'] }),
  ].map(named);
  const [row] = withResults(EMPTY, indexOf(runs)).match(/^\| Jobs .*$/m) ?? [];
  assert.match(String(row), /most\/README\.md\) · DELTA: \[2026-01-02\]\(reports\/more\/README\.md\) \|$/);
  assert.doesNotMatch(String(row), /BETA|EPSILON|OUR/);
});

test('there are at most eight rows, each with what its report says first and a link to it', () => {
  const runs = Array.from({ length: 9 }, (_, i) =>
    aRun({ run: `run-${i}`, topic: `Job ${i}`, ids: ['our-a', 'our-b'], answer: `Alpha | ${i}.` }),
  );
  const text = withResults(EMPTY, indexOf(runs));
  assert.equal(text.match(/^\| Job /gm)?.length, 8);
  assert.match(
    text,
    /^\| Job 0 \(our own servers, no products\) \| Alpha \\\| 0\. \| \[2026-01-02\]\(reports\/run-0\/README\.md\) \|$/m,
  );
  assert.equal(withResults(text, indexOf(runs)), text);
  assert.throws(() => withResults('Other text.\n', indexOf(runs)), /no lines between which/);
});
