/**
 * The trials of a plan: those of one system, which are repeated as often as the plan says, and those of several that are up
 * at once, which are repeated until their comparisons are decided.
 * @import { CellPlan, PairedTrial, Plan, SideBySideCell, SingleTrial, Step } from '../types.d.ts'
 */

/** @param {Pick<Plan, 'trials'>} plan @returns {SingleTrial[]} in order */
export function singleTrials({ trials }) {
  return trials.flatMap((t) => (t.repeat === null ? [] : [t]));
}

/** @param {Pick<Plan, 'trials'>} plan @returns {PairedTrial[]} in order: raw files know them by their place in this list */
export function pairedTrials({ trials }) {
  return trials.flatMap((t) => (t.repeat === null ? [t] : []));
}

/** @param {Pick<Plan, 'trials'>} plan @returns {CellPlan[]} loads of all trials of one system */
export function cellsOf(plan) {
  return singleTrials(plan).flatMap((t) => t.cells);
}

/** @param {SideBySideCell} cell @returns {Step} of the profile, as its load is of trials of one system */
export function stepOf({ stepId, connections, depth, case: which, dataset }) {
  return {
    ...{ id: stepId, model: 'closed', vus: connections },
    ...(depth > 1 ? { depth } : {}),
    ...(which ? { case: which } : {}),
    ...(dataset ? { dataset } : {}),
  };
}

/** @param {Pick<Plan, 'trials'>} plan @returns {SideBySideCell[]} loads of all trials of several */
export function pairedCells(plan) {
  return pairedTrials(plan).flatMap((t) => t.cells);
}
