import { FAULTS, faultText } from '../../../config/faults.js';
import { RESTORED } from '../../../figures/recoveries.js';
import { groupBy } from '../../../group-by.js';
import { templateBeside } from '../../template.js';
import { policyOf } from '../../words.js';

/**
 * @import { FaultFigures } from '../../../figures/recoveries.js'
 * @import { CellRecord, Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

/** @typedef {NonNullable<CellRecord['oracle']>} Oracle */

const write = templateBeside(import.meta.url);
const isOfNetwork = (/** @type {FaultFigures} */ { kind }) => kind && FAULTS[kind].needs === 'network';

/**
 * What was acknowledged and is not there: after `kill -9`, without power, in a fault, and after every load; and what failed.
 * @param {Pick<Run, 'plan'> & Partial<Pick<Run, 'kills' | 'faults' | 'measured' | 'rows'>>} run
 * @returns {Written | null} null where nothing of it was looked at
 */
export function section({ plan, kills = [], faults = [], measured = [], rows = [] }) {
  const named = rows.filter((r) => r.tried.kinds.length > 0);
  const states = plan.options?.script ? [] : statesOf(measured);
  if (kills.length + faults.length + named.length + states.length === 0) return null;
  return write(plan, {
    kills: kills.map((k) => ({ ...k, policy: policyOf(plan, k) })),
    power: kills.some((k) => k.step.powerLoss),
    kinds: [...new Set(faults.flatMap((f) => f.kind ?? []))].map((kind) => FAULTS[kind].words),
    restored: RESTORED,
    ended: faults.some((f) => f.ended > 0),
    several: new Set(faults.map((f) => f.workload)).size > 1,
    groups: groupBy(faults, ({ step }) => faultText(step)).map((own) => ({
      ...{ title: faultText(own[0].step), repeats: Math.max(...own.map((f) => f.usable)), faults: own },
      ...{ twice: own.some((f) => f.twice > 0), ended: own.some((f) => f.ended > 0) },
    })),
    proxies: proxiesOf(faults),
    ...{ named, states },
  });
}

/**
 * What stands between load and server costs something before it does anything.
 * @param {FaultFigures[]} faults
 * @returns {object[]} none where nothing stood there
 */
function proxiesOf(faults) {
  const usable = faults.filter((f) => f.failure === null);
  return groupBy(usable, (f) => `${f.workload}\n${f.system}`).flatMap((own) => {
    const through = own.find(isOfNetwork);
    const direct = own.find((f) => f.kind && !isOfNetwork(f));
    return through && direct ? [{ ...direct, through: through.beforeP50Ms }] : [];
  });
}

/**
 * @param {CellRecord[]} measured
 * @returns {object[][]} of each system what was acknowledged and what was stored, all measurements together: those that have the
 *   same are one
 */
function statesOf(measured) {
  const states = groupBy(measured, (r) => r.system).map((own) => {
    const oracles = own.flatMap((r) => r.oracle ?? []);
    const sum = (/** @type {(oracle: Oracle) => number | null} */ read) =>
      oracles.reduce((n, oracle) => n + (read(oracle) ?? 0), 0);
    return {
      ...{ title: own[0].title, checked: oracles.length, agreed: oracles.filter((o) => o.ok).length },
      ...{ acked: sum((o) => o.acked), stored: sum((o) => o.stored), open: sum((o) => o.indeterminate) },
      lost: sum((o) => (o.ok ? 0 : Math.max(0, (o.acked ?? 0) - (o.stored ?? 0)))),
      wrong: [...new Set(oracles.filter((o) => !o.ok).map((o) => o.detail))],
    };
  });
  return groupBy(states, ({ title: _title, ...figures }) => JSON.stringify(figures));
}
