import { busynessText } from '../../../environment/busyness.js';
import { upright } from '../../../figures/compare.js';
import { presumedAlike } from '../../../figures/comparisons.js';
import { LIMITS, MIN_REPEATS } from '../../../judge/method.js';

/**
 * @import { SideBySideSummary } from '../../../figures/side-by-side.js'
 * @import { Run } from '../../run.js'
 */

/** CPUs of other work, and share of the hypervisor's other guests, that a reader has to know of. */
const [BUSY_CORES, BUSY_STEAL] = [0.1, 0.01];

/**
 * @param {Run} run
 * @returns {object} how often, what was rejected, what shared the machine; how far a ratio holds, where systems are compared
 */
export function trustOf(run) {
  const { plan, environment, sideBySide, verdicts, measured, matrices, faults, kills, asksOfTime } = run;
  const paired = sideBySide.filter(({ starts }) => starts > 0);
  const compared = paired.filter(({ comparisons }) => comparisons.some((c) => c.paired));
  /** @type {import('../../../environment/busyness.js').Busyness | undefined} */
  const before = environment.host.busyBefore;
  const isBusy = before && (before.foreignCores > BUSY_CORES || before.stealRatio > BUSY_STEAL);
  const few = plan.repeats < MIN_REPEATS && !asksOfTime && kills.length === 0;
  return {
    paired: compared.length > 0 ? pairedTrust(compared) : null,
    cells: verdicts.total > 0 ? { ...verdicts, repeats: plan.repeats, few } : null,
    // What was lost in a fault is the answer.
    ...(faults.length > 0 ? { acked: 0, wrong: 0 } : acknowledged(measured, paired)),
    evicting: plan.systems.some((s) => s.evictsAt !== undefined),
    // A script has no writes of which this suite would know.
    presumed: plan.options.script ? [] : presumedAlike(measured),
    kept: !plan.options.script && measured.some((r) => r.engine === 'external'),
    busy: paired.length === 0 && isBusy ? busynessText(before) : null,
    several: faults.length === 0 && matrices.some(({ systems }) => systems.length > 1),
    level: levelOf(run, compared),
  };
}

/**
 * @param {Run} run
 * @param {SideBySideSummary[]} compared
 * @returns {'high' | 'medium' | 'low'} low: no winner can be named; high: nearly all counts, and one system against itself ties
 */
function levelOf({ plan, verdicts, kills, soaks }, compared) {
  // What was lost in three repeats was lost.
  if (kills.length + soaks.length > 0) return verdicts.failed > 0 ? 'low' : 'medium';
  const starts = compared.length > 0 ? Math.min(...compared.map((p) => p.starts)) : plan.repeats;
  if (starts < MIN_REPEATS || compared.some(({ trust }) => trust !== 'held')) return 'low';
  const usable = verdicts.total > 0 ? verdicts.valid / verdicts.total : 1;
  return usable >= LIMITS.validShare ? 'high' : 'medium';
}

/**
 * @param {SideBySideSummary[]} paired one for each workload
 * @returns {object} the worst of all of them
 */
function pairedTrust(paired) {
  const starts = paired.map((p) => p.starts);
  const seen = paired.flatMap(({ same, group }) =>
    same.flatMap((c) => upright(c).ratio ?? []).map((ratio) => ({ system: group.twinOf, ratio })),
  );
  const [worst = null] = seen.sort((x, y) => y.ratio.estimate - x.ratio.estimate);
  const foreign = paired.flatMap(({ host }) => host.foreignCores ?? []);
  return {
    ...{ starts: Math.max(...starts), fewest: Math.min(...starts), worst },
    failed: paired.reduce((n, p) => n + p.failures.length, 0),
    barred: paired.filter((p) => p.trust !== 'held' && p.starts > 1).length,
    foreign: foreign.length > 0 ? Math.max(...foreign) : null,
    steal: Math.max(...paired.map(({ host }) => host.stealShare)),
  };
}

/**
 * @param {Run['measured']} measured
 * @param {SideBySideSummary[]} paired
 */
function acknowledged(measured, paired) {
  const oracles = measured.flatMap((r) => (r.oracle ? [r.oracle] : []));
  return {
    acked: oracles.reduce((n, o) => n + (o.acked ?? 0), 0) + paired.reduce((n, s) => n + s.state.acked, 0),
    wrong: oracles.filter((o) => !o.ok).length + paired.reduce((n, s) => n + s.state.wrong.length, 0),
  };
}
