import { productIds } from '../../../config/peers.js';
import { groupBy } from '../../../group-by.js';
import { fromPods } from '../../../record/who-loads.js';
import { peersIn, profileWord } from '../../declared.js';
import { sentenceBeside } from '../../template.js';
import { errorRatio } from '../../words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 */

const sentence = sentenceBeside(import.meta.url, 'others.hbs');

/** Names of failures in a sentence. */
const NAMED = 2;

/**
 * A system that fails is a result, and stands before whatever it completed.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string[]} Markdown: each system of which more failed than is tolerated, by its worst load; who has no figure at all
 */
export function failedAnswers(plan, rows) {
  const failing = rows.filter((r) => r.codes.includes('errors') && r.tried.failed > 0);
  const failed = groupBy(failing, (r) => r.system).map((own) => {
    const [worst] = own.sort((a, b) => errorRatio(b) - errorRatio(a));
    const kinds = worst.tried.kinds.slice(0, NAMED).map(([kind]) => kind.replaceAll('`', "'"));
    return sentence(plan, { of: 'failing', ...worst, share: errorRatio(worst), kinds });
  });
  const without = groupBy(rows, (r) => r.system).filter(
    (own) =>
      own.every((r) => r.status === 'FAILED') &&
      plan.systems.some((s) => s.id === own[0].system && s.role === 'system'),
  );
  return [...failed, ...without.map(([row]) => sentence(plan, { of: 'nothing', ...row }))];
}

/**
 * @param {Plan} plan
 * @returns {{names: string[], ids: string[]} | null} where several systems are compared, who was never measured
 */
export function neverMeasured(plan) {
  const peers = productIds(plan).size > 1 ? peersIn(plan) : [];
  return peers.length === 0 ? null : { names: peers.map((p) => p.title), ids: peers.map((p) => p.id) };
}

/**
 * @param {Plan} plan
 * @returns {string[]} Markdown: with whom a system that was measured alone could be compared, and how
 */
export function peerAnswers(plan) {
  const peers = peersIn(plan);
  if (peers.length === 0 || productIds(plan).size > 1) return [];
  const own = plan.systems.filter((s) => s.role === 'system').map((s) => s.id);
  return [
    sentence(plan, {
      ...{ of: 'peers', names: peers.map((p) => p.title), ids: [...own, ...peers.map((p) => p.id)] },
      // Pods load what has an address, and nothing is started for them.
      addressed: fromPods(plan.options),
      profile: profileWord(plan),
    }),
  ];
}
