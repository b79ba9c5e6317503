import { sumOf } from '../../../figures/figure.js';
import { drivesOf } from '../../../figures/generator-cost.js';
import { groupBy } from '../../../group-by.js';
import { templateBeside } from '../../template.js';
import { scriptOf } from './script.js';
import { suitesOf } from './suite-charts.js';

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
  const loads = groupBy(named, (r) => `${r.workload}\n${r.transport}`).map((own) => {
    const [{ workload, transport }] = own;
    const [closed, open] = ['closed', 'open'].map((model) => own.filter((r) => r.step.model === model));
    const operations = groupBy(closed, (r) => r.operation);
    return { workload, transport, operations, mix: mixOf(plan, own), drives: drivesOf(plan, own), open };
  });
  const fields = { script, suites: suitesOf({ plan, rows, wholes }), loads };
  return loads.length === 0 && !script ? null : write(plan, fields);
}

/**
 * What a mix was made of: counts and shares of its operations, and all of them together.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload
 * @returns {object[]} none where the workload is no mix
 */
export function mixOf({ workloads }, own) {
  const operations = workloads.find((w) => w.id === own[0].workload)?.operations ?? {};
  const all = Object.entries(operations).map(([name, { share }]) => ({ name, share }));
  const parts = all.filter(({ share }) => share !== undefined);
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
