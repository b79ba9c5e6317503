import { significant } from '../format.js';
import { FLOOR, floorOf } from '../judge/floor.js';
import { EQUIVALENCE, MIN_REPEATS } from '../judge/method.js';
import { shortReason } from '../judge/verdict.js';
import { differencesOf, refusalOf, unlikeLists } from './comparisons.js';
import { isBound } from './figure.js';
import { inverse, ratioOf } from './ratio.js';

/**
 * @import { ReasonCode } from '../types.d.ts'
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
 * @property {'ahead' | 'at least' | 'tie' | 'open' | 'trend' | 'floor' | 'barred'} verdict `at least`: a bound already
 *   decides; `trend`: too few repeats; `floor`: latencies that this host cannot tell apart; `barred`: no two figures may
 *   be compared
 * @property {string[]} systems that were compared with each other
 * @property {string | null} winner of `ahead`, `at least` and `trend`
 * @property {string[]} beaten by it; all others, or only some
 * @property {{system: string, behind: number} | null} [last] whom all others lead, where there are at least three, and how
 *   many times the nearest of them does better; absent: nobody
 * @property {{system: string, why: string}[]} [unranked] whose figure may be compared with nobody's, where others' may;
 *   absent: nobody
 * @property {LeadRatio | null} ratio by which the winner leads the nearest one that it beats, at least 1; of an open
 *   question the widest one
 * @property {string} why of `floor` and `barred`, in plain words
 */

/** @typedef {Pick<Ratio, 'estimate' | 'pairs'> & {low: number | null, high: number | null}} LeadRatio */

/** @typedef {{a: string, b: string, verdict: Lead['verdict'], ratio: LeadRatio | null, winner: string | null, why: string}} Pair */

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
    return own.every(({ verdict }) => verdict === 'barred') ? [{ system, why: own[0].why }] : [];
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
      (p) => p.verdict === 'ahead' && p.winner !== system && [p.a, p.b].includes(system),
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
  const decided = pairs.filter((p) => p.verdict !== 'trend');
  const first = firstOf(systems, decided);
  if (first) return first;
  const rest = { systems, beaten: [] };
  if (pairs.every((p) => p.verdict === 'tie')) return { ...pairs[0], ...rest, winner: null };
  // What is least certain is said of all.
  for (const verdict of /** @type {const} */ (['trend', 'open', 'floor', 'barred'])) {
    const some = pairs.filter((p) => p.verdict === verdict);
    if (some.length === 0) continue;
    const ahead = verdict === 'trend' && firstOf(systems, some.filter(isApart));
    if (ahead) return ahead;
    const widest = some.reduce((x, y) => (apart(y) > apart(x) ? y : x));
    return { ...widest, ...rest, winner: verdict === 'trend' ? widest.winner : null };
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

/** @param {Pair} pair of a trend @returns {boolean} whether it is more than a tie would be */
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
  if (ratio === null) return { a, b, verdict: 'barred', ratio: null, winner: null, why };
  const better = verdict.better === 'a' ? a : b;
  const names = verdict.verdict === 'ahead' || verdict.verdict === 'trend';
  return {
    ...{ a, b, why, verdict: verdict.verdict },
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
  const shell = { a: a.system, b: b.system, ratio: null, winner: null };
  if (found === 'floor')
    return {
      ...shell,
      verdict: 'floor',
      why:
        Number(nullMs) >= FLOOR.nullShare * smallerMs
          ? `the null responder takes ${significant(nullMs)} ms at this rate`
          : `the load itself was sent up to ${significant(lagMs)} ms late (p99)`,
    };
  return found && { ...shell, verdict: 'barred', why: 'the null responder was not measured at this rate' };
}

/**
 * @param {Entry} a
 * @param {Entry} b
 * @param {'more' | 'less'} better
 * @returns {Pair}
 */
export function pairOf(a, b, better) {
  const shell = { a: a.system, b: b.system };
  const [lists] = a.row && b.row ? unlikeLists(a.row, b.row) : [];
  if (lists) return { ...shell, verdict: 'barred', ratio: null, winner: null, why: listsText(lists) };
  const ratio = better === 'more' ? ratioOf(a.figure, b.figure) : ratioOf(b.figure, a.figure);
  if (!ratio) return { ...shell, verdict: 'barred', ratio, winner: null, why: 'no repeat has both figures' };
  const ahead = ratio.estimate >= 1;
  const lead = ahead ? ratio : inverse(ratio);
  const winner = ahead ? a.system : b.system;
  const found = (/** @type {Lead['verdict']} */ verdict, why = '') => ({
    ...shell,
    verdict,
    ratio: lead,
    winner: verdict === 'tie' || verdict === 'open' || verdict === 'barred' ? null : winner,
    why,
  });
  switch (lead.verdict) {
    case 'faster':
      return found('ahead');
    case 'slower':
    case 'inconclusive':
      return found('open');
    case 'equivalent':
      return found('tie');
    case 'insufficient':
      return found('trend');
    default:
      return isDecidedByBound(lead) ? found('at least') : found('barred', reasonText(lead.why));
  }
}

/** @param {string} lists as of {@link unlikeLists} */
function listsText(lists) {
  return `answers list all that is stored, and that is ${lists.replace('storedBefore ', '')}`;
}

/** @param {Ratio} lead @returns {boolean} whether the winner leads even where the client held it back */
function isDecidedByBound({ bound, pairs, low, why }) {
  return bound === 'lower' && pairs >= MIN_REPEATS && why.every(isBound) && low > 1 + EQUIVALENCE;
}

/** @param {readonly ReasonCode[]} codes @returns {string} plain words */
export function reasonText(codes) {
  const worst = codes.find((code) => !isBound(code)) ?? codes[0];
  if (worst === undefined) return 'not comparable';
  return isBound(worst) ? 'the client may have set it' : shortReason(worst);
}
