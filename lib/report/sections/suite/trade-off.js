import { MISSING, mebibytes, significant } from '../../../format.js';
import { median } from '../../../stats/summary.js';
import { left, table } from '../../table.js';
import { levelCostText, levelsOf } from './federation.js';
import { failuresOf, intervalOf, isUserRung, ofFewestUsers, rateOf } from './figures.js';
import { degradationOf } from './ratios.js';
import { across, boundText, DOUBTFUL, usersText } from './words.js';

/**
 * @import { CellRecord } from '../../../types.d.ts'
 * @import { Section } from '../../view.js'
 * @import { Suite } from './section.js'
 * @import { Whole } from './figures.js'
 */

/**
 * What choosing one of the systems costs and gives, from what was measured and nothing else.
 * @param {Suite} suite
 * @returns {Section}
 */
export function tradeOffPart(suite) {
  return {
    title: 'What choosing one costs and gives',
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
  const { plan, wholes, lifecycle, workloads } = suite;
  const own = (/** @type {string} */ id) => wholes.filter((w) => w.system === id && isUserRung(w));
  const [fewest, ...more] = [...new Set(wholes.filter(isUserRung).map((w) => w.step.vus))].sort(
    (a, b) => a - b,
  );
  const most = more.at(-1) ?? fewest;
  const startOf = (/** @type {string} */ id) => lifecycle.find((l) => l.system === id)?.startMs ?? [];
  const levels = levelsOf(suite);
  return [
    ['an acknowledgement means', (id) => plan.systems.find((s) => s.id === id)?.durability.policy ?? MISSING],
    ['processes', (id) => largest(own(id), (c) => c.resources.system?.processes, String)],
    ['start-up, ms', (id) => (startOf(id).length > 0 ? significant(median(startOf(id))) : MISSING)],
    ['memory at its peak, MiB', (id) => largest(own(id), (c) => c.resources.system?.rssPeakBytes, mebibytes)],
    [
      `p95 of the workloads, ${usersText(fewest)}, ms`,
      (id) => spanOf(ofFewestUsers(own(id)).map((w) => [middleP95(w), w.status === 'DEGRADED'])),
    ],
    ...more.map(
      (n) =>
        /** @type {Metric} */ ([
          `p95, ${usersText(n)} against ${usersText(fewest)}`,
          (id) => spanOf(own(id).map((w) => (w.step.vus === n ? degradation(wholes, w) : [null, false]))),
        ]),
    ),
    ...workloads.map(
      (w) =>
        /** @type {Metric} */ ([
          `${w.title}: op/s, ${usersText(most)}`,
          (id) => rateText(own(id).find((x) => x.workload === w.id && x.step.vus === most)),
        ]),
    ),
    [`failed operations, ${usersText(most)}`, (id) => failures(own(id).filter((w) => w.step.vus === most))],
    ...(levels
      ? [
          /** @type {Metric} */ ([
            'a level of relations more, ms',
            (id) => levelCostText(levels.cellsOf(id, levels.base), levels.chain),
          ]),
        ]
      : []),
  ];
}

/**
 * @param {Whole[]} wholes
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @param {(value: number) => string} text
 */
function largest(wholes, read, text) {
  const values = wholes.flatMap((w) => w.usable.map(read)).filter((v) => v !== null && v !== undefined);
  return values.length > 0 ? text(Math.max(.../** @type {number[]} */ (values))) : MISSING;
}

/** @param {Whole} whole @returns {number | null} */
function middleP95(whole) {
  return intervalOf(whole.usable, (c) => c.wholeMs?.p95)?.estimate ?? null;
}

/**
 * @param {Whole[]} wholes
 * @param {Whole} whole
 * @returns {[number | null, boolean]}
 */
function degradation(wholes, whole) {
  const found = degradationOf(wholes, whole);
  return found ? [found.ratio.estimate, found.doubtful] : [null, false];
}

/**
 * @param {[number | null, boolean][]} figures of the workloads, and which are doubtful
 * @returns {string} `2.1 – 4.4`
 */
function spanOf(figures) {
  const known = figures.filter(([value]) => value !== null);
  if (known.length === 0) return MISSING;
  const values = known.map(([value]) => /** @type {number} */ (value)).sort((a, b) => a - b);
  const mark = known.some(([, doubtful]) => doubtful) ? DOUBTFUL : '';
  const [low, high] = [significant(values[0]), significant(values[values.length - 1])];
  return `${low === high ? low : `${low} – ${high}`}${mark}`;
}

/** @param {Whole | undefined} whole */
function rateText(whole) {
  if (!whole) return MISSING;
  if (whole.failure !== null) return `n/a: ${whole.failure}`;
  return `${boundText(whole)}${significant(intervalOf(whole.usable, rateOf)?.estimate)}`;
}

/** @param {Whole[]} wholes */
function failures(wholes) {
  const ran = wholes.flatMap((w) => w.cells).filter((c) => c.status === 'ok');
  if (ran.length === 0) return MISSING;
  const sum = (/** @type {'failed' | 'all'} */ key) => ran.reduce((n, c) => n + failuresOf(c)[key], 0);
  return `${sum('failed')} of ${significant(sum('all'))}`;
}
