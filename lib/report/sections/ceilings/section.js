import { templateBeside } from '../../template.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What the load generator does against a server that does nothing.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, beside }) {
  const rows = beside.filter((r) => r.role === 'calibration' && r.operation !== '');
  return rows.length === 0 ? null : write(plan, { rows });
}
