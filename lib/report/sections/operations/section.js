import { extremesOf, sumOf } from '../../../figures/figure.js';
import { groupBy } from '../../../group-by.js';
import { templateBeside } from '../../template.js';
import { drivesOf } from './drives.js';
import { scriptOf } from './script.js';
import { suiteCharts, suitesOf } from './suite-charts.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What the ladders do not have of a workload over a transport.
 * @param {Run} run
 * @returns {Written | null}
 */
export function section({ plan, rows, wholes, measured }) {
  const script = scriptOf({ plan, measured });
  const mixes = wholes.filter((r) => r.paired !== null);
  const named = [...rows, ...mixes].filter((r) => r.operation !== '');
  const loads = groupBy(named, (r) => `${r.workload}\n${r.transport}`).map((own) => ({
    ...{ workload: own[0].workload, transport: own[0].transport },
    ...loadFields(plan, own),
  }));
  const suites = suitesOf({ plan, rows, wholes }).map((suite) => ({ ...suite, charts: suiteCharts(suite) }));
  return loads.length === 0 && !script ? null : write(plan, { script, suites, loads });
}

/** @param {Plan} plan @param {Row[]} own rows of one workload and transport */
function loadFields(plan, own) {
  const closed = own.filter((r) => r.step.model === 'closed');
  return {
    operations: groupBy(closed, (r) => r.operation).map((rows) => ({
      operation: rows[0].operation,
      rows: rows.map((r) => ({
        ...r,
        range: r.serviceMs.p99 && r.repeats > 1 ? extremesOf(r.serviceMs.p99) : null,
        rate: r.ratePerSec && r.ratePerSec.n > 1 ? r.ratePerSec : null,
      })),
    })),
    mix: mixOf(plan, own),
    drives: drivesOf(plan, own),
    open: own.filter((r) => r.step.model === 'open'),
  };
}

/**
 * What a mix was made of: counts and shares of its operations, and all of them together.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload
 * @returns {object[]} none where the workload is no mix
 */
export function mixOf({ workloads }, own) {
  const operations = workloads.find((w) => w.id === own[0].workload)?.operations ?? {};
  const parts = Object.entries(operations).flatMap(([name, { share }]) =>
    share === undefined ? [] : [{ name, share }],
  );
  const isPart = (/** @type {Row} */ r) => parts.some(({ name }) => name === r.operation);
  return groupBy(own.filter(isPart), (r) => `${r.system}\n${r.transport}\n${r.step.id}`).map((rows) => {
    const countOf = (/** @type {string} */ name) => rows.find((r) => r.operation === name)?.counts.done ?? 0;
    const total = parts.reduce((n, { name }) => n + countOf(name), 0);
    return {
      ...{ title: rows[0].title, step: rows[0].step, total },
      failure: rows.find((r) => r.failure !== null)?.failure ?? null,
      rate: sumOf(rows.map((r) => r.ratePerSec)),
      parts: parts.map((part) => {
        const count = countOf(part.name);
        return { ...part, count, found: total === 0 ? null : count / total };
      }),
    };
  });
}
