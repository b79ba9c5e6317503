/** Plain English on the terminal: what a run says from its plan to its end, and what the commands print. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cellsOf, pairedTrials } from '../config/trials.js';
import { BenchError } from '../errors.js';
import { readRun } from '../figures/run.js';
import { readOptions } from '../options.js';
import { createOutput } from '../output.js';
import { ROOT } from '../paths.js';
import { isRun, withRun } from '../record/archive.js';
import { recordFiles, startId } from '../record/run-folder.js';
import { faultsIn } from '../report/plain-testing.js';
import { renderedOf } from '../report/render.js';
import { createProgress } from '../run/progress.js';
import { readJson } from '../store.js';
import { announce, conclude, listOfCells } from './announce.js';
import { compareVerb } from './compare.js';
import { profilesVerb } from './profiles.js';
import { reportVerb } from './report.js';
import { systemsVerb } from './systems.js';

const REPORTS = join(ROOT, 'reports');
const RUNS = readdirSync(REPORTS).filter((name) => isRun(join(REPORTS, name)));
const { options } = readOptions([]);

/** Codes of steps, repeats, operations and reasons: a reader has the words instead. */
const CODES =
  /\bc\d+(?:-[a-z]\w*)*\b|\br\d+\b|\bopen-\d+\b|\bmix\b|\b[a-z]+\.c\d|\b(?:fsync-interval|page-cache)\b|\b[a-z]+_[a-z_]+\b/;

/** What a manifest of that day said of a build, as it stands in the plan of a run. */
const SAID_THEN = /about 10 minutes on 8 cores, 20 on two/g;

/** Paths and addresses, which are typed and not read. */
const PATHS = /[\w=.:-]*(?:\/[\w.@=-]+){2,}\/?|\w+:\/\/\S+|\.\/\S+/g;

/** @returns {{output: import('../output.js').Output, printed: () => string}} */
function terminal() {
  let text = '';
  const stream = /** @type {any} */ ({ isTTY: true, columns: 500, on: () => {} });
  stream.write = (/** @type {string} */ part) => {
    text += part;
  };
  const output = createOutput({ stdout: stream, stderr: stream, env: { NO_COLOR: '1' } });
  return { output, printed: () => text.replaceAll('\r\u001b[2K', '\n') };
}

/** @param {string} text @returns {string[]} what a reader would have to decode, or to read twice */
function faultsOf(text) {
  const lines = text
    .replace(PATHS, 'PATH')
    .split('\n')
    .filter((line) => !line.startsWith('|'));
  return [
    ...lines.filter((line) => CODES.test(line)).map((line) => `code: ${line}`),
    // What stands in a column is read by itself.
    ...lines.flatMap((line) => line.trim().split(/ {2,}/)).flatMap((part) => faultsIn(part)),
  ];
}

for (const name of RUNS)
  test(`a run says its plan, its progress and its end in plain words: ${name}`, () => {
    const { output, printed } = terminal();
    /** @type {string[]} */
    const toShow = [];
    withRun(join(REPORTS, name), (data) => {
      const { plan, records, starts, sideBySide } = readRun(data);
      announce({ ...plan, estimatedMostSec: 7800 }, output);
      assert.match(printed(), /about [^·]+(?: or more|, up to 2 h 10 min if a system answers slowly)\n/);
      output.say(listOfCells(plan));
      const progress = createProgress(plan, output);
      for (const [at, trial] of pairedTrials(plan).entries())
        for (const start of starts.filter(({ group }) => group === at)) {
          const own = sideBySide.find(({ group }) => group.workload === trial.workload);
          const raw = readJson(join(data, recordFiles(startId(at, start.start)).meta));
          progress.starting(trial, start.start, { pairs: [], alone: [], names: new Set() });
          for (const { sides, cell: id } of raw.slices.filter((/** @type {any} */ s) => s.kind !== 'warm')) {
            const cell = /** @type {any} */ (trial.cells.find((c) => c.id === id));
            progress.loading(trial, cell, trial.systems.slice(0, sides.length), 1);
          }
          progress.started(trial, start, own?.comparisons ?? []);
          const early = (own?.comparisons ?? []).map((c) => ({
            ...c,
            outcome: /** @type {const} */ ('too few'),
          }));
          progress.started(trial, start, early);
        }
      for (const cell of cellsOf(plan)) {
        const record = records.find((r) => r.cell === cell.id);
        progress.running(cell, null);
        progress.running(cell, { ratePerSec: 120, p95Ms: 3, ended: 1 });
        if (record) progress.ended(cell, record);
      }
      const { run, page } = renderedOf(data, { ended: false });
      // Whatever came out on the first screen came out here: a winner, a tie, nothing certain, nothing comparable, a loss.
      const [first] = page.split('\n<details>');
      const outcomes = [...first.matchAll(/^\| [^|]* \| ([^|]*) \|/gm)]
        .map(([, outcome]) => outcome.replaceAll('**', '').replaceAll('`', ''))
        .filter((outcome) => outcome.includes(' '));
      toShow.push(...outcomes);
      conclude({ path: 'README.md', view: run, plan, records, exitCode: 0, json: false }, output);
    });
    assert.deepEqual(faultsOf(printed().replace(SAID_THEN, '')), []);
    for (const outcome of toShow) assert.ok(printed().includes(outcome), outcome);
  });

test('so do the commands', async () => {
  const { output, printed } = terminal();
  await systemsVerb([], options, output);
  await profilesVerb([], options, output);
  assert.deepEqual(faultsOf(printed()), []);
});

test('so do a comparison of runs, its table too, and errors', async () => {
  const counters = RUNS.filter((name) => name.endsWith('-counters')).slice(-2);
  const { output, printed } = terminal();
  await compareVerb(counters, options, output);
  assert.doesNotMatch(printed(), CODES);
  assert.deepEqual(faultsOf(printed()), []);
  for (const words of [['nowhere'], [`${counters[0]}:nobody`, counters[0]]])
    await assert.rejects(compareVerb(words, options, output), (error) => {
      assert.ok(error instanceof BenchError);
      assert.deepEqual(faultsOf([error.message, error.hint ?? '', ...(error.detail ?? [])].join('\n')), []);
      return true;
    });
  await assert.rejects(reportVerb(['nowhere'], options, output), BenchError);
});
