import { MIN_REPEATS } from '../../../judge/method.js';
import { isUserStep } from '../../steps.js';
import { templateBeside } from '../../template.js';
import { codesText, limitText } from '../../words.js';
import { deploymentsOf } from '../cost/deployment.js';
import { degradationOf } from './degradation.js';
import { baseStepOf, chainOf, depthRatioOf, grownStepOf, levelGrowthOf, meansAt } from './relations.js';
import { boundTargets } from './storage-bound.js';
import { targetsOf } from './targets.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Comparison, Limit, Step } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/** @typedef {Pick<Run, 'plan' | 'rows' | 'wholes' | 'beside'> & Partial<Pick<Run, 'measured' | 'lifecycle' | 'comparisons'>>} Limited */

/** What a row has that its kind of promise does not need. */
const NONE = Object.freeze({
  ...{ against: null, step: null, least: null, most: null, storage: null, counts: null, missing: 0 },
  ...{ comparison: null, net: false, verdict: null },
});

/**
 * Whether the systems reach the targets and keep to the limits of their manifests.
 * @param {Limited} run
 * @returns {Written | null} a row for each whose loads are part of the run
 */
export function section({ measured = [], lifecycle = [], comparisons = [], ...run }) {
  const limits = run.plan.systems.flatMap(({ id, limits: all = [] }) =>
    all.flatMap((limit) => {
      const own = run.wholes.filter((w) => w.system === id && w.workload === limit.workload);
      const found = limit.measure === 'failed-operations' ? failed(limit, own) : ratio(run, limit, own);
      return found ? [{ title: limit.title, system: id, most: limit.atMost, ...found }] : [];
    }),
  );
  const bound = deploymentsOf({ ...run, measured, lifecycle }).flatMap(boundTargets);
  const rows = [...targetsOf(run.plan, comparisons), ...limits, ...bound].map((row) => ({ ...NONE, ...row }));
  return rows.length === 0 ? null : write(run.plan, { rows });
}

/**
 * @param {Limit} limit
 * @param {Row[]} own all operations of one system and workload together
 * @returns {object | null} null where the run has no such step
 */
function failed(limit, own) {
  const rows = own.filter((w) => isUserStep(w) && w.step.vus === limit.users);
  if (rows.length === 0) return null;
  const sum = (/** @type {(row: Row) => number} */ read) => rows.reduce((n, row) => n + read(row), 0);
  const ran = sum((r) => r.tried.ran);
  const missing = sum((r) => r.repeats) - ran;
  if (missing > 0) return { missing };
  const doubts = [...new Set(rows.flatMap((r) => r.ofCells))];
  if (doubts.length > 0) return { verdict: `undecided: ${codesText(doubts)}` };
  const count = sum((r) => r.tried.failed);
  return {
    counts: { failed: count, all: count + sum((r) => r.tried.done) },
    verdict:
      count > limit.atMost
        ? 'not met'
        : ran < MIN_REPEATS
          ? `undecided: ${ran} of ${MIN_REPEATS} repeats`
          : 'met',
  };
}

/**
 * @param {Limited} run
 * @param {Limit} limit
 * @param {Row[]} own all operations of one system and workload together
 * @returns {object | null} null where the run has no such step
 */
function ratio(run, limit, own) {
  const found = limit.measure === 'p95-growth' ? growthUnder(limit, own) : relations(run, limit, own);
  if (!found) return null;
  const { ratio: comparison, net = false } = found;
  const verdict = comparison && limitText(comparison, { atMost: limit.atMost });
  return { comparison, net, verdict };
}

/** @typedef {{ratio: Comparison | null, net?: boolean} | null} Found null where the run has no such step */

/**
 * @param {Limit} limit
 * @param {Row[]} wholes
 * @returns {Found}
 */
function growthUnder(limit, wholes) {
  const whole = wholes.find((w) => isUserStep(w) && w.step.vus === limit.users);
  return whole ? { ratio: degradationOf(wholes, whole) } : null;
}

/**
 * @param {Limited} run
 * @param {Limit} limit
 * @param {Row[]} own all operations of one system and workload together
 * @returns {Found}
 */
function relations({ plan, rows, beside }, { workload, measure }, own) {
  const facts = plan.workloads.find((w) => w.id === workload);
  const chain = facts && chainOf(facts);
  const base = baseStepOf(own, workload);
  if (!chain || !base) return null;
  const [{ system, transport }] = own;
  const at = (/** @type {Step} */ step) => meansAt(rows, workload, system, step);
  if (measure === 'depth-ratio') {
    const floor = beside.find(
      (r) => r.role === 'calibration' && r.transport === transport && r.workload === workload,
    );
    const floors = floor && meansAt(beside, workload, floor.system, base);
    return depthRatioOf(at(base), chain, floors);
  }
  const grown = grownStepOf(own, workload, base);
  return grown && { ratio: levelGrowthOf(at(grown), at(base), chain) };
}
