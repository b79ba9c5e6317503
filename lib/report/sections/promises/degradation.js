import { compareFigures } from '../../../record/compare.js';
import { ofFewestUsers } from '../../steps.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Comparison } from '../../../types.d.ts'
 */

/**
 * @param {Row[]} wholes
 * @param {Row} whole a step of the ladder of users
 * @returns {Comparison | null} its p95 against that of the fewest users of the same system and repeat; null for these
 *   themselves and without figures
 */
export function degradationOf(wholes, whole) {
  const own = wholes.filter(
    (w) => w.workload === whole.workload && w.transport === whole.transport && w.system === whole.system,
  );
  const [base] = ofFewestUsers(own);
  if (!base || base.step.vus === whole.step.vus) return null;
  return compareFigures(whole.serviceMs.p95, base.serviceMs.p95, { metric: 'p95' });
}
