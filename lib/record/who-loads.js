/**
 * From where the load of a cell comes, and how many generators share it.
 * @import { CellPlan, Plan } from '../types.d.ts'
 */
import { isFixedCount } from '../../k6/schedule/facts.js';

/**
 * @param {Pick<Plan['options'], 'generators'>} options of a run
 * @returns {boolean} whether the load comes from pods, also where it is one: this machine may not reach the system
 */
export function fromPods({ generators }) {
  return generators?.on === 'kubernetes';
}

/**
 * @param {CellPlan} cell
 * @param {Pick<Plan, 'options'>} plan
 * @returns {number} runners that share its load: no more than there are users, or operations; a kill and a trace have one
 */
export function runnersOf({ role, step }, { options }) {
  if (role === 'durability' || role === 'syscalls') return 1;
  const most = isFixedCount(step) ? Math.min(step.vus, step.operations ?? 1) : step.vus;
  return Math.min(options.generators?.count ?? 1, most);
}
