import { productIds } from '../../../config/peers.js';
import { fromPods } from '../../../record/who-loads.js';
import { peersIn, profileWord } from '../../declared.js';
import { counted } from '../../words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 */

/** Systems whose names a sentence takes. */
const NAMED = 4;

/**
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string[]} Markdown: who has no figure at all, and where it is said why
 */
export function absentAnswers(plan, rows) {
  const failed = plan.systems.flatMap((s) => {
    const own = s.role === 'system' ? rows.filter((r) => r.system === s.id) : [];
    return own.length > 0 && own.every((r) => r.status === 'FAILED')
      ? [`**${s.title} has no figure**: ${own[0].failure}.`]
      : [];
  });
  const absent = plan.absent.flatMap(({ system, title = system }) => title ?? []);
  const names = absent.length > NAMED ? counted(absent.length, 'more system') : absent.join(', ');
  return [
    ...failed,
    ...(absent.length > 0 ? [`Not measured: ${names} ([why](#what-this-run-does-not-show)).`] : []),
  ];
}

/**
 * @param {Plan} plan
 * @returns {string[]} Markdown, where several systems are compared: who was never measured, and how that is done
 */
export function neverMeasured(plan) {
  const peers = productIds(plan).size > 1 ? peersIn(plan) : [];
  if (peers.length === 0) return [];
  const names = peers.map(({ title }) => title).join(', ');
  return [`No figure yet of ${names}: \`--systems ${peers.map(({ id }) => id).join(',')}\`.`];
}

/**
 * @param {Plan} plan
 * @returns {string[]} Markdown: with whom a system that was measured alone could be compared, and how
 */
export function peerAnswers(plan) {
  const peers = peersIn(plan);
  if (peers.length === 0 || productIds(plan).size > 1) return [];
  const own = plan.systems.filter((s) => s.role === 'system').map((s) => s.id);
  const names = peers.map(({ title }) => title).join(', ');
  const ids = [...own, ...peers.map(({ id }) => id)].join(',');
  // Pods load what has an address, and nothing is started for them.
  if (fromPods(plan.options))
    return [`Compared with nobody: \`--endpoint system=URL\` for each measures more: ${names}.`];
  return [
    `Compared with nobody: \`./run-all.sh ${plan.options.again?.profile ?? profileWord(plan)} --systems ${ids}\` measures ${names} beside it.`,
  ];
}
