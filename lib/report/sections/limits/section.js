import { MISSING, ratioWithInterval, significant } from '../../../format.js';
import { MIN_REPEATS } from '../../../judge/compare.js';
import { cellReasons } from '../../../judge/verdict.js';
import { left, right, table } from '../../table.js';
import {
  baseStepOf,
  cellsAt,
  chainOf,
  depthRatioOf,
  grownStepOf,
  levelGrowthOf,
} from '../suite/federation.js';
import { failuresOf, isUserRung, wholesOf } from '../suite/figures.js';
import { degradationOf } from '../suite/ratios.js';

/**
 * @import { CellRecord, Interval, Limit, Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** After a ratio. */
const NET = ', net of what the generator takes by itself';

/**
 * What was found for a limit. `doubtful`: a figure of it may not be compared, unless it can only be an `upperBound`.
 * `net`: of what the same requests take against a responder that does nothing.
 * @typedef {{ratio: Interval, pairs: number, doubtful: boolean, upperBound?: boolean, net?: boolean}} Found
 */

/**
 * Whether the systems keep to the limits of their manifests.
 * @param {Pick<Run, 'plan' | 'measured' | 'records'>} run
 * @returns {Section | null} a row for each limit whose steps are part of the run
 */
export function section({ plan, measured, records }) {
  const rows = plan.systems.flatMap((system) =>
    (system.limits ?? []).flatMap((limit) => {
      const own = measured.filter((c) => c.system === system.id && c.workload === limit.workload);
      const found =
        limit.measure === 'failed-operations' ? failed(limit, own) : ratio({ plan, limit, own, records });
      return found ? [{ limit, system, found }] : [];
    }),
  );
  if (rows.length === 0) return null;
  return {
    title: 'Limits that the systems keep to',
    intro: [
      'From their manifests. A limit is met when the whole interval lies at or below it, not met when it lies above; else it is undecided, as it is with too few repeats or where a figure may not be compared.',
    ],
    tables: [
      table(rows, [
        left('limit', ({ limit }) => limit.title),
        left('system', ({ system }) => system.title),
        right('at most', ({ limit }) => limit.atMost),
        left('measured (95 % CI)', ({ found }) => found.measured),
        left('verdict', ({ found }) => found.verdict),
      ]),
    ],
  };
}

/**
 * @param {Limit} limit
 * @param {CellRecord[]} own
 */
function failed(limit, own) {
  const cells = own.filter((c) => isUserRung(c) && c.step.vus === limit.users);
  if (cells.length === 0) return null;
  const ran = cells.filter((c) => c.status === 'ok');
  if (ran.length < cells.length)
    return { measured: MISSING, verdict: `undecided: ${cells.length - ran.length} cells without figures` };
  const doubts = ran.flatMap((c) => cellReasons(c).map((r) => r.code));
  if (doubts.length > 0)
    return {
      measured: MISSING,
      verdict: `undecided: ${[...new Set(doubts)].join(', ').replaceAll('_', '-')}`,
    };
  const counts = ran.map(failuresOf);
  const sum = counts.reduce((n, c) => n + c.failed, 0);
  const all = counts.reduce((n, c) => n + c.all, 0);
  const verdict = sum > limit.atMost ? 'not met' : ran.length < MIN_REPEATS ? tooFew(ran.length) : 'met';
  return { measured: `${sum} of ${significant(all)}`, verdict };
}

/**
 * @typedef {{plan: Plan, limit: Limit, own: CellRecord[], records: CellRecord[]}} Question `own`: of the system and workload
 * @param {Question} question
 */
function ratio(question) {
  const { limit, own } = question;
  const found = limit.measure === 'p95-growth' ? growthUnder(limit, own) : relations(question);
  if (!found) return null;
  if (found === 'no figure') return { measured: MISSING, verdict: 'undecided: no repeat has both figures' };
  const bound = found.doubtful && found.upperBound ? '≤ ' : '';
  return {
    measured: `${bound}${ratioWithInterval(found.ratio, found.pairs)}${found.net ? NET : ''}`,
    verdict: judgeLimit(found, limit.atMost),
  };
}

/**
 * By the whole interval: a median alone would pass every other time by chance.
 * @param {Found} found
 * @param {number} atMost
 * @returns {string}
 */
export function judgeLimit({ ratio: { low, high }, pairs, doubtful, upperBound }, atMost) {
  if (doubtful && !(upperBound && high <= atMost)) return 'undecided: a figure is not to be compared';
  if (pairs < MIN_REPEATS) return tooFew(pairs);
  if (high <= atMost) return 'met';
  return low > atMost ? 'not met' : 'undecided: the interval holds the limit';
}

/** @param {number} repeats */
function tooFew(repeats) {
  return `undecided: ${repeats} of ${MIN_REPEATS} repeats`;
}

/**
 * @param {Limit} limit
 * @param {CellRecord[]} own
 * @returns {Found | 'no figure' | null} null where the run has no such step
 */
function growthUnder(limit, own) {
  const wholes = wholesOf(own);
  const whole = wholes.find((w) => isUserRung(w) && w.step.vus === limit.users);
  if (!whole) return null;
  return degradationOf(wholes, whole) ?? 'no figure';
}

/**
 * @param {Question} question
 * @returns {Found | 'no figure' | null}
 */
function relations({ plan, limit, own, records }) {
  const facts = plan.workloads.find((w) => w.id === limit.workload);
  const chain = facts && chainOf(facts);
  const base = baseStepOf(own, limit.workload);
  if (!chain || !base || own.length === 0) return null;
  const grown = grownStepOf(own, limit.workload, base);
  const at = (/** @type {import('../../../types.d.ts').Step} */ step) =>
    cellsAt(own, limit.workload, own[0].system, step);
  const floors = (/** @type {string} */ op) => floorOf(records, own[0], base, op);
  if (limit.measure === 'depth-ratio') return depthRatioOf(at(base), chain, floors) ?? 'no figure';
  return grown ? (levelGrowthOf(at(grown), at(base), chain) ?? 'no figure') : null;
}

/**
 * @param {CellRecord[]} records
 * @param {Pick<CellRecord, 'workload' | 'transport'>} of
 * @param {import('../../../types.d.ts').Step} step
 * @param {string} operation
 * @returns {number | null} mean service time against the responder that does nothing, ms
 */
function floorOf(records, { workload, transport }, step, operation) {
  const floor = records.find(
    (r) =>
      r.role === 'calibration' &&
      r.status === 'ok' &&
      r.workload === workload &&
      r.transport === transport &&
      r.step.id === step.id,
  );
  return floor?.operations[operation]?.serviceMs?.mean ?? null;
}
