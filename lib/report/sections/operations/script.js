import { basename } from 'node:path';
import { figureText, MISSING, significant, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { scriptRowsOf } from '../../../record/script-rows.js';
import { isOpenStep } from '../../steps.js';

/**
 * @import { Figure } from '../../../record/figure.js'
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
  const warnings = measured.flatMap(({ title, warnings: own }) =>
    own.filter((text) => !text.startsWith('--out')).map((text) => (scripts ? `\`${title}\`: ${text}` : text)),
  );
  const rows = scriptRowsOf(measured).map((row) => ({
    ...{ ...row, step: row.step.id },
    ...Object.fromEntries(
      Object.entries(row.figures).map(([key, figure]) => [
        key,
        withInterval(figure, COUNTS.includes(key) ? countText : significant),
      ]),
    ),
  }));
  const own = (/** @type {string} */ kind) => rows.filter((r) => !r.isRequest && r.kind === kind);
  const requests = rows.filter((r) => r.isRequest);
  return {
    scripts: Object.values(scripts ?? { script }).map((s) => ({
      ...{ ...s, name: basename(s.path), hash: s.sha256.slice(0, 16) },
      ...loadOf(s.scenarios ?? []),
    })),
    ...{
      isOpen: plan.profile.steps.some(isOpenStep),
      warnings: [...new Set(warnings)],
      by: script.by ?? null,
    },
    requests: groupBy(requests, (r) => r.step).map((of) => ({ step: of[0].step, rows: of })),
    ...{ trends: own('trend'), rates: own('rate'), counters: own('counter'), gauges: own('gauge') },
    hasOwn: rows.some((r) => !r.isRequest),
  };
}

/**
 * @param {{name: string, executor: string, weight: number}[]} scenarios
 * @returns what of its own load the steps take the place of
 */
function loadOf(scenarios) {
  return {
    executor: scenarios.length === 1 ? scenarios[0].executor : '',
    shared: scenarios.length > 1 ? scenarios.map((s) => `${s.name} (${s.executor})`).join(', ') : '',
    weights: scenarios.map((s) => s.weight).join(' : '),
  };
}

/** Figures that are numbers of requests. */
const COUNTS = ['count', 'failed'];

/** @param {number} n @returns {string} nobody has counted a tenth of a request */
function countText(n) {
  return Number.isInteger(n) ? wholeNumber(n) : significant(n);
}

/**
 * @param {Figure | null} figure
 * @param {(value: number) => string} text
 * @returns {string} the median, with its 95 % interval where there are repeats
 */
function withInterval(figure, text) {
  if (!figure) return MISSING;
  const median = figureText(figure, text);
  return figure.n > 1 ? `${median} (${text(figure.low)} – ${text(figure.high)})` : median;
}
