import { basename } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { ratioWithInterval, significant } from '../format.js';
import { judgeRatio, MIN_REPEATS } from '../judge/compare.js';
import { parityDifferences } from '../judge/parity.js';
import { verdictOf } from '../judge/verdict.js';
import { withRun } from '../record/archive.js';
import { readEnvironment, readPlan, readRecords } from '../record/run-folder.js';
import { sameCell } from '../report/comparisons.js';
import { rowsOf } from '../report/rows.js';
import { unpairedRatio } from '../stats/summary.js';
import { findRun, reportsFolder } from './runs.js';

/** @import { Row } from '../report/rows.js' */

/**
 * `compare <run> <run>`: the same cells of two runs, as Markdown on stdout. The second is divided by the first.
 * @param {string[]} words
 * @param {Record<string, any>} flags
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function compareVerb([first, second], flags, output) {
  const reports = reportsFolder(flags);
  const [a, b] = [loadRun(findRun(first, reports)), loadRun(findRun(second, reports))];
  if (a.plan.methodVersion !== b.plan.methodVersion && !flags.force) {
    throw new BenchError(
      `the runs were measured by different methods (${a.plan.methodVersion} and ${b.plan.methodVersion})`,
      { hint: 'the README says what changed; --force compares them all the same' },
    );
  }
  const rows = b.rows.flatMap((row) => {
    const before = a.rows.find((r) => r.system === row.system && sameCell(r, row));
    return before ? [comparisonOf(before, row)] : [];
  });
  if (rows.length === 0) throw new BenchError('the two runs have no cell in common');
  if (flags.json) output.result(`${JSON.stringify({ before: a.name, after: b.name, rows }, null, 2)}\n`);
  else output.result(markdown(a, b, rows));
  return EXIT.ok;
}

/** @param {string} folder */
function loadRun(folder) {
  return withRun(folder, (data) => {
    const plan = readPlan(data);
    const records = readRecords(data, plan).filter((r) => r.role === 'system');
    return { name: basename(folder), plan, rows: rowsOf(records), environment: readEnvironment(data) };
  });
}

/**
 * @param {Row} before
 * @param {Row} after
 */
function comparisonOf(before, after) {
  const rates = (/** @type {Row} */ row) =>
    row.cells
      .filter((c) => verdictOf(c, row.operation) === 'VALID')
      .map((c) => c.operations[row.operation].ratePerSec);
  const [x, y] = [rates(before), rates(after)];
  const differing = parityDifferences(before.cells[0].parity, after.cells[0].parity);
  const shell = {
    workload: after.workload,
    system: after.system,
    step: after.step.id,
    operation: after.operation,
    beforePerSec: before.ratePerSec?.estimate ?? null,
    afterPerSec: after.ratePerSec?.estimate ?? null,
  };
  if (differing.length > 0) return { ...shell, ratio: null, finding: `asymmetric: ${differing.join(', ')}` };
  const doubtful = [before, after].find((r) => r.status !== 'VALID');
  if (doubtful)
    return {
      ...shell,
      ratio: null,
      finding: `not compared: ${doubtful.codes.join(', ') || doubtful.failure}`,
    };
  const ratio = unpairedRatio(y, x);
  const enough = Math.min(x.length, y.length) >= MIN_REPEATS;
  return { ...shell, ratio, finding: enough ? judgeRatio(ratio) : 'insufficient repeats' };
}

/**
 * @param {ReturnType<typeof loadRun>} a
 * @param {ReturnType<typeof loadRun>} b
 * @param {ReturnType<typeof comparisonOf>[]} rows
 */
function markdown(a, b, rows) {
  const host = (/** @type {any} */ e) => `${e.host.os}, ${e.host.cpuModel}, ${e.host.usableCpus} CPUs`;
  const note =
    host(a.environment) === host(b.environment)
      ? `Same kind of host: ${host(a.environment)}.`
      : `**The hosts differ**: ${host(a.environment)} before, ${host(b.environment)} after. A ratio then says nothing about the systems.`;
  const body = rows.map(
    (r) =>
      `| ${r.workload} | ${r.system} | ${r.step} | ${r.operation} | ${significant(r.beforePerSec)} | ${significant(r.afterPerSec)} | ${ratioWithInterval(r.ratio)} | ${r.finding} |`,
  );
  return `${[
    `# ${b.name} against ${a.name}`,
    '',
    note,
    'Runs are not interleaved with each other: what changed on the host between them is in the ratio.',
    '',
    '| workload | system | step | operation | before, op/s | after, op/s | after / before (95 % CI) | finding |',
    '|---|---|---|---|---:|---:|---:|---|',
    ...body,
  ].join('\n')}\n`;
}
