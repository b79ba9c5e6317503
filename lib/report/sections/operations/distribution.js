import { figureText, MISSING, significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { extremesOf } from '../../../record/figure.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorsText, rateText, setByText, verdictText } from '../../words.js';
import { CELL, cellText } from '../ladder/cell.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Plan} plan
 * @param {Row[]} closed rows of one workload and transport
 * @returns {Section} each operation on all steps
 */
export function restOf(plan, closed) {
  return {
    title: 'The rest of each distribution',
    intro: [
      'Service times in ms. Throughput and mean, p50, p95 and p99 are in the ladder of users, CPU in the cost.',
    ],
    tables: groupBy(closed, (r) => r.operation).map((rows) =>
      table(
        rows,
        [
          left('system', (r) => r.title),
          left('step', (r) => stepText(plan, r.step.id)),
          right('op/s, 95 % CI', rateInterval),
          right('min', (r) => figureText(r.serviceMs.min)),
          right('p90', (r) => figureText(r.serviceMs.p90)),
          right('p99, all repeats', p99Range),
          right('p99.9', (r) => figureText(r.serviceMs.p999)),
          right('max', (r) => figureText(r.serviceMs.max)),
          right('standard deviation', (r) => figureText(r.serviceMs.sd)),
          right('errors', errorsText),
          left('verdict', verdictText),
          left('limited by', setByText),
        ],
        `**${rows[0].operation}**`,
      ),
    ),
  };
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows of closed steps that stand in no ladder
 * @returns {Section | null}
 */
export function otherSteps(plan, rows) {
  if (rows.length === 0) return null;
  const loads = groupBy(rows, (r) => `${r.operation}\n${r.step.id}`);
  const systems = [...new Map(rows.map((r) => [r.system, r.title]))];
  return {
    title: 'Steps that are in no ladder',
    intro: [CELL],
    tables: [
      table(loads, [
        left('load', ([r]) => `${r.operation}, ${stepText(plan, r.step.id)}`),
        ...systems.map(([id, title]) =>
          right(title, (/** @type {Row[]} */ own) => cellText(own.find((r) => r.system === id))),
        ),
      ]),
    ],
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
        left('step', (r) => stepText(plan, r.step.id)),
        right('target, op/s', (r) => figureText(r.targetPerSec)),
        right('achieved, op/s', rateText),
        right('service p50', (r) => figureText(r.serviceMs.p50)),
        right('service p99', (r) => figureText(r.serviceMs.p99)),
        right('response p99', (r) => figureText(r.responseP99Ms)),
        right('schedule lag p99', (r) => figureText(r.lagP99Ms)),
        right('dropped', (r) => (r.usable > 0 ? r.counts.dropped : MISSING)),
        left('verdict', verdictText),
      ]),
    ],
  };
}

/** @param {Row} row @returns {string} its least and greatest p99 of a repeat */
function p99Range({ serviceMs: { p99 }, repeats }) {
  if (!p99 || repeats === 1) return MISSING;
  const { least, most } = extremesOf(p99);
  return `${significant(least)} – ${significant(most)}`;
}

/** @param {Row} row */
function rateInterval({ ratePerSec }) {
  return ratePerSec && ratePerSec.n > 1
    ? `${significant(ratePerSec.low)} – ${significant(ratePerSec.high)}`
    : MISSING;
}
