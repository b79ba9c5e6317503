import { figureText, MISSING, percent, significant } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { isUserStep, stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorRatio, rateText } from '../../words.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Section } from '../../view.js'
 */

/** A step with more failures than this is the breaking point. */
export const ERROR_LIMIT = 0.001;
/** Throughput below this share of the best step before it has fallen. */
export const FALL = 0.95;

/**
 * How each operation scales with its users, step by step, and where it breaks.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @returns {Section[]} none with fewer than two numbers of users
 */
export function scalingParts(plan, own) {
  const ladder = own.filter((r) => isScaled(plan, r));
  return groupBy(ladder, (r) => `${r.operation}\n${r.step.case ?? ''}`).flatMap((rows) => {
    if (new Set(rows.map((r) => r.step.vus)).size < 2) return [];
    const sorted = [...rows].sort((a, b) => a.step.vus - b.step.vus);
    const [{ operation, step }] = rows;
    return [
      {
        title: `Scaling: ${operation}${step.case ? `, ${step.case}` : ''}`,
        tables: [
          table(sorted, [
            left('system', (r) => r.title),
            left('step', (r) => stepText(plan, r.step.id)),
            right('op/s', rateText),
            right('avg, ms', (r) => figureText(r.serviceMs.mean)),
            right('p50, ms', (r) => figureText(r.serviceMs.p50)),
            right('p95, ms', (r) => figureText(r.serviceMs.p95)),
            right('p99, ms', (r) => figureText(r.serviceMs.p99)),
            right('errors', errorText),
          ]),
        ],
        notes: groupBy(sorted, (r) => r.system).map((steps) => finding(plan, steps)),
      },
    ];
  });
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function isScaled(plan, { step, operation }) {
  const drive = step.drive ?? plan.profile.drive;
  // What concurrency does to steps by count has a section of its own.
  return (
    isUserStep({ step }) && step.operations === undefined && drive === plan.profile.drive && operation !== ''
  );
}

/** @param {Row} row */
function errorText(row) {
  return row.tried.done + row.tried.failed > 0 ? percent(errorRatio(row)) : MISSING;
}

/**
 * @param {Plan} plan
 * @param {Row[]} steps of one system, by users
 * @returns {string}
 */
function finding(plan, steps) {
  const usable = steps.filter((r) => r.ratePerSec !== null);
  const { title } = steps[0];
  if (usable.length === 0) return `**${title}**: no step has a figure (${steps[0].failure}).`;
  const best = usable.reduce((a, b) => (rate(b) > rate(a) ? b : a));
  const broken = breakingPoint(plan, steps);
  const peak = `${rateText(best)} op/s at ${stepText(plan, best.step.id)} is the most`;
  return broken
    ? `**${title}**: ${peak}; the breaking point is ${stepText(plan, broken.row.step.id)}: ${broken.why}.`
    : `**${title}**: ${peak}; no breaking point up to ${stepText(plan, steps[steps.length - 1].step.id)}.`;
}

/** @param {Row} row */
function rate(row) {
  return row.ratePerSec?.median ?? 0;
}

/**
 * The first step with errors above the limit, a p99 above the profile's, or falling throughput.
 * @param {Plan} plan
 * @param {Row[]} steps by users
 * @returns {{row: Row, why: string} | null}
 */
export function breakingPoint(plan, steps) {
  const slo = plan.profile.thresholds.p99Ms;
  let best = 0;
  for (const row of steps) {
    const errors = errorRatio(row);
    if (row.status === 'FAILED') return { row, why: row.failure ?? 'it failed' };
    if (errors > ERROR_LIMIT) return { row, why: `${percent(errors)} of the operations failed` };
    const p99 = row.serviceMs.p99?.median;
    if (slo !== undefined && p99 !== undefined && p99 > slo)
      return { row, why: `p99 ${significant(p99)} ms is above ${significant(slo)} ms` };
    if (row.ratePerSec !== null && rate(row) < FALL * best)
      return { row, why: `throughput falls to ${percent(rate(row) / best)} of the best step before` };
    best = Math.max(best, rate(row));
  }
  return null;
}
