import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadWorkloads, workloadProblems } from './workloads.js';

/** @param {object} more @returns {any} */
const facts = (more) => ({
  id: 'w',
  title: 'W',
  operations: { put: {}, get: {} },
  pipelines: false,
  ...more,
});

test('the workloads of the suite say nothing wrong', async () => {
  const workloads = await loadWorkloads();
  assert.ok(workloads.length >= 8);
  for (const workload of workloads.filter((w) => !w.data))
    assert.deepEqual(workloadProblems(workload), [], workload.id);
});

test('an unknown field is named, with the one that was meant', () => {
  assert.deepEqual(workloadProblems(facts({ pipeline: true })), [
    'top level: unknown field "pipeline"; did you mean "pipelines"?',
  ]);
  assert.deepEqual(workloadProblems(facts({ operations: { put: { write: true } } })), [
    'operations.put: unknown field "write"; did you mean "writes"?',
  ]);
});

test('what operations name must be there: a window, its order, a number of the dataset', () => {
  const round = { put: { window: 'round' }, get: { window: 'round' } };
  /** @type {[object, RegExp][]} */
  const wrong = [
    [
      { operations: { put: { window: 'mixd' } }, windows: { mixed: { order: 'together' } } },
      /unknown window "mixd"; did you mean "mixed"/,
    ],
    [
      { operations: { put: { users: 'clients' } }, dataset: { client: 2 } },
      /operations\.put\.users: the dataset has no "clients"; did you mean "client"/,
    ],
    [{ operations: round, windows: { round: { order: 'turns' } } }, /windows\.round\.turns: are missing/],
    [
      { operations: round, windows: { round: { order: 'turns', turns: ['put', 'got'] } } },
      /"got" is not one of its operations; did you mean "get"/,
    ],
    [
      { operations: round, windows: { round: { order: 'turns', turns: ['put', 'put'] } } },
      /"get" is missing from the order/,
    ],
    [{ operations: round, windows: { round: { order: 'shares' } } }, /operations\.put\.share: is missing/],
    [{ operations: { put: { share: 0.5 } } }, /operations\.put\.share: its window is not of shares/],
    [
      {
        operations: { put: { window: 'mix', share: 0.5 }, get: { window: 'mix', share: 0.4 } },
        windows: { mix: { order: 'shares' } },
      },
      /the shares of its operations add up to 0\.9, not 1/,
    ],
    [{ windows: { alone: { order: 'together' } } }, /windows\.alone: fewer than two operations share it/],
  ];
  for (const [more, problem] of wrong) assert.match(workloadProblems(facts(more)).join('\n'), problem);
});

const outside = mkdtempSync(join(tmpdir(), 'lb-workloads-'));
after(() => rmSync(outside, { recursive: true, force: true }));

/** @param {string} name @param {string} text */
function folderWith(name, text) {
  const folder = mkdtempSync(join(outside, 'w-'));
  writeFileSync(join(folder, `${name}.js`), text);
  return folder;
}

test('workloads of other folders come beside ours, with where they are', async () => {
  const folder = folderWith(
    'mine',
    "export const facts = { title: 'Mine', operations: { put: {} }, pipelines: false };",
  );
  const all = await loadWorkloads([folder]);
  const mine = /** @type {any} */ (all.at(-1));
  assert.deepEqual([mine.id, mine.file], ['mine', join(folder, 'mine.js')]);
  assert.deepEqual(workloadProblems(mine), []);
  assert.equal(all.length, (await loadWorkloads()).length + 1);
});

test('a workload of another folder that cannot be one is told in one line', async () => {
  for (const [folder, message] of /** @type {[string, RegExp][]} */ ([
    [join(outside, 'none'), /there is no such folder/],
    [folderWith('counters', 'export const facts = {};'), /there is a workload "counters" already/],
    [folderWith('mine', 'export const fact = 1;'), /mine\.js: it exports no facts/],
    [folderWith('mine', "import 'k6/http';"), /mine\.js: .*k6/],
    [
      folderWith('mine', "export const facts = { title: 'M', operations: { a: {} }, pipeline: true };"),
      /mine\.js: /,
    ],
  ]))
    await assert.rejects(loadWorkloads([folder]), message);
});
