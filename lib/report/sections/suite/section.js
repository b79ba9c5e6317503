import { groupBy } from '../../../group-by.js';
import { REASONS } from '../../../judge/method.js';
import { stepText } from '../../steps.js';
import { codesText } from '../../words.js';
import { backgroundPart } from './background.js';
import { suiteCharts } from './charts.js';
import { federationPart } from './federation.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the tables of a suite are made from.
 * @typedef {object} Suite
 * @property {Plan} plan
 * @property {string} title
 * @property {string} transport
 * @property {WorkloadFacts[]} workloads in the order of the plan
 * @property {string[]} systems ids, in the order of the plan
 * @property {Row[]} wholes all operations of a step together
 * @property {Row[]} rows of single operations
 * @property {Lifecycle[]} lifecycle
 */

/**
 * The workloads that belong together, side by side: all of a page that compares storages of one API.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'lifecycle'>} run
 * @returns {Section[]}
 */
export function section({ plan, rows, wholes, lifecycle }) {
  const suiteOf = new Map(plan.workloads.map((w) => [w.id, w.shown?.suite]));
  const own = wholes.filter((r) => suiteOf.get(r.workload) !== undefined);
  return groupBy(own, (r) => `${suiteOf.get(r.workload)}\n${r.transport}`).map((steps) => {
    const [{ workload, transport }] = steps;
    const title = String(suiteOf.get(workload));
    const ids = new Set(steps.map((c) => c.workload));
    return sectionOf({
      plan,
      title,
      transport,
      workloads: plan.workloads.filter((w) => ids.has(w.id)),
      systems: plan.systems.map((s) => s.id).filter((id) => steps.some((c) => c.system === id)),
      wholes: steps,
      rows: rows.filter((r) => ids.has(r.workload) && r.transport === transport),
      lifecycle,
    });
  });
}

/**
 * @param {Suite} suite
 * @returns {Section}
 */
function sectionOf(suite) {
  return {
    title: `${suite.title} over ${suite.transport}, workloads side by side`,
    intro: [
      'All operations of a workload together; medians of the repeats with their 95 % intervals. Times are service times in ms. † marks what is not ranked: the reasons stand below the tables.',
    ],
    parts: [{ charts: suiteCharts(suite) }, backgroundPart(suite), federationPart(suite), doubtsPart(suite)],
  };
}

/**
 * @param {Suite} suite
 * @returns {Section | null} what † stands for here
 */
function doubtsPart({ plan, wholes }) {
  const doubtful = wholes.filter((w) => w.why.length > 0);
  const codes = [...new Set(doubtful.flatMap((w) => w.why))].sort();
  if (codes.length === 0) return null;
  const notes = codes.map((code) => {
    const where = doubtful.filter((w) => w.why.includes(code));
    const steps = where.map((w) => `${w.title}, ${w.workload}, ${stepText(plan, w.step.id)}`);
    const more = steps.length > 4 ? ` and ${steps.length - 4} more` : '';
    return `${codesText([code])}: ${REASONS[code].text} (${steps.slice(0, 4).join('; ')}${more})`;
  });
  return { intro: ['† stands for:'], notes };
}
