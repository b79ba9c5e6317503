import { steadyState } from '../stats/steady-state.js';

/** @import { CellRecord } from '../types.d.ts' */

/**
 * Windows whose throughput was not the same from beginning to end.
 * @param {CellRecord[]} records of all roles
 * @returns {{cell: string, operation: string, kind: 'collapsed' | 'drifting', change: number, second: number | null}[]}
 *   `change`: share by which it changed; `second`: from when on
 */
export function unsteadyOf(records) {
  return records
    .filter((r) => r.role === 'system' && r.status === 'ok')
    .flatMap((r) =>
      Object.entries(r.operations).flatMap(([operation, { received, series }]) => {
        const state = received ? null : steadyState(series);
        if (!state || (state.kind !== 'collapsed' && state.kind !== 'drifting')) return [];
        return [
          { cell: r.cell, operation, kind: state.kind, change: state.change, second: state.second ?? null },
        ];
      }),
    );
}
