import { percent, significant } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { shapeText } from '../../steps.js';

/** @import { CellRecord, Plan, Recovery } from '../../../types.d.ts' */

/** @typedef {Exclude<keyof Recovery, 'inconsistent'>} Count */

/**
 * Acknowledged against recovered, by system and load: all repeats together, and the worst of them.
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {{rows: Record<string, string>[]} | null} null where nothing was killed
 */
export function durabilityView(plan, records) {
  const kills = killsOf(records);
  if (kills.length === 0) return null;
  return { rows: kills.map((cells) => recoveryRow(plan, cells)) };
}

/**
 * @param {CellRecord[]} records
 * @returns {CellRecord[][]} repeats of the same kill
 */
function killsOf(records) {
  const own = records.filter((r) => r.role === 'durability');
  return groupBy(own, (r) => [r.system, r.workload, r.transport, r.step.id].join('\n'));
}

/**
 * @param {CellRecord[]} cells
 * @returns {Recovery[]} of the repeats that were measured to the end
 */
function measured(cells) {
  return cells.flatMap((c) => (c.status === 'ok' && c.verdict.status !== 'INVALID' && c.recovery) || []);
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} cells repeats
 */
function recoveryRow(plan, cells) {
  const [first] = cells;
  const kills = measured(cells);
  const sum = (/** @type {Count} */ key) => kills.reduce((s, k) => s + k[key], 0);
  const middle = (/** @type {Count} */ key) =>
    kills.map((k) => k[key]).sort((a, b) => a - b)[kills.length >> 1];
  const text = (/** @type {string} */ value) => (kills.length > 0 ? value : `n/a: ${failureOf(cells)}`);
  return {
    system: first.title,
    workload: first.workload,
    transport: first.transport,
    load: `${loadText(plan, first)}`,
    declared: plan.systems.find((s) => s.id === first.system)?.durability.policy ?? '',
    repeats: String(kills.length),
    rate: text(significant(middle('ackedPerSec'))),
    acked: text(String(sum('acked'))),
    recovered: text(String(sum('recovered'))),
    lost: text(String(sum('lost'))),
    share: text(percent(sum('lost') / Math.max(1, sum('acked')))),
    worst: text(percent(Math.max(...kills.map((k) => k.lost / Math.max(1, k.acked))))),
    indeterminate: text(String(sum('indeterminate'))),
    restart: text(significant(middle('restartMs'))),
  };
}

/** @param {CellRecord[]} cells */
function failureOf(cells) {
  const failed = cells.find((c) => c.status !== 'ok');
  if (failed) return `${failed.status}: ${failed.reason}`;
  return `no repeat is usable (${inconsistencyOf(cells) ?? cells[0].verdict.reasons[0]?.code})`;
}

/**
 * @param {CellRecord[]} cells
 * @returns {string | undefined} what the first repeat had wrong although it had lost nothing
 */
function inconsistencyOf(cells) {
  return cells.find((c) => c.recovery?.inconsistent)?.recovery?.inconsistent;
}

/**
 * @param {Plan} plan
 * @param {CellRecord} record
 */
function loadText(plan, { step }) {
  const users = shapeText(plan, step);
  return step.model === 'closed' ? `saturated, ${users}` : `paced, ${step.ratePerSec} op/s, ${users}`;
}

/**
 * One sentence for each system: what a kill cost it, under which load.
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {string[]}
 */
export function durabilityAnswers(plan, records) {
  return groupBy(killsOf(records), ([r]) => r.system).flatMap((kills) => {
    const [[{ title }]] = kills;
    const wrong = inconsistencyOf(kills.flat());
    const inconsistent = wrong
      ? [`**${title} was not consistent** after it was killed under load and started again: ${wrong}.`]
      : [];
    const usable = kills.filter((cells) => measured(cells).length > 0);
    if (usable.length === 0) return inconsistent;
    const workloads = new Set(usable.map(([r]) => r.workload));
    const said = usable.map((cells) => {
      const row = recoveryRow(plan, cells);
      const what = row.lost === '0' ? 'none' : `${row.lost} (${row.share})`;
      const where = workloads.size > 1 ? `, ${row.workload}` : '';
      return `${what} of ${row.acked} over ${row.transport}${where} (${row.load})`;
    });
    const lost = usable.some((cells) => measured(cells).some((k) => k.lost > 0));
    return [
      ...inconsistent,
      `**${title} ${lost ? 'lost acknowledged writes' : 'lost no acknowledged write'}** when it was killed under load and started again on its data: ${said.join('; ')}.`,
    ];
  });
}
