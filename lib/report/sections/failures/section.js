import { templateBeside } from '../../template.js';
import { errorRatio } from '../../words.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What failed operations were called by the servers themselves: a write conflict and an overload are not alike.
 * @param {Pick<Run, 'plan' | 'rows'>} run
 * @returns {Section | null} null where no server gave a name
 */
export function section({ plan, rows }) {
  const named = rows.filter((r) => r.tried.kinds.length > 0);
  if (named.length === 0) return null;
  return write(plan, { rows: named.map((r) => ({ ...r, share: errorRatio(r) })) });
}
