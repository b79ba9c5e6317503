import { FEWEST_OPERATIONS } from '../judge/method.js';
import { byKey, figureOver } from './figure.js';
import { isShown, repeatsOf, TOGETHER } from './rows.js';

/**
 * What k6 counts of a script beside its operations: the metrics that it made itself, and its requests by the value of a tag.
 * @import { CellRecord, RequestRow, ScriptMetric, Step } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/** Of each figure, the unit; null: the script's own. @type {Readonly<Record<string, string | null>>} */
export const UNITS = Object.freeze({
  ...{ share: 'share', perSec: '1/s', failed: 'requests', count: 'requests', failedMean: 'ms' },
  ...{ mean: null, min: null, p50: null, p95: null, p99: null, max: null, last: null },
});

/**
 * @typedef {object} ScriptRow
 * @property {string} system
 * @property {string} title
 * @property {string} workload
 * @property {string} transport
 * @property {Step} step
 * @property {string} name of the metric, or the value of the tag; '' for all beyond the bound
 * @property {string} kind `trend`, `rate`, `counter`, `gauge`; of requests the tag
 * @property {boolean} isRequest
 * @property {boolean} isTime its values are ms
 * @property {number} beyond values of the tag that it stands for, at least; 0 for one
 * @property {Record<string, Figure | null>} figures by name, as {@link UNITS} has them
 */

/**
 * @param {CellRecord[]} records
 * @returns {ScriptRow[]} metrics and then requests of each system and step, none of a run without a script
 */
export function scriptRowsOf(records) {
  return repeatsOf(records).flatMap((cells) => {
    const [{ system, title, workload, transport, step }] = cells;
    const usable = cells.filter((c) => isShown(c, TOGETHER));
    const shared = { system, title, workload, transport, step };
    const names = new Set(usable.flatMap((c) => (c.metrics ?? []).map((m) => m.name)));
    const by = usable.find((c) => c.requests)?.requests;
    const values = new Set(usable.flatMap((c) => (c.requests?.rows ?? []).map((r) => r.value)));
    if (usable.some((c) => c.requests?.others)) values.add('');
    return [
      ...[...names].map((name) => ({ ...shared, ...metricRow(name, usable) })),
      ...[...values].map((value) => ({ ...shared, ...requestRow(value, by?.tag ?? '', usable) })),
    ];
  });
}

/** @param {string} name @param {CellRecord[]} cells */
function metricRow(name, cells) {
  const own = cells.map(({ repeat, metrics = [] }) => ({
    repeat,
    value: metrics.find((m) => m.name === name),
  }));
  const [{ type, isTime }] = own.flatMap((o) => o.value ?? []);
  const keys = {
    ...{ trend: ['mean', 'p50', 'p95', 'p99', 'min', 'max'], rate: ['share'] },
    ...{ counter: ['perSec'], gauge: ['last', 'min', 'max'] },
  }[type];
  return {
    ...{ name, kind: type, isRequest: false, isTime: isTime === true, beyond: 0 },
    figures: byKey(keys, (key) => figureIn(own, key)),
  };
}

/** @param {string} value @param {string} tag @param {CellRecord[]} cells */
function requestRow(value, tag, cells) {
  const own = cells.map(({ repeat, requests }) => ({
    repeat,
    value: value === '' && requests?.others ? requests.others : requests?.rows.find((r) => r.value === value),
  }));
  const isOthers = value === '' && cells.some((c) => c.requests?.others);
  const keys = ['count', 'failed', 'mean', 'p50', 'p95', 'p99', 'max', 'failedMean'];
  return {
    ...{ name: value, kind: tag, isRequest: true, isTime: true },
    beyond: isOthers ? Math.max(...cells.map((c) => c.requests?.beyond ?? 0)) : 0,
    figures: byKey(keys, (key) => figureIn(own, key)),
  };
}

/**
 * @param {{repeat: number, value: ScriptMetric | RequestRow | undefined}[]} own
 * @param {string} key
 * @returns {Figure | null} null where a repeat has too few for such a percentile
 */
function figureIn(own, key) {
  const fewest = FEWEST_OPERATIONS[/** @type {keyof typeof FEWEST_OPERATIONS} */ (key)] ?? 0;
  const known = own.filter((o) => o.value);
  if (known.some((o) => Number(o.value?.count) < fewest)) return null;
  const field = key === 'failedMean' ? 'failedMeanMs' : key;
  return figureOver(known, ({ value }) => /** @type {any} */ (value)[field]);
}
