import { FAULTS, faultText } from '../../../config/faults.js';
import { NO_START } from '../../../figures/recoveries.js';
import { groupBy } from '../../../group-by.js';
import { leadsText } from '../../matrix/lead-words.js';
import { versionOf } from '../../systems.js';
import { phrase, templateBeside } from '../../template.js';
import { policyOf } from '../../words.js';

/**
 * @import { Lead } from '../../../figures/lead.js'
 * @import { FaultFigures } from '../../../figures/recoveries.js'
 * @import { Kill } from '../../../figures/recoveries.js'
 * @import { Run } from '../../run.js'
 * @import { Plan } from '../../../types.d.ts'
 */

const bySystem = templateBeside(import.meta.url, 'by-system.hbs');
const byFault = templateBeside(import.meta.url, 'by-fault.hbs');

/** @typedef {{kind: 'nothing' | 'all' | 'some', most: {saturated: boolean, share: number} | null} | null} Extent null: not tested */

/**
 * What `kill -9` and a power cut took: systems with one fate in one sentence.
 * @param {Kill[]} all
 * @returns {string[]} Markdown
 */
export function durabilityAnswers(all) {
  const ofSystems = (/** @type {Kill[]} */ kills) => groupBy(kills, (k) => k.system);
  const wrong = ofSystems(all.filter((k) => k.inconsistent !== null)).map(([kill]) =>
    phrase('killAnswer', { ...kill, kind: 'inconsistent', names: [kill.title] }),
  );
  const fates = ofSystems(all.filter((k) => k.failure === null)).map((kills) => ({
    ...{ title: kills[0].title, acked: kills.reduce((n, k) => n + k.acked, 0) },
    ...byEnd(kills, extentOf),
  }));
  // Who lost nothing at all is a choice, and who lost all is a warning.
  const failed = all.filter((k) => k.failure !== null);
  const rankOf = (/** @type {typeof fates[0]} */ { title, killed, cut }) => {
    const [kind = 'nothing', ...others] = new Set([killed, cut].flatMap((extent) => extent?.kind ?? []));
    const isWhole = others.length === 0 && !failed.some((k) => k.title === title);
    return isWhole ? ['nothing', 'all', 'some'].indexOf(kind) : 2;
  };
  const ordered = fates.sort((a, b) => rankOf(a) - rankOf(b));
  const told = groupBy(ordered, ({ killed, cut }) => JSON.stringify([killed, cut])).map((own) => {
    const [{ killed, cut }] = own;
    return phrase('killAnswer', {
      ...{ kind: 'lost', killed, cut, names: own.map(({ title }) => title) },
      acked: own.reduce((n, { acked }) => n + acked, 0),
      // Both ends took the same: one word is enough.
      both: killed !== null && cut !== null && killed.kind !== 'some' && killed.kind === cut.kind,
    });
  });
  const unjudged = groupBy(failed, (k) => `${k.system}\n${k.step.powerLoss}\n${k.failure}`).map((own) =>
    phrase('killAnswer', { ...own[0], kind: 'failed', names: [own[0].title], loads: own.length }),
  );
  return [...wrong, ...unjudged, ...told];
}

/**
 * @template T
 * @param {Kill[]} kills of one system
 * @param {(kills: Kill[]) => T} of by one kind of end
 * @returns {{killed: T, cut: T}}
 */
function byEnd(kills, of) {
  const [cut, killed] = [true, false].map((is) => of(kills.filter((k) => Boolean(k.step.powerLoss) === is)));
  return { killed, cut };
}

/** @param {Kill[]} kills of one system by one kind of end @returns {Extent} */
function extentOf(kills) {
  if (kills.length === 0) return null;
  if (kills.every((k) => k.lost === 0)) return { kind: 'nothing', most: null };
  if (kills.every((k) => k.worstRatio === 1 && k.lostRatio === 1)) return { kind: 'all', most: null };
  const [worst] = [...kills].sort((x, y) => y.worstRatio - x.worstRatio);
  return { kind: 'some', most: { saturated: worst.step.model === 'closed', share: worst.worstRatio } };
}

/**
 * What each system lost at worst: a line for all with one promise of which the table says the same.
 * @param {Pick<Run, 'plan' | 'kills'>} run
 * @returns {import('../../template.js').Written}
 */
export function lossTable({ plan, kills }) {
  const systems = lossesOf(kills).map(({ own, title, killed, cut }) => ({
    ...{ title, killed: phrase('worstText', killed), cut: phrase('worstText', cut) },
    policies: [...new Set(own.map((k) => policyOf(plan, k)))],
  }));
  const rows = groupBy(systems, ({ title: _title, ...shown }) => JSON.stringify(shown));
  return bySystem(plan, { power: kills.some((k) => k.step.powerLoss), rows });
}

/** @param {Kill[]} kills @returns of each system the most that it lost, by a kill and by a power cut */
export function lossesOf(kills) {
  return groupBy(kills, (k) => k.system).map((own) => ({
    ...{ own, system: own[0].system, title: own[0].title },
    ...byEnd(own, worstOf),
  }));
}

/**
 * @param {Pick<Run, 'plan' | 'records' | 'kills'>} run
 * @returns {import('../../../types.d.ts').IndexedLoss[]} of each system that was killed
 */
export function indexedLosses(run) {
  return lossesOf(run.kills).flatMap(({ system: id, killed, cut }) => {
    const isKnown = run.plan.systems.some((s) => s.id === id);
    return isKnown ? [{ system: id, version: versionOf(run, id), killed, cut }] : [];
  });
}

/**
 * @param {Kill[]} kills of one system by one kind of end
 * @returns {import('../../../types.d.ts').IndexedLoss['killed']} the most that it lost on any load
 */
function worstOf(kills) {
  const usable = kills.filter((k) => k.failure === null);
  const worst = Math.max(0, ...usable.map((k) => k.worstRatio));
  return {
    ...{ tested: kills.length > 0, any: usable.length > 0, worst, loads: kills.length },
    starts: !kills.every((k) => k.failure?.includes(NO_START)),
    all: worst === 1 && usable.every((k) => k.lostRatio === 1),
    failed: kills.length - usable.length,
  };
}

/** @param {FaultFigures[]} own @returns {string[]} each once */
function titlesOf(own) {
  return [...new Set(own.map((f) => f.title))];
}

/**
 * @param {FaultFigures[]} own
 * @param {(fault: FaultFigures) => number} of
 * @returns {FaultFigures | null} null where all have none of it
 */
function largest(own, of) {
  const [most] = [...own].sort((a, b) => of(b) - of(a));
  return most && of(most) > 0 ? most : null;
}

/** @param {FaultFigures} fault @returns {boolean} whether it was not as before in most of its repeats */
function isLate({ notRestored, usable }) {
  return 2 * notRestored > usable;
}

/** Who loses less than this is not named in one breath with who loses more. */
const FEW = 0.01;

/**
 * What the faults cost in sum; how long each was away is told by the table.
 * @param {FaultFigures[]} faults
 * @returns {string[]} Markdown: who lost what it had acknowledged, and who was not as before
 */
export function faultAnswers(faults) {
  const usable = faults.filter((f) => f.failure === null);
  if (usable.length === 0) return [];
  const shareOf = (/** @type {FaultFigures} */ f) => f.lost / f.acked;
  const losers = usable.filter((f) => f.lost > 0).sort((x, y) => shareOf(y) - shareOf(x));
  const twice = usable.filter((f) => f.twice > 0);
  const guilty = new Set([...losers, ...twice].map((f) => f.title));
  const innocent = usable.filter((f) => !guilty.has(f.title));
  const sum = (/** @type {FaultFigures[]} */ own, /** @type {'twice' | 'acked'} */ key) =>
    own.reduce((n, f) => n + f[key], 0);
  const told = [
    ...groupBy(losers, (f) => `${f.kind}\n${f.lost === f.acked}\n${shareOf(f) < FEW}`).map((own) => {
      return { of: 'lost', own, share: Math.max(...own.map(shareOf)), several: own.length > 1 };
    }),
    ...groupBy(twice, (f) => String(f.kind)).map((own) => ({ of: 'twice', own, writes: sum(own, 'twice') })),
    ...(innocent.length > 0 ? [{ of: 'kept', own: innocent, acked: sum(innocent, 'acked') }] : []),
    ...groupBy(usable.filter(isLate), (f) => String(f.kind)).map((own) => ({ of: 'late', own })),
  ];
  return told.map(({ own, ...fields }) =>
    phrase('faultAnswer', { ...fields, ...FAULTS[own[0].kind ?? 'kill'].words, names: titlesOf(own) }),
  );
}

/**
 * What each fault cost at worst, and whom: what it cost each system has its chapter.
 * @param {Pick<Run, 'plan' | 'faults' | 'matrices'>} run
 * @returns {import('../../template.js').Written}
 */
export function faultTable({ plan, faults, matrices }) {
  const usable = faults.filter((f) => f.failure === null);
  const questions = matrices.flatMap((m) => m.questions);
  return byFault(plan, {
    rows: groupBy(usable, (f) => String(f.kind)).map((own) => {
      const lostOf = (/** @type {FaultFigures} */ f) => f.lost / Math.max(1, f.acked);
      const lost = largest(own, lostOf);
      const slowest = largest(own, (f) => f.restoredMs?.median ?? 0);
      const leads = questions
        .filter(({ load }) => load?.title === faultText(own[0].step))
        .flatMap((question) => question.leads);
      const isWon = (/** @type {Lead} */ { outcome }) => outcome === 'winner';
      return {
        won: leads.filter(isWon).map((lead) => leadsText(plan, [lead], lead.systems.length)),
        // Each once, whatever the workload.
        others: [...new Set(leads.flatMap((lead) => (isWon(lead) ? [] : lead.outcome)))],
        fault: faultText(own[0].step),
        lost: lost && { share: lostOf(lost), names: titlesOf(own.filter((f) => lostOf(f) === lostOf(lost))) },
        slowest,
        late: titlesOf(own.filter(isLate)),
      };
    }),
  });
}
