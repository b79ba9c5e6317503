import { RULES } from '../judge/method.js';
import { medianInterval } from '../stats/summary.js';

/** @import { ReasonCode } from '../types.d.ts' */

/**
 * What a report may print of the repeats of one thing: decided here and nowhere else.
 * @typedef {object} Figure
 * @property {number} median of the repeats, in the unit that the name of the figure carries
 * @property {number} low lower end of its 95 % interval, which holds for any distribution; the median itself where n is 1
 * @property {number} high upper end
 * @property {number} n repeats behind it, none of them INVALID
 * @property {'lower' | 'upper' | null} bound `lower`: the system does at least this ("≥"), because the generator took
 *   part in the figure, or may have; `upper`: at most this
 * @property {boolean} rankable whether it may be compared with another one
 * @property {readonly ReasonCode[]} why codes of the reasons why it is a bound, or not rankable; empty when rankable
 * @property {ReadonlyMap<string | number, number>} byRepeat what it was made from
 */

/**
 * @param {ReasonCode} code of a reason
 * @returns {boolean} whether it makes a figure a bound, and nothing worse
 */
export function isBound(code) {
  return RULES[code].bound === true;
}

/**
 * @param {readonly (readonly [string | number, number | null | undefined])[]} byRepeat a value of each repeat; those
 *   without one are left out
 * @param {readonly ReasonCode[]} [why] codes of the reasons of the repeats that are shown
 * @param {'lower' | 'upper' | null} [bound] what it is where a reason makes a bound of it; null where none can
 * @returns {Figure | null} null without any value
 */
export function figureOf(byRepeat, why = [], bound = null) {
  const known = byRepeat.flatMap(([repeat, v]) =>
    v === null || v === undefined || !Number.isFinite(v) ? [] : [/** @type {const} */ ([repeat, v])],
  );
  if (known.length === 0) return null;
  const values = known.map(([, v]) => v);
  const { estimate, low, high } = medianInterval(values);
  return {
    median: estimate,
    low,
    high,
    n: values.length,
    bound: why.some(isBound) ? bound : null,
    rankable: why.length === 0,
    why,
    byRepeat: new Map(known),
  };
}

/**
 * @template {{repeat: string | number}} S
 * @param {readonly S[]} samples one of each repeat
 * @param {(sample: S) => number | null | undefined} read
 * @param {readonly ReasonCode[]} [why] in no doubt unless given
 * @param {'lower' | 'upper' | null} [bound]
 * @returns {Figure | null} as {@link figureOf} makes it
 */
export function figureOver(samples, read, why, bound) {
  const byRepeat = samples.map((s) => /** @type {const} */ ([s.repeat, read(s)]));
  return figureOf(byRepeat, why, bound);
}

/**
 * A figure made from others, repeat by repeat. What is a bound stays one: `of` must grow with each of its values.
 * @param {(Figure | null | undefined)[]} figures
 * @param {(...values: number[]) => number | null} of the values of one repeat
 * @param {(why: ReasonCode[]) => ReasonCode[]} [doubts] those of the result; all of them unless given
 * @returns {Figure | null} from the repeats that have all of them; null when one is missing
 */
export function combine(figures, of, doubts = (why) => why) {
  const known = figures.filter((f) => f !== null && f !== undefined);
  const [first, ...others] = known;
  if (!first || known.length < figures.length) return null;
  const byRepeat = [...first.byRepeat].flatMap(([repeat, value]) => {
    const rest = others.map((f) => f.byRepeat.get(repeat));
    return rest.includes(undefined)
      ? []
      : [/** @type {const} */ ([repeat, of(value, .../** @type {number[]} */ (rest))])];
  });
  const bounds = new Set(known.flatMap((f) => f.bound ?? []));
  const why = doubts([...new Set(known.flatMap((f) => f.why))]);
  return figureOf(byRepeat, why, bounds.size === 1 ? [...bounds][0] : null);
}

/** @param {(Figure | null | undefined)[]} figures of parts @returns {Figure | null} of the whole */
export function sumOf(figures) {
  return combine(figures, (...values) => values.reduce((sum, v) => sum + v, 0));
}

/** @param {(Figure | null | undefined)[]} figures @returns {Figure | null} geometric mean of each repeat */
export function geometricMeanOf(figures) {
  return combine(figures, (...values) =>
    Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length),
  );
}

/**
 * @param {Figure | null | undefined} figure
 * @param {number} factor
 * @returns {Figure | null} the same in another unit
 */
export function scaled(figure, factor) {
  return combine([figure], (v) => v * factor);
}

/**
 * @param {Figure} figure
 * @returns {{least: number, most: number}} of its repeats
 */
export function extremesOf({ byRepeat }) {
  const values = [...byRepeat.values()];
  return { least: Math.min(...values), most: Math.max(...values) };
}

/**
 * @param {(Figure | null)[]} figures such as those of several loads
 * @returns {Figure | null} that of the largest peak
 */
export function largestOf(figures) {
  return figures
    .filter((f) => f !== null)
    .reduce(
      (/** @type {Figure | null} */ a, b) => (a && extremesOf(a).most >= extremesOf(b).most ? a : b),
      null,
    );
}

/**
 * What the generator adds is the same for two operations of a window, and no part of their difference.
 * @param {Figure | null | undefined} a
 * @param {Figure | null | undefined} b
 * @returns {Figure | null} a − b
 */
export function differenceOf(a, b) {
  return combine([a, b], (x, y) => x - y, withoutBounds);
}

/**
 * @param {readonly ReasonCode[]} why
 * @returns {ReasonCode[]} what is in doubt where the generator's part does not matter
 */
export function withoutBounds(why) {
  return why.filter((code) => !isBound(code));
}

/**
 * @param {readonly ReasonCode[]} why
 * @returns {ReasonCode[]} what is in doubt of bytes: a busy machine makes a system slower, and not larger
 */
export function withoutBusy(why) {
  return why.filter((code) => code !== 'host_busy' && code !== 'host_unseen');
}

/**
 * @param {(Figure | null | undefined)[]} figures of the same, several times in each repeat
 * @returns {Figure | null} of all their values; null without any
 */
export function poolOf(figures) {
  const known = figures.filter((f) => f !== null && f !== undefined);
  if (known.length === 0) return null;
  const values = known.flatMap((f, i) =>
    [...f.byRepeat].map(([repeat, v]) => /** @type {const} */ ([`${i} ${repeat}`, v])),
  );
  const why = [...new Set(known.flatMap((f) => f.why))];
  return figureOf(values, why);
}

/**
 * @template {string} K
 * @param {readonly K[]} keys
 * @param {(key: K) => Figure | null} of
 * @returns {Record<K, Figure | null>}
 */
export function byKey(keys, of) {
  return /** @type {Record<K, Figure | null>} */ (Object.fromEntries(keys.map((key) => [key, of(key)])));
}
