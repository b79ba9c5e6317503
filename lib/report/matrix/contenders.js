/** @import { Plan } from '../../types.d.ts' */

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {boolean} whether it is a server of this project, which nobody can choose
 */
export function isOurs({ systems }, id) {
  return systems.find((s) => s.id === id)?.origin === 'reference';
}

/** @param {Plan} plan @returns {Plan['systems']} what the run is about */
export function systemsIn({ systems }) {
  return systems.filter((s) => s.role === 'system');
}

/**
 * A server of this project stands beside products and never wins against them.
 * @param {Plan} plan
 * @param {readonly string[]} [ids]
 * @returns {string[]} who may win: the products; where there are none, all of them
 */
export function contenders(plan, ids = systemsIn(plan).map(({ id }) => id)) {
  const products = ids.filter((id) => !isOurs(plan, id));
  return products.length > 0 ? products : [...ids];
}
