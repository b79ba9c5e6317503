import { MISSING, mebibytes, significant } from '../../../format.js';
import { median } from '../../../stats/summary.js';
import { failuresOf, intervalOf, isUserRung, ofFewestUsers, rateOf } from './figures.js';
import { degradationOf } from './ratios.js';
import { DOUBTFUL, usersText } from './words.js';

/**
 * @import { CellRecord } from '../../../types.d.ts'
 * @import { Suite } from './section.js'
 * @import { Whole } from './figures.js'
 */

/**
 * What choosing one of the systems costs and gives, from what was measured and nothing else.
 * @param {Suite} suite
 * @param {{levels: {cost: string}[]} | null} federation
 * @returns {{metric: string, cells: string[]}[]}
 */
export function tradeOffView(suite, federation) {
  const { plan, systems, wholes, lifecycle } = suite;
  const own = (/** @type {string} */ id) => wholes.filter((w) => w.system === id && isUserRung(w));
  const users = [...new Set(wholes.filter(isUserRung).map((w) => w.step.vus))].sort((a, b) => a - b);
  const most = users[users.length - 1];
  const row = (/** @type {string} */ metric, /** @type {(id: string) => string} */ cell) => ({
    metric,
    cells: systems.map(cell),
  });
  const startOf = (/** @type {string} */ id) => lifecycle.find((l) => l.system === id)?.startMs ?? [];
  return [
    row(
      'an acknowledgement means',
      (id) => plan.systems.find((s) => s.id === id)?.durability.policy ?? MISSING,
    ),
    row('processes', (id) => largest(own(id), (c) => c.resources.system?.processes, String)),
    row('start-up, ms', (id) => (startOf(id).length > 0 ? significant(median(startOf(id))) : MISSING)),
    row('memory at its peak, MiB', (id) =>
      largest(own(id), (c) => c.resources.system?.rssPeakBytes, mebibytes),
    ),
    row(`p95 of the workloads, ${usersText(users[0])}, ms`, (id) =>
      spanOf(ofFewestUsers(own(id)).map((w) => [middleP95(w), w.status === 'DEGRADED'])),
    ),
    ...users
      .slice(1)
      .map((n) =>
        row(`p95, ${usersText(n)} against ${usersText(users[0])}`, (id) =>
          spanOf(own(id).map((w) => (w.step.vus === n ? degradation(wholes, w) : [null, false]))),
        ),
      ),
    ...suite.workloads.map((w) =>
      row(`${w.title}: op/s, ${usersText(most)}`, (id) =>
        rateText(own(id).find((x) => x.workload === w.id && x.step.vus === most)),
      ),
    ),
    row(`failed operations, ${usersText(most)}`, (id) =>
      failures(own(id).filter((w) => w.step.vus === most)),
    ),
    ...(federation
      ? [{ metric: 'a level of relations more, ms', cells: federation.levels.map((l) => l.cost) }]
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
  const bound = whole.codes.includes('generator_bound') ? '≥ ' : '';
  return `${bound}${significant(intervalOf(whole.usable, rateOf)?.estimate)}`;
}

/** @param {Whole[]} wholes */
function failures(wholes) {
  const ran = wholes.flatMap((w) => w.cells).filter((c) => c.status === 'ok');
  if (ran.length === 0) return MISSING;
  const sum = (/** @type {'failed' | 'all'} */ key) => ran.reduce((n, c) => n + failuresOf(c)[key], 0);
  return `${sum('failed')} of ${significant(sum('all'))}`;
}
