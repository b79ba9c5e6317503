import { MISSING, percent, ratioWithInterval, significant } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { NO_DIFFERENCE, rateText, titleOf, verdictText } from '../../words.js';
import { drivesView } from './drives.js';
import { mixView } from './mix.js';
import { scalingView } from './scaling.js';

/**
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 */

/**
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @param {Comparison[]} comparisons
 * @param {import('../../charts/ladder.js').Chart[]} charts
 */
export function workloadView(plan, own, comparisons, charts) {
  const [{ workload, transport }] = own;
  const facts = plan.workloads.find((w) => w.id === workload);
  const mine = comparisons.filter((c) => c.workload === workload && c.transport === transport);
  const closed = own.filter((r) => r.step.model === 'closed');
  const open = own.filter((r) => r.step.model === 'open');
  return {
    title: facts?.title ?? workload,
    workload,
    transport,
    charts: charts.filter((c) => c.file.startsWith(`${workload}-${transport}-`)),
    steps: groupBy(closed, (r) => r.step.id).map((rows) => stepTable(plan, rows, mine)),
    ladders: groupBy(closed, (r) => r.operation).map((rows) => ({
      operation: rows[0].operation,
      rows: rows.map((r) => ladderRow(plan, r)),
    })),
    open: open.length > 0 ? { rows: open.map((r) => openRow(plan, r)) } : null,
    scaling: scalingView(plan, own),
    mix: mixView(plan, own),
    drives: drivesView(plan, own),
    comparisons: mine.filter((c) => c.ratio !== null).map((c) => comparisonRow(plan, c)),
    refusals: refusalsOf(plan, mine),
  };
}

/**
 * One step, operations down and systems across, as benchmark pages of servers print it.
 * @param {Plan} plan
 * @param {Row[]} rows of one step
 * @param {Comparison[]} comparisons
 */
function stepTable(plan, rows, comparisons) {
  const systems = [...new Set(rows.map((r) => r.system))];
  const operations = [...new Set(rows.map((r) => r.operation))];
  const two = systems.length === 2;
  return {
    title: stepText(plan, rows[0].step.id),
    heads: systems.map((id) => rows.find((r) => r.system === id)?.title ?? id),
    ratioHead: two
      ? `${rows.find((r) => r.system === systems[0])?.title} / ${rows.find((r) => r.system === systems[1])?.title}`
      : null,
    rows: operations.map((operation) => {
      const comparison = comparisons.find((c) => c.stepId === rows[0].step.id && c.operation === operation);
      return {
        operation,
        rates: systems.map((id) => {
          const row = rows.find((r) => r.system === id && r.operation === operation);
          return row ? rateText(row) : MISSING;
        }),
        ratio: two
          ? comparison?.ratio
            ? ratioWithInterval(comparison.ratio, comparison.pairs)
            : (comparison?.why ?? MISSING)
          : null,
      };
    }),
  };
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function ladderRow(plan, row) {
  const s = row.serviceMs;
  const fewest = Math.min(...row.cells.map((c) => c.operations[row.operation]?.count ?? 0));
  // A percentile is the maximum under another name where fewer operations than this were measured.
  const from = (/** @type {number} */ least, /** @type {number | undefined} */ value) =>
    fewest >= least ? significant(value) : MISSING;
  const range =
    row.p99Range && row.cells.length > 1
      ? ` (${significant(row.p99Range.low)} – ${significant(row.p99Range.high)})`
      : '';
  const interval =
    row.ratePerSec && row.usable > 1
      ? `${significant(row.ratePerSec.low)} – ${significant(row.ratePerSec.high)}`
      : MISSING;
  return {
    system: row.title,
    rung: stepText(plan, row.step.id),
    rate: rateText(row),
    interval,
    p50: significant(s?.p50),
    p90: from(10, s?.p90),
    p95: from(20, s?.p95),
    p99: s && fewest >= 100 ? `${significant(s.p99)}${range}` : MISSING,
    p999: from(1000, s?.p999),
    max: significant(s?.max),
    errors: row.ratePerSec ? String(row.errors) : MISSING,
    systemCpu: significant(row.systemCpuUsPerOp),
    generatorCpu: percent(row.generatorCpuRatio),
    verdict: verdictText(row),
  };
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function openRow(plan, row) {
  return {
    operation: row.operation,
    system: row.title,
    rung: stepText(plan, row.step.id),
    target: significant(row.targetPerSec),
    rate: rateText(row),
    p50: significant(row.serviceMs?.p50),
    p99: significant(row.serviceMs?.p99),
    response: significant(row.responseP99Ms),
    lag: significant(row.lagP99Ms),
    dropped: row.ratePerSec ? String(row.dropped) : MISSING,
    verdict: verdictText(row),
  };
}

/**
 * @param {Plan} plan
 * @param {Comparison} c
 */
export function comparisonRow(plan, c) {
  const words = {
    faster: `${titleOf(plan, c.a)} ahead`,
    slower: `${titleOf(plan, c.b)} ahead`,
    ...NO_DIFFERENCE,
    insufficient: `insufficient repeats (${c.why})`,
    refused: `not compared: ${c.why}`,
  };
  return {
    operation: c.operation,
    step: stepText(plan, c.stepId),
    pair: `${titleOf(plan, c.a)} / ${titleOf(plan, c.b)}`,
    ratio: ratioWithInterval(c.ratio, c.pairs),
    p99Ratio: ratioWithInterval(c.p99Ratio, c.pairs),
    pairs: c.pairs === 0 ? MISSING : String(c.pairs),
    verdict: words[c.verdict],
  };
}

/**
 * What was not compared, and why: one line for each reason.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {string[]}
 */
function refusalsOf(plan, comparisons) {
  const refused = comparisons.filter((c) => c.ratio === null);
  return groupBy(refused, (c) => c.why ?? '').map((same) => {
    const steps = [...new Set(same.map((c) => stepText(plan, c.stepId)))].join('; ');
    return `${same[0].why}: ${same.length} comparisons (${steps})`;
  });
}
