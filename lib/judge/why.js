import { significant, wholeNumber } from '../format.js';
import { RULES } from './rules.js';
import { shortReason } from './verdict.js';

/** @import { ReasonCode, Why } from '../types.d.ts' */

/**
 * Why two were not compared, or are not ranked, beside the reasons of a verdict.
 * @type {Readonly<Record<string, (why: Why) => string>>}
 */
const TEXTS = Object.freeze({
  unlike: unlikeText,
  listed: ({ a, b }) =>
    `answers list all that is stored, and that is ${wholeNumber(Number(a))} ≠ ${wholeNumber(Number(b))}`,
  no_trial: () => 'no repeat has both figures',
  no_figure: ({ key }) => key ?? 'no figure in both',
  no_reference: () => 'no server that does nothing was measured at this rate',
  at_floor: ({ ms }) =>
    `too fast to compare here: a server that does nothing already takes ${significant(ms)} ms at this rate`,
  sent_late: ({ ms }) =>
    `too fast to compare here: the load itself was sent up to ${significant(ms)} ms late (p99)`,
  noise_ahead: () => 'the noise check of this run failed',
  noise_untested: () => 'the noise check has too few samples',
  spins_when_idle: () => 'one of them takes CPU without any load',
  loaded_otherwise: () => 'loaded in turns in one run, at the same moment in the other',
});

/** @param {Why} why @returns {string} plain words */
export function whyText(why) {
  if (Object.hasOwn(TEXTS, why.code)) return TEXTS[why.code](why);
  if (isReason(why.code))
    return RULES[why.code].bound ? 'may be limited by the load generator' : shortReason(why.code);
  return why.code.replaceAll('_', ' ');
}

/** @param {readonly Why[]} whys @returns {string} the gravest of them in plain words */
export function gravestText(whys) {
  const worst = whys.find(({ code }) => !(isReason(code) && RULES[code].bound)) ?? whys[0];
  return worst === undefined ? 'not comparable' : whyText(worst);
}

/** @param {readonly ReasonCode[]} codes @returns {string} */
export function reasonText(codes) {
  return gravestText(codes.map((code) => ({ code })));
}

/** @param {string} code @returns {code is ReasonCode} */
function isReason(code) {
  return Object.hasOwn(RULES, code);
}

/** Where an acknowledged write is, by what a manifest calls it. @type {Readonly<Record<string, string>>} */
const PROMISES = Object.freeze({
  none: 'memory only',
  'page-cache': 'OS cache',
  'fsync-interval': 'synced at intervals',
  'fsync-per-commit': 'synced before each reply',
  fsync: 'synced before each reply',
});

/** @param {string} policy @returns {string} plain words */
export function durabilityText(policy) {
  return PROMISES[policy] ?? 'not known';
}

/** @param {Why} why */
function unlikeText({ key = '', a, b }) {
  const name = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const wordOf = key === 'durability' ? durabilityText : String;
  if (a !== undefined && b !== undefined)
    return `different ${name} (${wordOf(String(a ?? 'none'))}, ${wordOf(String(b ?? 'none'))})`;
  return key === 'durability'
    ? 'what an acknowledgement means is not known of all'
    : `${name} is not known of both`;
}
