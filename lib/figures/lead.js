import { EQUIVALENCE } from '../judge/method.js';
import { upright, winnerOf } from './compare.js';

/** @import { Comparison, Why } from '../types.d.ts' */

/**
 * Who leads among systems that may be compared: of their comparisons the one that tells it, and of how many it is.
 * Its ratio is at least 1: that by which the winner leads the nearest one that it beats; of an inconclusive question the widest one.
 * @typedef {Comparison & Ranking} Lead
 *
 * @typedef {object} Ranking
 * @property {string[]} systems that were compared with each other
 * @property {string | null} winner of `winner` and `at least`; of `too few` who did better
 * @property {string[]} beaten by it; all others, or only some
 * @property {(Comparison & {system: string})[]} [best] the winner, and who beats the same systems, each by the nearest one; none is beaten
 * @property {{system: string, why: Why[]}[]} [unranked] whose figure may be compared with nobody's, where others' may;
 *   absent: nobody
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
  return setsOf(systems, rivals).map((own) => leadOf(own, among(rivals, own)));
}

/** @param {Comparison[]} pairs @param {string[]} systems @returns {Comparison[]} of these alone */
function among(pairs, systems) {
  return pairs.filter(({ a, b }) => systems.includes(a) && systems.includes(b));
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
 * @param {string[]} all
 * @param {Comparison[]} pairs of all of them
 * @returns {Lead}
 */
function leadOf(all, pairs) {
  const barred = all.flatMap((system) => {
    const own = pairs.filter(({ a, b }) => [a, b].includes(system));
    return own.every(({ outcome }) => outcome === 'not comparable') ? [{ system, why: own[0].why }] : [];
  });
  // Where too few would be left the two are told in one line.
  const unranked = all.length - barred.length > 1 ? barred : [];
  const systems = all.filter((id) => !unranked.some(({ system }) => system === id));
  return { ...bestOf(systems, among(pairs, systems)), ...(unranked.length > 0 ? { unranked } : {}) };
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
    const some = pairs.filter((p) => p.outcome === outcome).map(upright);
    if (some.length === 0) continue;
    const far = some.filter((p) => outcome === 'too few' && leadIn(p) > 1 + EQUIVALENCE);
    const ahead = firstOf(systems, far);
    if (ahead) return { ...ahead, best: [] };
    const widest = some.reduce((x, y) => (apart(y) > apart(x) ? y : x));
    return { ...widest, systems, winner: outcome === 'too few' ? betterIn(widest) : null, beaten: [] };
  }
  return { ...upright(pairs[0]), systems, winner: null, beaten: [] };
}

/**
 * @param {string[]} systems
 * @param {Comparison[]} pairs in each of which one is better
 * @returns {Lead | null} of who beats most of the others, by its nearest one; null where nobody beats anybody
 */
function firstOf(systems, pairs) {
  const all = systems.map((system) => {
    const won = pairs.filter((p) => betterIn(p) === system).map(upright);
    const [nearest] = [...won].sort((x, y) => leadIn(x) - leadIn(y));
    return { ...nearest, system, beaten: won.map((p) => (p.a === system ? p.b : p.a)) };
  });
  const [first] = all.sort((x, y) => y.beaten.length - x.beaten.length);
  if (first.beaten.length === 0) return null;
  const best = all.filter(({ beaten }) => first.beaten.every((loser) => beaten.includes(loser)));
  return { ...first, systems, winner: first.system, best };
}

/** @param {Comparison} pair @returns {string} */
function betterIn({ a, b, better }) {
  return better === 'b' ? b : a;
}

/** @param {Comparison} pair upright @returns {number} */
function leadIn({ ratio }) {
  return ratio?.estimate ?? Number.POSITIVE_INFINITY;
}

/** @param {Comparison} pair @returns {number} how far apart the two may be, as a ratio of at least 1 */
function apart({ ratio }) {
  return ratio ? Math.max(ratio.high, 1 / ratio.low) : 0;
}

/**
 * @param {string[]} systems that may win
 * @param {Comparison[]} pairs of them
 * @returns {Omit<import('../types.d.ts').IndexedMetric, 'figures'>} who wins, or why nobody does; `others`: who was compared
 *   with them: who promises something else is no rival, and lost to nobody
 */
export function outcomeOf(systems, pairs) {
  const leads = leadsOf(systems, pairs);
  const won = leads.filter(({ best = [] }) => best.length > 0);
  const winners = won.flatMap(({ best = [] }) => best.map(({ system }) => system));
  const [told = leads[0]] = ['winner', 'at least', 'tie'].flatMap((of) =>
    leads.filter(({ outcome }) => outcome === of),
  );
  const alike = won.length > 0 ? won : leads.filter(({ outcome }) => outcome === told.outcome);
  const compared = alike.length > 0 ? alike.flatMap((lead) => lead.systems) : systems;
  const refused = pairs.find(({ outcome }) => outcome === 'not comparable');
  const decided = pairs.filter((pair) => winners.includes(String(winnerOf(pair))));
  const ratios = decided.flatMap((pair) => upright(pair).ratio ?? []);
  const spanOf = (/** @type {'estimate' | 'low'} */ from, /** @type {'estimate' | 'high'} */ to) =>
    ratios.length > 0 ? [Math.min(...ratios.map((r) => r[from])), Math.max(...ratios.map((r) => r[to]))] : [];
  return {
    outcome: (told ?? refused)?.outcome ?? 'not compared',
    winners,
    ...{ factors: spanOf('estimate', 'estimate'), interval: spanOf('low', 'high') },
    others: compared.filter((id) => !winners.includes(id)),
  };
}
