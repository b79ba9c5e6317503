import { left, right, table } from '../../table.js';

/**
 * @import { CellRecord } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** @typedef {NonNullable<CellRecord['oracle']>} Oracle */

/**
 * Whether every state was what had been acknowledged.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, measured }) {
  if (plan.options.script) return null;
  const rows = plan.systems
    .filter((s) => s.role === 'system' && measured.some((r) => r.system === s.id))
    .map(({ id, title }) => ({
      title,
      oracles: measured.flatMap((r) => (r.system === id && r.oracle !== null ? [r.oracle] : [])),
    }));
  if (rows.length === 0) return null;
  const sum =
    (/** @type {(oracle: Oracle) => number | null} */ read) => (/** @type {(typeof rows)[number]} */ row) =>
      row.oracles.reduce((n, oracle) => n + (read(oracle) ?? 0), 0);
  return {
    title: 'Acknowledged against stored',
    intro: [
      'After every cell the state is compared with what was acknowledged: acknowledged ≤ stored ≤ acknowledged + indeterminate.',
    ],
    tables: [
      table(rows, [
        left('system', (r) => r.title),
        right('cells checked', (r) => r.oracles.length),
        right('agreed', (r) => r.oracles.filter((o) => o.ok).length),
        right(
          'acknowledged',
          sum((o) => o.acked),
        ),
        right(
          'stored',
          sum((o) => o.stored),
        ),
        right(
          'indeterminate',
          sum((o) => o.indeterminate),
        ),
        right(
          'lost',
          sum((o) => Math.max(0, (o.acked ?? 0) - (o.stored ?? 0))),
        ),
      ]),
    ],
  };
}
