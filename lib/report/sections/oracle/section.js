import { templateBeside } from '../../template.js';

/**
 * @import { CellRecord } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const write = templateBeside(import.meta.url);

/** @typedef {NonNullable<CellRecord['oracle']>} Oracle */

/**
 * Whether every state was what had been acknowledged.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, measured }) {
  if (plan.options.script) return null;
  const rows = plan.systems.flatMap(({ id, title, role }) => {
    const own = measured.filter((r) => r.system === id);
    if (role !== 'system' || own.length === 0) return [];
    const oracles = own.flatMap((r) => r.oracle ?? []);
    const sum = (/** @type {(oracle: Oracle) => number | null} */ read) =>
      oracles.reduce((n, oracle) => n + (read(oracle) ?? 0), 0);
    return [
      {
        title,
        checked: oracles.length,
        agreed: oracles.filter((o) => o.ok).length,
        acked: sum((o) => o.acked),
        stored: sum((o) => o.stored),
        indeterminate: sum((o) => o.indeterminate),
        lost: sum((o) => Math.max(0, (o.acked ?? 0) - (o.stored ?? 0))),
      },
    ];
  });
  return rows.length === 0 ? null : write(plan, { rows });
}
