import { groupBy } from '../../../group-by.js';
import { lineCharts } from '../../charts/ladder.js';
import { NOBODY, phrase, templateBeside } from '../../template.js';

/**
 * @import { Plan, SoakResult } from '../../../types.d.ts'
 * @import { Soaked } from '../../../figures/soaks.js'
 * @import { Table } from '../../table.js'
 */

const tables = templateBeside(import.meta.url, 'soak-table.hbs');

/**
 * @param {Soaked[]} soaks
 * @param {'all' | 'first' | 'rest'} [part] what the first screen has, or what it leaves out
 * @returns {Table[]} one for each workload: what is asked down, systems across
 */
export function soakTables(soaks, part = 'all') {
  return groupBy(soaks.map(fieldsOf), ({ workload }) => workload).flatMap((own) => {
    const several = own.some(({ repeat }) => repeat > 1);
    return tables(NOBODY, { ...own[0], part, several, soaks: own }).tables;
  });
}

/**
 * One sentence for each soak: whether the system is the same after a while, and by what that is told.
 * @param {Soaked[]} soaks
 * @returns {string[]} Markdown
 */
export function soakAnswers(soaks) {
  return soaks.map((soaked) => phrase('soakAnswer', fieldsOf(soaked)));
}

/** @typedef {NonNullable<SoakResult['points']>[number]} Stretch of which a point has the medians */

/** @param {number | null} value @returns {import('../../charts/draw.js').Point | null} */
function pointAt(value) {
  const median = value === null ? null : Number(value.toFixed(3));
  return median === null ? null : { median, low: median, high: median };
}

/** What is drawn of a soak. */
const DRAWN = Object.freeze([
  {
    ...{ what: 'memory', unit: 'MiB', name: 'memory over time' },
    read: (/** @type {Stretch} */ p) => pointAt(p.rssBytes && p.rssBytes / 2 ** 20),
  },
  { what: 'p99', unit: 'ms', name: 'p99 over time', read: (/** @type {Stretch} */ p) => pointAt(p.p99Ms) },
]);

/** @param {Stretch} stretch */
function minuteOf({ minute }) {
  return Number(minute.toFixed(2));
}

/**
 * Memory, and the p99, of all systems over the time of the soak, beside each other.
 * @param {Plan} plan
 * @param {Soaked[]} soaks of one workload
 * @returns {import('../../charts/ladder.js').Chart[]}
 */
export function soakCharts(plan, soaks) {
  const { workload } = soaks[0].cell;
  const minutes = new Set(soaks.flatMap(({ soak }) => (soak.points ?? []).map(minuteOf)));
  const places = [...minutes].sort((a, b) => a - b);
  const chart = { title: `${workload} during the soak`, file: [workload], log: false, places };
  const systems = soaks.map(({ cell }) => cell.system);
  return lineCharts(plan, DRAWN, { ...chart, name: 'minutes', systems }, (id, place) => {
    const own = soaks.find(({ cell }) => cell.system === id)?.soak.points ?? [];
    return own.find((p) => minuteOf(p) === places[place]);
  });
}

/** @param {Soaked} soaked of which the templates take what was seen */
function fieldsOf({ cell: { title, repeat, workload, step, operations: all }, soak, foreignCores }) {
  // A soak has one operation.
  const [{ ratePerSec: rate, count, itemsPerOp = 1 }] = Object.values(all);
  const end = soak.points?.at(-1) ?? null;
  const { firstBytes = 0, lastBytes = 0 } = soak.disk ?? {};
  const isMore = lastBytes > firstBytes && count > 0;
  return {
    ...{ openFiles: null, threads: null, disk: null, ...soak, title, repeat, workload, foreignCores, rate },
    // How long it was loaded.
    ...{ seconds: step.durationSec ?? soak.sec, operations: Object.keys(all) },
    ...{ endBytes: end?.rssBytes ?? null, endMs: end?.p99Ms ?? null },
    // Bytes that each item that was acknowledged added.
    perItem: isMore ? (lastBytes - firstBytes) / (count * itemsPerOp) : null,
    // So much more data at the end that it may be the reason.
    grew: lastBytes > 2 * firstBytes,
  };
}
