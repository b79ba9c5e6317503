/** @import { Absent } from '../types.d.ts' */

/**
 * @param {Absent} absent
 * @returns {string} what is left out: the id of a system, or a workload and its steps
 */
export function absentSubject({ system, workload, steps = [] }) {
  return system ?? `${workload}: ${steps.join(', ')}`;
}
