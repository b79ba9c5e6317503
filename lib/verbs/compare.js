import { basename } from 'node:path';
import { BenchError, EXIT } from '../errors.js';
import { ratioWithInterval, significant } from '../format.js';
import { withRun } from '../record/archive.js';
import { isSameCell, refusalOf } from '../record/comparisons.js';
import { rowsOf } from '../record/figures.js';
import { unpairedRatioOf } from '../record/ratio.js';
import { readEnvironment, readPlan, readRecords } from '../record/run-folder.js';
import { findRun, reportsFolder } from './runs.js';

/** @import { Row } from '../record/figures.js' */

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
    const before = a.rows.find((r) => r.system === row.system && isSameCell(r, row));
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
    const rows = rowsOf(records, plan.profile.seed);
    return { name: basename(folder), plan, rows, environment: readEnvironment(data) };
  });
}

/**
 * @param {Row} before
 * @param {Row} after
 */
function comparisonOf(before, after) {
  const shell = {
    workload: after.workload,
    system: after.system,
    step: after.step.id,
    operation: after.operation,
    beforePerSec: before.ratePerSec?.median ?? null,
    afterPerSec: after.ratePerSec?.median ?? null,
  };
  const [refusal, why] = refusalOf(before, after) ?? [];
  if (refusal) return { ...shell, ratio: null, finding: refusal === 'unlike' ? why : `not compared: ${why}` };
  const ratio = unpairedRatioOf(after.ratePerSec, before.ratePerSec);
  return {
    ...shell,
    ratio,
    finding: ratio?.verdict === 'insufficient' ? 'insufficient repeats' : ratio?.verdict,
  };
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
