import { verdictOf } from '../judge/verdict.js';

/** @import { CellPlan, CellRecord } from '../types.d.ts' */

/**
 * The knee of a system in one repeat: its highest throughput, by operation, on the closed rungs without
 * pipelining that are not INVALID.
 * @param {CellRecord[]} records of the same system, workload, transport and repeat
 * @returns {Record<string, number>} operations per second
 */
export function kneeOf(records) {
  /** @type {Record<string, number>} */
  const knee = {};
  for (const record of records) {
    if (record.step.model !== 'closed' || (record.step.depth ?? 1) > 1) continue;
    for (const [op, result] of Object.entries(record.operations)) {
      if (verdictOf(record, op) === 'INVALID') continue;
      knee[op] = Math.max(knee[op] ?? 0, result.ratePerSec);
    }
  }
  return knee;
}

/**
 * @param {CellPlan} cell
 * @param {Record<string, number>} knee
 * @param {string[]} operations
 * @param {Record<string, number>} [mix] shares of the operations, where one rate holds for all of them together
 * @returns {Record<string, number>} target rate by operation; empty for a closed step, and without a knee
 */
export function targetRates(cell, knee, operations, mix = {}) {
  const { step } = cell;
  if (step.model !== 'open') return {};
  if (step.ratePerSec !== undefined)
    return Object.fromEntries(operations.map((op) => [op, (step.ratePerSec ?? 0) * (mix[op] ?? 1)]));
  if (operations.some((op) => knee[op] === undefined)) return {};
  return Object.fromEntries(operations.map((op) => [op, Math.floor(knee[op] * (step.fractionOfKnee ?? 1))]));
}
