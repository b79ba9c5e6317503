import { EQUIVALENCE } from '../judge/method.js';
import { upright, winnerOf } from './compare.js';

/** @import { Comparison, Interval, Outcome, Why } from '../types.d.ts' */

/**
 * Who leads on one question among systems that may be compared: what their comparisons come to.
 * @typedef {object} Lead
 * @property {Outcome} outcome
 * @property {string[]} systems that were compared with each other
 * @property {string | null} winner of `winner` and `at least`; of `too few` who did better
 * @property {string[]} beaten by it; all others, or only some
 * @property {{system: string, behind: number} | null} [last] whom all others lead, where there are at least three, and how
 *   many times the nearest of them does better; absent: nobody
 * @property {{system: string, why: Why[]}[]} [unranked] whose figure may be compared with nobody's, where others' may;
 *   absent: nobody
 * @property {Interval | null} ratio by which the winner leads the nearest one that it beats, at least 1; of an inconclusive
 *   question the widest one
 * @property {number} n trials of that ratio
 * @property {Why[]} why of `not comparable`
 */

/**
 * @param {readonly string[]} systems in their order
 * @param {readonly Comparison[]} all comparisons by one metric on one load, of others too
 * @returns {Lead[]} one for each set of systems under the same conditions; none for a system alone
 */
export function leadsOf(systems, all) {
  const rivals = all.filter(
    (c) => c.kind !== 'same' && systems.includes(c.a) && systems.includes(c.b) && !isUnlike(c),
  );
  return setsOf(systems, rivals).map((own) =>
    leadOf(
      own,
      rivals.filter(({ a, b }) => own.includes(a) && own.includes(b)),
    ),
  );
}

/** @param {Comparison} comparison @returns {boolean} whether its conditions differ, so that they are no rivals */
function isUnlike({ kind, cell, why }) {
  return (kind === 'price' && cell !== undefined) || why.some(({ code }) => code === 'unlike');
}

/**
 * @param {readonly string[]} systems
 * @param {Comparison[]} rivals
 * @returns {string[][]} sets of two or more, within which somebody may win
 */
function setsOf(systems, rivals) {
  let sets = systems.map((id) => [id]);
  for (const { a, b } of rivals) {
    const [x, y] = [a, b].map((id) => sets.find((own) => own.includes(id)) ?? []);
    if (x !== y) sets = sets.map((own) => (own === x ? [...x, ...y] : own)).filter((own) => own !== y);
  }
  return sets.filter((own) => own.length > 1).map((own) => systems.filter((id) => own.includes(id)));
}

/**
 * @param {string[]} systems
 * @param {Comparison[]} pairs of all of them
 * @returns {Lead}
 */
function leadOf(systems, pairs) {
  const last = lastOf(systems, pairs);
  const unranked = unrankedOf(systems, pairs);
  const out = unranked.map(({ system }) => system);
  const ranked = systems.filter((id) => !out.includes(id));
  return {
    ...bestOf(
      ranked,
      pairs.filter(({ a, b }) => ranked.includes(a) && ranked.includes(b)),
    ),
    ...(last ? { last } : {}),
    ...(unranked.length > 0 ? { unranked } : {}),
  };
}

/**
 * @param {string[]} systems
 * @param {Comparison[]} pairs of all of them
 * @returns {{system: string, why: Why[]}[]} none where too few would be left to compare
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
 * @param {Comparison[]} pairs of all of them
 * @returns {Lead['last']}
 */
function lastOf(systems, pairs) {
  if (systems.length < FIELD) return null;
  const found = systems.flatMap((system) => {
    const lost = pairs.filter(
      (p) => p.outcome === 'winner' && winnerOf(p) !== system && [p.a, p.b].includes(system),
    );
    return lost.length === systems.length - 1 ? [{ system, behind: Math.min(...lost.map(leadIn)) }] : [];
  });
  return found[0] ?? null;
}

/**
 * @param {string[]} systems
 * @param {Comparison[]} pairs of all of them
 * @returns {Lead}
 */
function bestOf(systems, pairs) {
  const first = firstOf(systems, pairs.filter(winnerOf));
  if (first) return first;
  // What is least certain is said of all.
  for (const outcome of /** @type {const} */ (['too few', 'inconclusive', 'not comparable'])) {
    const some = pairs.filter((p) => p.outcome === outcome);
    if (some.length === 0) continue;
    const ahead = outcome === 'too few' && firstOf(systems, some.filter(isApart));
    if (ahead) return ahead;
    const widest = some.reduce((x, y) => (apart(y) > apart(x) ? y : x));
    return leadBy(widest, systems, outcome === 'too few' ? betterIn(widest) : null);
  }
  return leadBy(pairs[0], systems, null);
}

/**
 * @param {Comparison} pair
 * @param {string[]} systems
 * @param {string | null} winner
 * @param {string[]} [beaten]
 * @returns {Lead}
 */
function leadBy(pair, systems, winner, beaten = []) {
  const { outcome, n, why } = pair;
  return { outcome, systems, winner, beaten, ratio: upright(pair), n, why };
}

/**
 * @param {string[]} systems
 * @param {Comparison[]} pairs in each of which one is better
 * @returns {Lead | null} of who beats most of the others, by its nearest one; null where nobody beats anybody
 */
function firstOf(systems, pairs) {
  const wins = (/** @type {string} */ id) => pairs.filter((p) => betterIn(p) === id);
  const [best] = [...systems].sort((x, y) => wins(y).length - wins(x).length);
  const won = wins(best);
  if (won.length === 0) return null;
  const nearest = won.reduce((x, y) => (leadIn(y) < leadIn(x) ? y : x));
  return leadBy(
    nearest,
    systems,
    best,
    won.map((p) => (p.a === best ? p.b : p.a)),
  );
}

/** @param {Comparison} pair @returns {string} */
function betterIn({ a, b, better }) {
  return better === 'b' ? b : a;
}

/** @param {Comparison} pair of too few @returns {boolean} whether it is more than a tie would be */
function isApart(pair) {
  return (upright(pair)?.estimate ?? 1) > 1 + EQUIVALENCE;
}

/** @param {Comparison} pair */
function leadIn(pair) {
  return upright(pair)?.estimate ?? Number.POSITIVE_INFINITY;
}

/** @param {Comparison} pair @returns {number} how far apart the two may be, as a ratio of at least 1 */
function apart({ ratio }) {
  return ratio ? Math.max(ratio.high, 1 / ratio.low) : 0;
}
