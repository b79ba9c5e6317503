import { figureText, MISSING, percent, significant } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { extremesOf } from '../../../record/figure.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorsText, rateText, setByText, verdictText } from '../../words.js';

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
export function ladder(plan, closed) {
  return {
    title: 'The ladder: latency and cost',
    tables: groupBy(closed, (r) => r.operation).map((rows) =>
      table(
        rows,
        [
          left('system', (r) => r.title),
          left('step', (r) => stepText(plan, r.step.id)),
          right('op/s', rateText),
          right('95 % CI', rateInterval),
          right('p50', (r) => figureText(r.serviceMs.p50)),
          right('p90', (r) => figureText(r.serviceMs.p90)),
          right('p95', (r) => figureText(r.serviceMs.p95)),
          right('p99 (range)', p99Text),
          right('p99.9', (r) => figureText(r.serviceMs.p999)),
          right('max', (r) => figureText(r.serviceMs.max)),
          right('errors', errorsText),
          right('system CPU, µs/op', (r) => figureText(r.systemCpuUsPerOp)),
          right('generator CPU', (r) => figureText(r.generatorCpuRatio, percent)),
          left('verdict', verdictText),
          left('who set it', setByText),
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

/** @param {Row} row @returns {string} with that of the repeats with the least and the most */
function p99Text({ serviceMs: { p99 }, repeats }) {
  if (!p99 || repeats === 1) return figureText(p99);
  const { least, most } = extremesOf(p99);
  return `${figureText(p99)} (${significant(least)} – ${significant(most)})`;
}

/** @param {Row} row */
function rateInterval({ ratePerSec }) {
  return ratePerSec && ratePerSec.n > 1
    ? `${significant(ratePerSec.low)} – ${significant(ratePerSec.high)}`
    : MISSING;
}
