/**
 * A campaign that may stop early: after certain numbers of starts one looks, with intervals that are wider than a single
 * look would need (Pocock 1977: the same nominal level at each, here 2.21 % two-sided, of Student's t).
 */

/** @type {readonly {starts: number, factor: number}[]} half-width of the interval at a look = factor · SD / √starts */
const LOOKS = Object.freeze([
  { starts: 5, factor: 3.63 },
  { starts: 8, factor: 2.94 },
  { starts: 12, factor: 2.67 },
]);
/**
 * Past the last of them a campaign is looked at after so many more starts, at 1 % each: simulated up to 40 starts, one
 * system against itself is called ahead in fewer than 1 % of campaigns.
 */
const FURTHER = Object.freeze({ every: 4, factor: 3.1 });

/** Fewer starts than this show a trend and decide nothing. */
export const FIRST_LOOK = LOOKS[0].starts;

/** What is not narrow after so many will not become so in a time that people wait for. */
export const LAST_LOOK = LOOKS[LOOKS.length - 1].starts;

/**
 * @param {number} starts done so far
 * @returns {{starts: number, factor: number} | null} the last look at or before them; null before the first
 */
export function lookAt(starts) {
  const last = LOOKS[LOOKS.length - 1];
  if (starts > last.starts) {
    const further = starts - ((starts - last.starts) % FURTHER.every);
    return further === last.starts ? last : { starts: further, factor: FURTHER.factor };
  }
  return LOOKS.filter((l) => l.starts <= starts).pop() ?? null;
}

/** Two-sided 95 % of Student's t for two, three and four values: an interval to be seen, before anything is decided by one. */
const FEW = Object.freeze([Number.POSITIVE_INFINITY, 12.71, 4.3, 3.18]);

/**
 * The one interval of every ratio: of differences of logarithms, one for each trial.
 * @param {readonly number[]} values in the order of the trials
 * @returns {{mean: number, low: number, high: number, n: number} | null} of the trials up to the last look, by Student's t;
 *   before the first look of all of them; null without any
 */
export function intervalOf(values) {
  if (values.length === 0) return null;
  const look = lookAt(values.length) ?? { starts: values.length, factor: FEW[values.length - 1] };
  const seen = values.slice(0, look.starts);
  const mean = seen.reduce((sum, v) => sum + v, 0) / seen.length;
  if (seen.length === 1) return { mean, low: mean, high: mean, n: 1 };
  const variance = seen.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (seen.length - 1);
  const half = look.factor * Math.sqrt(variance / seen.length);
  return { mean, low: mean - half, high: mean + half, n: seen.length };
}
