import { figureText, percent, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { shapeText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { counted, listed, policyOf } from '../../words.js';

/**
 * @import { Kill } from '../../../record/recoveries.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const POWER_LOSS =
  'Loss of power: the data lies on a file system (FUSE) that keeps in memory what was not synced by `fsync`, `fdatasync`, `msync` or `O_SYNC`; the system is killed, and all of that is dropped. It is the most that a power cut may take: a real disk has mostly been written to by itself some seconds later. Throughput on that file system is none of the disk.';

/**
 * Acknowledged against recovered, by system and load: all repeats together, and the worst of them.
 * @param {Pick<Run, 'plan' | 'kills'>} run
 * @returns {Section | null} null where nothing was killed
 */
export function section({ plan, kills }) {
  if (kills.length === 0) return null;
  const power = kills.some(losesPower);
  return {
    title: power ? 'Durability: killed, and without power, under load' : 'Durability: killed under load',
    intro: [
      'Each system is killed (SIGKILL) under load and restarted on the same data. Acknowledged: answered as done before the kill. Lost: acknowledged and not there afterwards. The counts of all repeats are added up; "worst" is the largest share of one repeat. The page cache of the host survives a kill of a process, so this is no test of a power cut.',
      ...(power ? [POWER_LOSS] : []),
    ],
    tables: [
      table(kills, [
        left('system', (k) => k.title),
        left('workload', (k) => k.workload),
        left('transport', (k) => k.transport),
        ...faultColumn(kills),
        left('load', (k) => killLoadText(plan, k)),
        left('declared policy', (k) => policyOf(plan, k)),
        right('repeats', (k) => k.usable),
        of('acknowledged, op/s', (k) => figureText(k.ackedPerSec)),
        of('acknowledged', (k) => wholeNumber(k.acked)),
        of('recovered', (k) => wholeNumber(k.recovered)),
        of('lost', (k) => wholeNumber(k.lost)),
        of('lost, share', (k) => percent(k.lostRatio)),
        of('worst', (k) => percent(k.worstRatio)),
        of('unanswered', (k) => wholeNumber(k.indeterminate)),
        of('restart, ms', (k) => figureText(k.restartMs)),
      ]),
    ],
  };
}

/**
 * @param {string} head
 * @param {(kill: Kill) => string | number} text
 * @returns {import('../../table.js').Column<Kill>} of the usable repeats; why there is none
 */
function of(head, text) {
  return right(head, (kill) => (kill.failure === null ? text(kill) : `n/a: ${kill.failure}`));
}

/** @param {Pick<Kill, 'step'>} kill */
function losesPower({ step }) {
  return step.powerLoss === true;
}

/**
 * @param {Kill[]} kills
 * @returns {import('../../table.js').Column<Kill>[]} none where all of them are of one kind
 */
export function faultColumn(kills) {
  return kills.some(losesPower) ? [left('fault', (k) => (losesPower(k) ? 'loss of power' : 'kill'))] : [];
}

/**
 * @param {Plan} plan
 * @param {Pick<Kill, 'step'>} kill
 */
export function killLoadText(plan, { step }) {
  const users = shapeText(plan, step);
  return step.model === 'closed' ? `saturated, ${users}` : `paced, ${step.ratePerSec} op/s, ${users}`;
}

/**
 * What each kind of fault cost: systems that lost nothing in one sentence, those that lost all in one, each other one alone.
 * @param {Kill[]} all
 * @returns {string[]} Markdown
 */
export function durabilityAnswers(all) {
  const inconsistent = groupBy(all, (k) => k.system).flatMap((kills) => {
    const wrong = kills.find((k) => k.inconsistent !== null)?.inconsistent;
    const [{ title }] = kills;
    return wrong
      ? [`**${title} was not consistent** after it was killed under load and started again: ${wrong}.`]
      : [];
  });
  const fates = groupBy(
    all.filter((k) => k.failure === null),
    (k) => k.system,
  ).map((own) => ({ killed: own.filter((k) => !losesPower(k)), cut: own.filter(losesPower) }));
  const isBoth = (/** @type {Fate} */ { killed, cut }) => killed.length > 0 && cut.length > 0;
  const single = fates.filter((fate) => !isBoth(fate));
  return [
    ...inconsistent,
    ...lostByBoth(fates.filter(isBoth)),
    ...lostBy(single.flatMap(({ killed }) => killed)),
    ...lostBy(single.flatMap(({ cut }) => cut)).map((text) => `At a loss of power ${text}`),
    ...failedBy(all),
  ];
}

/**
 * @typedef {object} Fate of one system
 * @property {Kill[]} killed
 * @property {Kill[]} cut without power
 */

/**
 * @param {Fate[]} fates
 * @returns {string[]} Markdown, one sentence for all to whom both faults did the same
 */
function lostByBoth(fates) {
  const said = groupBy(fates, ({ killed, cut }) => `${extentOf(killed)}\n${extentOf(cut)}`);
  return said.map((own) => {
    const [{ killed, cut }] = own;
    const names = listed(own.map((fate) => `**${fate.killed[0].title}**`));
    const extent = extentOf(killed);
    if (extent !== extentOf(cut) || !WHOLE.has(extent))
      return `${names} lost, by a kill, ${shareLost(killed)}; by a loss of power, ${shareLost(cut)}.`;
    const all = own.flatMap((fate) => [...fate.killed, ...fate.cut]);
    return `${names} lost ${extent} of what ${own.length > 1 ? 'they' : 'it'} acknowledged, killed or without power (${ackedBy(all)} writes).`;
  });
}

/** What needs no figure. */
const WHOLE = new Set(['nothing', 'all']);

/**
 * @param {Kill[]} kills of one system by one kind of fault
 * @returns {string} `nothing`, `all`, or the system's name: what it lost is its own
 */
function extentOf(kills) {
  return isWhole(kills) ? 'all' : isNothing(kills) ? 'nothing' : kills[0].system;
}

/**
 * @param {Kill[]} all
 * @returns {string[]} Markdown: who could not be judged after one kind of fault, and why
 */
function failedBy(all) {
  const failed = all.flatMap((k) => (k.failure === null ? [] : [{ ...k, failure: k.failure }]));
  return groupBy(failed, (k) => `${k.system}\n${losesPower(k)}\n${k.failure}`).map((own) => {
    const [kill] = own;
    const kind = losesPower(kill) ? 'a loss of power' : 'a kill';
    return `**${kill.title}** has no figure after ${kind} (${counted(own.length, 'load')}): ${kill.failure.replace(/^failed: /, '')}.`;
  });
}

/**
 * @param {Kill[]} kills usable ones, by one kind of fault
 * @returns {string[]} Markdown
 */
function lostBy(kills) {
  const own = groupBy(kills, (k) => k.system);
  const said = groupBy(own, extentOf);
  return said.map((systems) => {
    const names = systems.map(([{ title }]) => `**${title}**`);
    if (systems.length === 1) return `${names[0]} lost ${lossText(systems[0])}.`;
    return `${listed(names)} lost ${extentOf(systems[0])} of what they acknowledged (${ackedBy(systems.flat())} writes).`;
  });
}

/** @param {Kill[]} kills */
function isNothing(kills) {
  return kills.every((k) => k.lost === 0);
}

/** @param {Kill[]} kills */
function isWhole(kills) {
  return kills.every((k) => k.worstRatio === 1 && k.lostRatio === 1);
}

/**
 * @param {Kill[]} kills of one system, usable ones
 * @returns {string} `nothing of 205 195 acknowledged writes`, `up to 76 % … when saturated, nothing when paced`
 */
function lossText(kills) {
  const extent = extentOf(kills);
  return WHOLE.has(extent)
    ? `${extent} of ${ackedBy(kills)} acknowledged writes`
    : `acknowledged writes: ${shareLost(kills)}`;
}

/** @param {Kill[]} kills @returns {string} how many writes were acknowledged before all of them */
function ackedBy(kills) {
  return wholeNumber(kills.reduce((n, k) => n + k.acked, 0));
}

/**
 * @param {Kill[]} kills of one system by one kind of fault, usable ones
 * @returns {string} `nothing`, `all`, `up to 8.3 % when paced, up to 14 % when saturated`
 */
function shareLost(kills) {
  if (WHOLE.has(extentOf(kills))) return extentOf(kills);
  const parts = groupBy(kills, (k) => (k.step.model === 'closed' ? 'saturated' : 'paced')).map((own) => {
    const how = own[0].step.model === 'closed' ? 'when saturated' : 'when paced';
    const share = Math.max(...own.map((k) => k.worstRatio));
    return share === 0 ? `nothing ${how}` : `${share === 1 ? 'all' : `up to ${percent(share)}`} ${how}`;
  });
  return parts.join(', ');
}
