import { basename } from 'node:path';
import { isOpenStep } from '../../../config/step-text.js';
import { scriptRowsOf } from '../../../figures/script-rows.js';
import { groupBy } from '../../../group-by.js';
import { gatesUnseen } from '../gaps/section.js';

/**
 * @import { Run } from '../../run.js'
 */

/**
 * What was measured where a script of the user's own was the workload, which request of it is slow, what it counts itself,
 * and what such a script cannot tell.
 * @param {Pick<Run, 'plan' | 'measured'>} run
 * @returns {object | null} null where no script was
 */
export function scriptOf({ plan, measured }) {
  const { script, scripts } = plan.options;
  if (!script) return null;
  const warnings = measured.flatMap((record) =>
    [...gatesUnseen([record]), ...record.warnings].map((text) =>
      scripts ? `\`${record.title}\`: ${text}` : text,
    ),
  );
  const rows = scriptRowsOf(measured);
  const own = (/** @type {string} */ kind) => rows.filter((r) => !r.isRequest && r.kind === kind);
  const requests = rows.filter((r) => r.isRequest);
  return {
    scripts: Object.values(scripts ?? { script }).map((s) => ({
      scenarios: [],
      ...s,
      name: basename(s.path),
    })),
    ...{ isOpen: plan.profile.steps.some(isOpenStep), by: script.by ?? null },
    warnings: [...new Set(warnings)],
    requests: groupBy(requests, (r) => r.step.id),
    ...{ trends: own('trend'), rates: own('rate'), counters: own('counter'), gauges: own('gauge') },
  };
}
