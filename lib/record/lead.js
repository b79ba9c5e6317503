import { significant } from '../format.js';
import { FLOOR, floorOf } from '../judge/floor.js';
import { EQUIVALENCE } from '../judge/method.js';
import { shortReason } from '../judge/verdict.js';
import { differencesOf, refusalOf, unlikeLists } from './comparisons.js';
import { isBound } from './figure.js';
import { inverse, ratioOf } from './ratio.js';

/**
 * @import { Outcome, ReasonCode } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 * @import { Row } from './figures.js'
 * @import { Ratio } from './ratio.js'
 */

/**
 * One system's figure for one question. `row`: where it was measured, for the conditions that must be alike.
 * @typedef {{system: string, figure: Figure | null, row?: Row | null}} Entry
 */

/**
 * Who leads on one question among systems that may be compared: decided here and nowhere else.
 * @typedef {object} Lead
 * @property {Outcome} outcome
 * @property {string[]} systems that were compared with each other
 * @property {string | null} winner of `winner` and `at least`; of `too few` who did more
 * @property {string[]} beaten by it; all others, or only some
 * @property {{system: string, behind: number} | null} [last] whom all others lead, where there are at least three, and how
 *   many times the nearest of them does better; absent: nobody
 * @property {{system: string, why: string}[]} [unranked] whose figure may be compared with nobody's, where others' may;
 *   absent: nobody
 * @property {LeadRatio | null} ratio by which the winner leads the nearest one that it beats, at least 1; of an inconclusive
 *   question the widest one
 * @property {string} why of `not comparable`, in plain words
 */

/** @typedef {Pick<Ratio, 'estimate' | 'pairs'> & {low: number | null, high: number | null}} LeadRatio */

/** @typedef {{a: string, b: string, outcome: Outcome, ratio: LeadRatio | null, winner: string | null, why: string}} Pair */

/**
 * @param {Entry[]} entries
 * @param {'more' | 'less'} better
 * @param {{reference: Row | null}} [atRate] of latencies at one rate: the null responder at that rate; null where it was
 *   not measured
 * @returns {Lead[]} one for each set of systems under the same promises; none for a system alone
 */
export function leadsOf(entries, better, atRate) {
  const known = entries.filter((e) => e.figure !== null);
  return classesOf(known)
    .filter((own) => own.length > 1)
    .map((own) => leadOf(own, better, atRate));
}

/**
 * @param {Entry[]} entries
 * @returns {Entry[][]} sets whose conditions are alike
 */
function classesOf(entries) {
  /** @type {Entry[][]} */
  const classes = [];
  for (const entry of entries) {
    const own = classes.find(([first]) => !isUnlike(first, entry));
    if (own) own.push(entry);
    else classes.push([entry]);
  }
  return classes;
}

/**
 * @param {Entry[]} entries
 * @returns {string[]} in what the first two differ that may not be compared, as `key x ≠ y` or `key unknown` each
 */
export function unlikeIn(entries) {
  const [first, ...others] = entries.filter((e) => e.figure !== null);
  const other = others.find((e) => isUnlike(first, e));
  return first?.row && other?.row ? differencesOf(first.row, other.row) : [];
}

/**
 * @param {Entry} a
 * @param {Entry} b
 */
function isUnlike(a, b) {
  return Boolean(a.row && b.row && refusalOf(a.row, b.row)?.[0] === 'unlike');
}

/**
 * @param {Entry[]} own entries that may be compared
 * @param {'more' | 'less'} better
 * @param {{reference: Row | null}} [atRate]
 * @returns {Lead}
 */
function leadOf(own, better, atRate) {
  return leadOfPairs(
    own.map((e) => e.system),
    own.flatMap((a, i) =>
      own.slice(i + 1).map((b) => (atRate && floorPair(a, b, atRate)) ?? pairOf(a, b, better)),
    ),
  );
}

/**
 * @param {string[]} systems
 * @param {Pair[]} pairs of all of them
 * @returns {Lead}
 */
export function leadOfPairs(systems, pairs) {
  const last = lastOf(systems, pairs);
  const unranked = unrankedOf(systems, pairs);
  const out = unranked.map(({ system }) => system);
  const ranked = systems.filter((id) => !out.includes(id));
  return {
    ...winnerOf(
      ranked,
      pairs.filter(({ a, b }) => ranked.includes(a) && ranked.includes(b)),
    ),
    ...(last ? { last } : {}),
    ...(unranked.length > 0 ? { unranked } : {}),
  };
}

/**
 * @param {string[]} systems
 * @param {Pair[]} pairs of all of them
 * @returns {{system: string, why: string}[]} none where too few would be left to compare
 */
function unrankedOf(systems, pairs) {
  const found = systems.flatMap((system) => {
    const own = pairs.filter(({ a, b }) => [a, b].includes(system));
    return own.every(({ outcome }) => outcome === 'not comparable') ? [{ system, why: own[0].why }] : [];
  });
  return systems.length - found.length > 1 ? found : [];
}

/** Systems among whom one is the last, and not only the other one. */
const FIELD = 3;

/**
 * @param {string[]} systems
 * @param {Pair[]} pairs of all of them
 * @returns {Lead['last']}
 */
function lastOf(systems, pairs) {
  if (systems.length < FIELD) return null;
  const found = systems.flatMap((system) => {
    const lost = pairs.filter(
      (p) => p.outcome === 'winner' && p.winner !== system && [p.a, p.b].includes(system),
    );
    return lost.length === systems.length - 1 ? [{ system, behind: Math.min(...lost.map(leadIn)) }] : [];
  });
  return found[0] ?? null;
}

/**
 * @param {string[]} systems
 * @param {Pair[]} pairs of all of them
 * @returns {Lead}
 */
function winnerOf(systems, pairs) {
  const decided = pairs.filter((p) => p.outcome !== 'too few');
  const first = firstOf(systems, decided);
  if (first) return first;
  const rest = { systems, beaten: [] };
  if (pairs.every((p) => p.outcome === 'tie')) return { ...pairs[0], ...rest, winner: null };
  // What is least certain is said of all.
  for (const outcome of /** @type {const} */ (['too few', 'inconclusive', 'not comparable'])) {
    const some = pairs.filter((p) => p.outcome === outcome);
    if (some.length === 0) continue;
    const ahead = outcome === 'too few' && firstOf(systems, some.filter(isApart));
    if (ahead) return ahead;
    const widest = some.reduce((x, y) => (apart(y) > apart(x) ? y : x));
    return { ...widest, ...rest, winner: outcome === 'too few' ? widest.winner : null };
  }
  return { ...pairs[0], ...rest, winner: null };
}

/**
 * @param {string[]} systems
 * @param {Pair[]} pairs that name a winner, or none
 * @returns {Lead | null} of who beats most of the others, by its nearest one; null where nobody beats anybody
 */
function firstOf(systems, pairs) {
  const wins = (/** @type {string} */ id) => pairs.filter((p) => p.winner === id);
  const [best] = [...systems].sort((x, y) => wins(y).length - wins(x).length);
  const won = wins(best);
  if (won.length === 0) return null;
  const nearest = won.reduce((x, y) => (leadIn(y) < leadIn(x) ? y : x));
  return { ...nearest, systems, winner: best, beaten: won.map((p) => (p.a === best ? p.b : p.a)) };
}

/** @param {Pair} pair of too few @returns {boolean} whether it is more than a tie would be */
function isApart({ ratio }) {
  return ratio !== null && ratio.estimate > 1 + EQUIVALENCE;
}

/** @param {Pair} pair */
function leadIn({ ratio }) {
  return ratio?.estimate ?? Number.POSITIVE_INFINITY;
}

/** @param {Pair} pair @returns {number} how far apart the two may be, as a ratio of at least 1 */
function apart({ ratio }) {
  return ratio ? Math.max(ratio.high ?? ratio.estimate, 1 / (ratio.low ?? ratio.estimate)) : 0;
}

/**
 * @param {import('../types.d.ts').SideBySideComparison} comparison of two systems at the same moment
 * @returns {Pair}
 */
export function pairOfComparison({ a, b, verdict, problems }) {
  const { ratio, starts } = verdict;
  const why = Object.keys(problems).join(', ').replaceAll('_', ' ');
  if (ratio === null) return { a, b, outcome: 'not comparable', ratio: null, winner: null, why };
  const better = verdict.better === 'a' ? a : b;
  const names = verdict.outcome === 'winner' || verdict.outcome === 'too few';
  return {
    ...{ a, b, why, outcome: verdict.outcome },
    ratio: { ...ratio, pairs: starts },
    winner: names ? better : null,
  };
}

/**
 * @param {Entry} a
 * @param {Entry} b
 * @param {{reference: Row | null}} atRate
 * @returns {Pair | null} null where host and client are quick enough to tell the two apart
 */
function floorPair(a, b, { reference }) {
  const lags = [a, b].map(({ row }) => row?.lagP99Ms?.median ?? null);
  const rates = [reference, a.row, b.row].map((row) => row?.targetPerSec?.median ?? Number.NaN);
  const nullMs = reference?.usable ? (reference.responseP99Ms?.median ?? null) : null;
  const smallerMs = Math.min(...[a, b].map(({ figure }) => figure?.median ?? 0));
  const lagMs = lags.includes(null) ? null : Math.max(...lags.map(Number));
  const found = floorOf({
    ...{ smallerMs, lagMs, nullMs },
    rateRatio: rates[0] / Math.max(rates[1], rates[2]),
  });
  const why =
    found === 'floor'
      ? Number(nullMs) >= FLOOR.nullShare * smallerMs
        ? `too fast to compare here: a server that does nothing already takes ${significant(nullMs)} ms at this rate`
        : `too fast to compare here: the load itself was sent up to ${significant(lagMs)} ms late (p99)`
      : 'no server that does nothing was measured at this rate';
  return found && { a: a.system, b: b.system, outcome: 'not comparable', ratio: null, winner: null, why };
}

/**
 * @param {Entry} a
 * @param {Entry} b
 * @param {'more' | 'less'} better
 * @returns {Pair}
 */
export function pairOf(a, b, better) {
  const none = (/** @type {string} */ why) =>
    /** @type {Pair} */ ({
      ...{ a: a.system, b: b.system, outcome: 'not comparable', ratio: null, winner: null, why },
    });
  const [lists] = a.row && b.row ? unlikeLists(a.row, b.row) : [];
  if (lists) return none(listsText(lists));
  const ratio = better === 'more' ? ratioOf(a.figure, b.figure) : ratioOf(b.figure, a.figure);
  if (!ratio) return none('no repeat has both figures');
  const { outcome, why } = ratio;
  const leads = ratio.better === 'a' ? a.system : b.system;
  return {
    ...{ a: a.system, b: b.system, outcome },
    ratio: ratio.better === 'a' ? ratio : inverse(ratio),
    winner: ['winner', 'at least', 'too few'].includes(outcome) ? leads : null,
    why: outcome === 'not comparable' ? reasonText(why) : '',
  };
}

/** @param {string} lists as of {@link unlikeLists} */
function listsText(lists) {
  return `answers list all that is stored, and that is ${lists.replace('storedBefore ', '')}`;
}

/** @param {readonly ReasonCode[]} codes @returns {string} plain words */
export function reasonText(codes) {
  const worst = codes.find((code) => !isBound(code)) ?? codes[0];
  if (worst === undefined) return 'not comparable';
  return isBound(worst) ? 'the client may have set it' : shortReason(worst);
}
