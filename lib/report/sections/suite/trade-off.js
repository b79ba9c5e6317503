import { figureText, MISSING, mebibytes, significant } from '../../../format.js';
import { largestOf } from '../../../record/figure.js';
import { isUserStep, ofFewestUsers } from '../../steps.js';
import { left, table } from '../../table.js';
import { policyOf } from '../../words.js';
import { degradationOf } from './degradation.js';
import { levelCostOf, levelsOf } from './federation.js';
import { across, DOUBTFUL, markedText, usersText } from './words.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Section } from '../../view.js'
 * @import { Suite } from './section.js'
 */

/**
 * What choosing one of the systems costs and gives, from what was measured and nothing else.
 * @param {Suite} suite
 * @returns {Section}
 */
export function tradeOffPart(suite) {
  return {
    title: 'Trade-offs',
    intro: ['Measured in this run; a span is that of the workloads.'],
    tables: [
      table(metricsOf(suite), [
        left('', ([metric]) => metric),
        ...across(suite, (/** @type {Metric} */ [, cell], id) => cell(id)),
      ]),
    ],
  };
}

/** @typedef {[metric: string, cell: (id: string) => string]} Metric of each system */

/**
 * @param {Suite} suite
 * @returns {Metric[]}
 */
function metricsOf(suite) {
  const { plan, wholes, lifecycle } = suite;
  const all = (/** @type {string} */ id) => wholes.filter((w) => w.system === id);
  const own = (/** @type {string} */ id) => all(id).filter(isUserStep);
  const [fewest, ...more] = [...new Set(wholes.filter(isUserStep).map((w) => w.step.vus))].sort(
    (a, b) => a - b,
  );
  const most = more.at(-1) ?? fewest;
  const levels = levelsOf(suite);
  return [
    [
      'an acknowledgement means',
      (id) => policyOf(plan, { system: id, parity: all(id)[0]?.parity ?? {} }) || MISSING,
    ],
    ['processes', (id) => figureText(largestOf(own(id).map((w) => w.used.system.processes)), String)],
    ['start-up, ms', (id) => figureText(lifecycle.find((l) => l.system === id)?.start)],
    [
      'memory at its peak, MiB',
      (id) => figureText(largestOf(all(id).map((w) => w.used.system.rssPeakBytes)), mebibytes),
    ],
    [
      `p95 of the workloads, ${usersText(fewest)}, ms`,
      (id) => spanOf(ofFewestUsers(own(id)).map((w) => middleOf(w.serviceMs.p95))),
    ],
    ...more.map(
      (n) =>
        /** @type {Metric} */ ([
          `p95, ${usersText(n)} against ${usersText(fewest)}`,
          (id) => spanOf(own(id).map((w) => (w.step.vus === n ? middleOf(degradationOf(wholes, w)) : null))),
        ]),
    ),
    [`failed operations, ${usersText(most)}`, (id) => failures(own(id).filter((w) => w.step.vus === most))],
    ...(levels
      ? [
          /** @type {Metric} */ ([
            'cost per extra level of relations, ms',
            (id) => markedText(levelCostOf(levels.meansOf(id, levels.base), levels.chain)),
          ]),
        ]
      : []),
  ];
}

/**
 * @param {{median?: number, estimate?: number, rankable: boolean} | null} of a figure or a ratio
 * @returns {{value: number, rankable: boolean} | null}
 */
function middleOf(of) {
  return of && { value: of.median ?? of.estimate ?? Number.NaN, rankable: of.rankable };
}

/**
 * @param {({value: number, rankable: boolean} | null)[]} figures of the workloads
 * @returns {string} `2.1 – 4.4`
 */
function spanOf(figures) {
  const known = figures.filter((f) => f !== null);
  if (known.length === 0) return MISSING;
  const values = known.map((f) => f.value);
  const mark = known.every((f) => f.rankable) ? '' : DOUBTFUL;
  const [low, high] = [significant(Math.min(...values)), significant(Math.max(...values))];
  return `${low === high ? low : `${low} – ${high}`}${mark}`;
}

/** @param {Row[]} wholes */
function failures(wholes) {
  const tried = wholes.map((w) => w.tried).filter(({ ran }) => ran > 0);
  if (tried.length === 0) return MISSING;
  const failed = tried.reduce((n, t) => n + t.failed, 0);
  return `${failed} of ${significant(tried.reduce((n, t) => n + t.done, failed))}`;
}
