import { durabilityOf, UNKNOWN_DURABILITY } from '../config/durability.js';
import { pairedTrials } from '../config/trials.js';
import { groupBy } from '../group-by.js';
import { EQUIVALENCE, FULL } from '../judge/method.js';
import { sideName } from '../record/starts.js';
import { FIRST_LOOK, LAST_LOOK } from '../stats/interval.js';
import { medianOfKnown } from '../stats/summary.js';
import { compareTrials, refused } from './compare.js';
import { asTrusted } from './comparisons.js';
import { figureOf } from './figure.js';
import { TOGETHER } from './rows.js';

/** @import { Figure } from './figure.js' */
/** @import { Comparison, Plan, PairedTrial, SideBySidePlan, StartRecord } from '../types.d.ts' */

/**
 * What an acknowledgement means may depend on the version, which is known once a system has run.
 * @param {PairedTrial} group
 * @param {Plan['systems']} systems
 * @param {StartRecord[]} starts of the group
 * @returns {PairedTrial} without pairs of different products whose versions promise unlike things over its transport;
 *   with none of them, nobody needs to be held against itself either
 */
export function asPromised(group, systems, starts) {
  if (!starts.some((s) => s.status === 'ok')) return group;
  const promiseOf = (/** @type {string} */ id) => {
    const system = systems.find((s) => s.id === id);
    const version =
      starts.flatMap((s) => s.systems).find((x) => x.system === id && x.version)?.version ?? null;
    return system && durabilityOf(system, { version, transport: group.transport }).policy;
  };
  const pairs = group.pairs.filter(
    ({ a, b, kind }) =>
      kind !== 'rivals' || (promiseOf(a) === promiseOf(b) && promiseOf(a) !== UNKNOWN_DURABILITY.policy),
  );
  return { ...group, pairs: pairs.some(({ kind }) => kind !== 'same') ? pairs : [] };
}

/**
 * Every comparison of a group by CPU efficiency, over the starts so far.
 * @param {PairedTrial} group
 * @param {StartRecord[]} starts of the group
 * @returns {Comparison[]} in the order of the pairs, then of the cells
 */
export function comparisonsOfStarts(group, starts) {
  return group.pairs.flatMap(({ a, b, kind, cells }) =>
    cells.map((cell) => {
      const slices = starts
        .filter((s) => s.status === 'ok' && rightAnswers(s, a, b))
        .flatMap((s) => s.pairs.filter((p) => p.cell === cell && p.a === a && p.b === b));
      const head = {
        ...{ a, b, kind, cell, load: loadOfCell(group, cell), paired: true },
        metric: /** @type {const} */ ('efficiency'),
        medians: {
          a: medianOfKnown(slices.map((s) => s.operationsPerCpuSec.a)),
          b: medianOfKnown(slices.map((s) => s.operationsPerCpuSec.b)),
        },
      };
      // Two of one system spin alike.
      if (a !== b && [a, b].some((system) => spins(starts, system))) return refused(head, [{ code: SPINS }]);
      const counted = slices.flatMap(({ logRatio }) => (logRatio === null ? [] : [logRatio]));
      if (counted.length > 0) return compareTrials(head, counted);
      const codes = slices.flatMap(({ verdict }) => [...new Set(verdict.reasons.map((r) => r.code))]);
      const why = groupBy(codes, String).map((same) => ({ code: same[0], n: same.length }));
      return refused(
        head,
        why.sort((x, y) => y.n - x.n),
      );
    }),
  );
}

/**
 * @param {PairedTrial} group
 * @param {string} id of a cell
 * @returns {Comparison['load']} the same load as that of repeats of its step
 */
function loadOfCell({ workload, transport, cells }, id) {
  const cell = cells.find((c) => c.id === id);
  if (!cell) return null;
  return { workload, transport, step: cell.stepId, operation: operationOf(cell) };
}

/** @param {import('../types.d.ts').SideBySideCell} cell @returns {string} of the row that holds its figures */
export function operationOf({ operation, parts }) {
  return parts.length > 1 ? TOGETHER : operation;
}

/** Why two systems are not compared by their CPU: one of them uses it up without any load. */
const SPINS = 'spins_when_idle';

/**
 * Whether a system takes so much CPU without any load that what it took under load is no cost of its operations.
 * @param {StartRecord[]} starts
 * @param {string} id
 * @returns {boolean} in most of them: one start may have been looked at while it still came up
 */
function spins(starts, id) {
  const known = starts.flatMap((s) => s.systems.flatMap((x) => (x.system === id ? (x.idleCores ?? []) : [])));
  return known.filter((cores) => cores >= FULL.idleCores).length * 2 > known.length;
}

/** @param {Comparison} comparison @returns {boolean} whether more starts may decide it */
export function isOpen(comparison) {
  return !isDecided(comparison) && !comparison.why.some(({ code }) => code === SPINS);
}

/** @param {Comparison} comparison @returns {boolean} whether the interval is enough to say who wins, or that nobody does */
export function isDecided({ outcome }) {
  return outcome === 'winner' || outcome === 'tie';
}

/** @param {Comparison} comparison @returns {boolean} whether its interval reaches at most as far as a tie does */
function isNarrow({ ratio }) {
  return ratio !== null && Math.log(ratio.high / ratio.low) / 2 <= Math.log(1 + EQUIVALENCE);
}

/**
 * @param {PairedTrial} group
 * @param {StartRecord[]} starts of it so far
 * @returns {Comparison[][]} those that another start is for, what is wanted most first: it may decide them or, of a
 *   headline, tell by how much; then of all others, too
 */
function wants(group, starts) {
  const comparisons = comparisonsOfStarts(group, starts);
  const wide = comparisons.filter((c) => isOfTwo(c) && isDecided(c) && !isNarrow(c));
  const ofHeadline = wide.filter((c) => group.headline?.includes(String(c.cell)));
  const first = comparisons.filter((c) => isOpen(c) || ofHeadline.includes(c));
  return [first, wide.filter((c) => !ofHeadline.includes(c))];
}

/**
 * @param {Pick<SideBySidePlan, 'untilDecided'>} plan
 * @param {PairedTrial} group
 * @param {StartRecord[]} starts of it so far
 * @returns {Comparison[]} those that the next start loads
 */
export function wantedOf({ untilDecided }, group, starts) {
  const [first, rest] = wants(group, starts);
  return first.length === 0 && untilDecided ? rest : first;
}

/**
 * @param {Pick<SideBySidePlan, 'maxStarts' | 'untilDecided'>} plan
 * @param {PairedTrial} group
 * @param {StartRecord[]} own starts of the group so far
 * @returns {boolean} whether there is nothing more to measure of it
 */
export function isOver(plan, group, own) {
  const { maxStarts, untilDecided } = plan;
  // A system that does not come up three times will not at the fourth.
  if (own.length >= 3 && own.slice(-3).every((r) => r.status !== 'ok')) return true;
  // A slice that did not count moves a look to a later start: that is the last one then, whichever it is.
  if (own.length >= FIRST_LOOK) {
    const wanted = wantedOf(plan, group, own);
    const isLast = own.length >= LAST_LOOK && !untilDecided;
    if (!wanted.some(isOpen) && (wanted.length === 0 || isLast)) return true;
  }
  return !untilDecided && own.length >= maxStarts;
}

/**
 * Each group has its ordinary starts before one of them has more until it is decided, and then the one with the fewest
 * is next: what stays open takes no time from the others, and what is decided but wide takes none from what is open.
 * @param {Plan} plan
 * @param {StartRecord[]} starts of the run so far
 * @param {boolean} late whether the time for them is over: who has none yet has one all the same
 * @returns {{index: number, group: PairedTrial, own: StartRecord[]} | null} the group that is started next, as its systems
 *   promise, and its starts so far; null when there is nothing more to measure
 */
export function nextPaired(plan, starts, late) {
  const until = /** @type {SideBySidePlan} */ (plan.sideBySide);
  const left = inTurn(plan, starts).filter(({ own }) => !late || own.length === 0);
  const ordinary = left.find(({ group, own }) => !isOver({ ...until, untilDecided: false }, group, own));
  if (ordinary) return ordinary;
  const open = left.filter(({ group, own }) => !isOver(until, group, own));
  const pressing = open.filter(({ group, own }) => wants(group, own)[0].length > 0);
  const [next = null] = (pressing.length > 0 ? pressing : open).sort((a, b) => a.own.length - b.own.length);
  return next;
}

/**
 * @param {Plan} plan
 * @param {StartRecord[]} starts of the run
 * @returns {boolean} whether none of them failed or was interrupted, and none is left to measure
 */
export function areOver(plan, starts) {
  const isTimed = (plan.sideBySide?.maxMinutes ?? null) !== null;
  return starts.every((s) => s.status === 'ok') && nextPaired(plan, starts, isTimed) === null;
}

/**
 * @param {Plan} plan
 * @param {StartRecord[]} starts of the run
 * @returns {{index: number, group: PairedTrial, own: StartRecord[]}[]} trials of several systems, as their systems promise,
 *   each with its starts
 */
function inTurn(plan, starts) {
  return pairedTrials(plan).map((planned, index) => {
    const own = starts.filter((s) => s.group === index);
    return { index, own, group: asPromised(planned, plan.systems, own) };
  });
}

/**
 * A start in which a system stored something else than it acknowledged says nothing about its speed.
 * @param {StartRecord} start
 * @param {string} a
 * @param {string} b
 */
function rightAnswers({ systems }, a, b) {
  return systems.filter((s) => s.system === a || s.system === b).every((s) => s.oracle?.ok !== false);
}

/**
 * What a report may print of systems that were loaded side by side.
 * @typedef {object} SideBySideSummary
 * @property {PairedTrial} group
 * @property {number} starts that count
 * @property {string[]} failures of the others, one line each
 * @property {Comparison[]} comparisons of two systems at the same moment, inside their starts
 * @property {Comparison[]} same the comparisons of one system with itself
 * @property {{system: string, rssBytes: Figure | null}[]} memory over starts, when the loads of each were over
 * @property {string[]} spinning systems that take CPU without any load: compared by throughput alone
 * @property {{acked: number, wrong: {system: string, start: number, detail: string}[]}} state
 * @property {{foreignCores: number | null, stealShare: number}} host medians over starts
 * @property {'held' | 'ahead' | 'untested'} trust what the system against itself says: `ahead` of itself, so no ranking of
 *   this run holds; `untested`: too few of its slices counted to say anything, so none does either
 */

/**
 * @param {PairedTrial} group
 * @returns {string[]} systems that stand beside another one, in their order: who promises of an acknowledged write what no
 *   other does is loaded with the rest, and compared with nobody
 */
export function comparedOf({ systems, pairs }) {
  return systems.filter((id) => pairs.some(({ a, b, kind }) => kind !== 'same' && (a === id || b === id)));
}

/**
 * @param {PairedTrial} group
 * @param {StartRecord[]} all starts of the group
 * @returns {SideBySideSummary}
 */
export function summaryOfStarts(group, all) {
  const ok = all.filter((s) => s.status === 'ok');
  const comparisons = comparisonsOfStarts(group, all);
  const same = comparisons.filter((c) => c.kind === 'same');
  const trust = trustOf(same);
  return {
    group,
    starts: ok.length,
    failures: [...new Set(all.filter((s) => s.status !== 'ok').map((s) => String(s.reason)))],
    comparisons: asTrusted(comparisons.filter(isOfTwo), trust),
    same,
    memory: group.systems.map((system) => ({ system, rssBytes: memoryOf(sideName(group, system), ok) })),
    spinning: group.systems.filter((id) => spins(ok, id)),
    state: {
      acked: ok.flatMap((s) => s.systems).reduce((sum, s) => sum + (s.oracle?.acked ?? 0), 0),
      wrong: ok.flatMap((s) =>
        s.systems
          .filter(({ oracle }) => oracle && !oracle.ok)
          .map(({ system, oracle }) => ({
            system,
            start: s.start,
            detail: `acknowledged ${oracle?.acked}, stored ${oracle?.stored}`,
          })),
      ),
    },
    host: {
      foreignCores: medianOfKnown(ok.map((s) => s.host.foreignCores)),
      stealShare: medianOfKnown(ok.map((s) => s.host.stealShare)) ?? 0,
    },
    trust,
  };
}

/** @param {Comparison} comparison @returns {boolean} */
function isOfTwo({ kind }) {
  return kind !== 'same';
}

/**
 * @param {Comparison[]} same of one system with itself
 * @returns {SideBySideSummary['trust']} it held where at least half of them came to an interval, and none to a winner
 */
function trustOf(same) {
  if (same.some((c) => c.outcome === 'winner')) return 'ahead';
  const tested = same.filter((c) => c.ratio && c.outcome !== 'too few');
  return tested.length > 0 && tested.length * 2 >= same.length ? 'held' : 'untested';
}

/**
 * @param {string} side
 * @param {StartRecord[]} starts
 * @returns {Figure | null} bytes; of the copy that is held against it nothing is said
 */
function memoryOf(side, starts) {
  return figureOf(starts.map((s) => [s.start, s.systems.find(({ name }) => name === side)?.rssBytes]));
}

/**
 * @param {Plan} plan
 * @param {StartRecord[]} starts of the run
 * @returns {SideBySideSummary[]} of each group of the plan
 */
export function summariesOf(plan, starts) {
  return inTurn(plan, starts).map(({ group, own }) => summaryOfStarts(group, own));
}
