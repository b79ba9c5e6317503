/**
 * One of several runners that share a load: which part of it is its own. k6 deals virtual users out like cards, the first
 * to the first runner, and numbers them over the whole test; counts are dealt the same way. Pure: k6, the runner and the
 * tests of Node read it alike.
 */

/**
 * @param {number} runner from 1
 * @param {number} runners
 * @returns {string} k6's execution segment, as it prints it itself: `1/4:1/2`
 */
export function segmentOf(runner, runners) {
  return `${fraction(runner - 1, runners)}:${fraction(runner, runners)}`;
}

/**
 * @param {number} runners
 * @returns {string} k6's execution segment sequence: `0,1/4,1/2,3/4,1`
 */
export function sequenceOf(runners) {
  return Array.from({ length: runners + 1 }, (_, i) => fraction(i, runners)).join(',');
}

/**
 * @param {string | null | undefined} segment null: the whole of it
 * @param {number} runners
 * @returns {number} from 1
 * @throws {Error} when it is none of so many equal ones
 */
export function runnerOf(segment, runners) {
  if (!segment && runners === 1) return 1;
  for (let runner = 1; runner <= runners; runner++) if (segmentOf(runner, runners) === segment) return runner;
  throw new Error(`the execution segment ${segment} is none of ${runners} equal ones`);
}

/**
 * @param {number} total users, or operations
 * @param {number} runner from 1
 * @param {number} runners
 * @returns {number} its own
 */
export function shareOf(total, runner, runners) {
  return Math.ceil(Math.max(0, total - (runner - 1)) / runners);
}

/**
 * @param {number} total operations
 * @param {number} runner from 1
 * @param {number} runners
 * @returns {number} the first of its own, where those of a runner lie side by side
 */
export function firstOf(total, runner, runners) {
  let first = 0;
  for (let before = 1; before < runner; before++) first += shareOf(total, before, runners);
  return first;
}

/**
 * @param {number} n
 * @param {number} of
 */
function fraction(n, of) {
  const divisor = commonDivisor(n, of);
  return of === divisor ? String(n / divisor) : `${n / divisor}/${of / divisor}`;
}

/**
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
function commonDivisor(a, b) {
  return b === 0 ? a : commonDivisor(b, a % b);
}
