import { MISSING, percent, significant } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorsText, rateText, verdictText } from '../../words.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Plan} plan
 * @param {Row[]} closed rows of one workload and transport
 * @returns {Section} each operation on all steps
 */
export function ladder(plan, closed) {
  return {
    title: 'The ladder: latency and cost',
    tables: groupBy(closed, (r) => r.operation).map((rows) =>
      table(
        rows,
        [
          left('system', (r) => r.title),
          left('rung', (r) => stepText(plan, r.step.id)),
          right('op/s', rateText),
          right('95 % CI', rateInterval),
          right('p50', (r) => significant(r.serviceMs?.p50)),
          right('p90', (r) => percentile(r, 'p90')),
          right('p95', (r) => percentile(r, 'p95')),
          right('p99 (range)', (r) => `${percentile(r, 'p99')}${p99Range(r)}`),
          right('p99.9', (r) => percentile(r, 'p999')),
          right('max', (r) => significant(r.serviceMs?.max)),
          right('errors', errorsText),
          right('system CPU, µs/op', (r) => significant(r.systemCpuUsPerOp)),
          right('generator CPU', (r) => percent(r.generatorCpuRatio)),
          left('verdict', verdictText),
        ],
        `**${rows[0].operation}**, service time in ms`,
      ),
    ),
  };
}

/**
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @returns {Section | null} null without a step of the open model
 */
export function openLadder(plan, own) {
  const open = own.filter((r) => r.step.model === 'open');
  if (open.length === 0) return null;
  return {
    title: 'Open model: latency at an arrival rate',
    intro: [
      'Times in ms. The response time counts from the moment at which the schedule wanted the operation sent; the service time from its actual send. What was due and never sent counts as having waited for the rest of the window.',
    ],
    tables: [
      table(open, [
        left('operation', (r) => r.operation),
        left('system', (r) => r.title),
        left('rung', (r) => stepText(plan, r.step.id)),
        right('target, op/s', (r) => significant(r.targetPerSec)),
        right('achieved, op/s', rateText),
        right('service p50', (r) => significant(r.serviceMs?.p50)),
        right('service p99', (r) => significant(r.serviceMs?.p99)),
        right('response p99', (r) => significant(r.responseP99Ms)),
        right('schedule lag p99', (r) => significant(r.lagP99Ms)),
        right('dropped', (r) => (r.ratePerSec ? r.dropped : MISSING)),
        left('verdict', verdictText),
      ]),
    ],
  };
}

/** Of fewer operations a percentile is the maximum under another name. */
const LEAST = Object.freeze({ p90: 10, p95: 20, p99: 100, p999: 1000 });

/** @param {Row} row @param {keyof typeof LEAST} key */
function percentile(row, key) {
  return fewest(row) >= LEAST[key] ? significant(row.serviceMs?.[key]) : MISSING;
}

/** @param {Row} row @returns {number} operations of the repeat with the fewest */
function fewest({ cells, operation }) {
  return Math.min(...cells.map((c) => c.operations[operation]?.count ?? 0));
}

/** @param {Row} row */
function p99Range(row) {
  const { p99Range: range, cells } = row;
  if (!range || cells.length === 1 || fewest(row) < LEAST.p99) return '';
  return ` (${significant(range.low)} – ${significant(range.high)})`;
}

/** @param {Row} row */
function rateInterval({ ratePerSec, usable }) {
  return ratePerSec && usable > 1
    ? `${significant(ratePerSec.low)} – ${significant(ratePerSec.high)}`
    : MISSING;
}
