import { ofFewestUsers } from '../../../config/step-text.js';
import { groupBy } from '../../../group-by.js';
import { chartsOf } from '../../charts/ladder.js';
import { counted } from '../../words.js';
import { baseStepOf, chainOf, depthsOf, isUnpausedOnly, meanOf } from './relations.js';

/**
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/**
 * Workloads that belong together: all of a page that compares storages of one API.
 * @typedef {object} Suite
 * @property {Plan} plan
 * @property {string} title
 * @property {string} transport
 * @property {WorkloadFacts[]} workloads in the order of the plan
 * @property {string[]} systems ids, in the order of the plan
 * @property {Row[]} wholes all operations of a step together
 * @property {Row[]} rows of single operations
 */

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes'>} run
 * @returns {Suite[]} one for each transport
 */
export function suitesOf({ plan, rows, wholes }) {
  const suiteOf = new Map(plan.workloads.map((w) => [w.id, w.shown?.suite]));
  const own = wholes.filter((r) => suiteOf.get(r.workload) !== undefined);
  return groupBy(own, (r) => `${suiteOf.get(r.workload)}\n${r.transport}`).map((steps) => {
    const [{ workload, transport }] = steps;
    const ids = new Set(steps.map((c) => c.workload));
    return {
      ...{ plan, title: String(suiteOf.get(workload)), transport, wholes: steps },
      workloads: plan.workloads.filter((w) => ids.has(w.id)),
      systems: plan.systems.map((s) => s.id).filter((id) => steps.some((c) => c.system === id)),
      rows: rows.filter((r) => ids.has(r.workload) && r.transport === transport),
    };
  });
}

const BARS = Object.freeze({ kind: /** @type {const} */ ('bars'), unit: 'ms', name: '' });

/**
 * The bar charts of a suite: p95 of each workload, latency by depth.
 * @param {Suite} suite
 * @returns {Chart[]}
 */
export function suiteCharts(suite) {
  return [...baselineChart(suite), ...suite.workloads.flatMap((w) => depthChart(suite, w))];
}

/** @param {Suite} suite */
function baselineChart(suite) {
  const { plan, workloads, systems } = suite;
  const steps = ofFewestUsers(suite.wholes);
  // One bar compares nothing.
  if (steps.length === 0 || workloads.length * systems.length < 2) return [];
  const users = counted(steps[0].step.vus, 'user');
  return chartsOf(
    plan,
    {
      ...{ ...BARS, title: `p95 of each workload, ${users}`, systems },
      ...{ file: ['suite', suite.title, suite.transport, 'baseline'] },
      places: workloads.map((w) => w.title),
    },
    (id, place) => steps.find((r) => r.workload === workloads[place].id && r.system === id)?.serviceMs.p95,
  );
}

/** @param {Suite} suite @param {WorkloadFacts} workload */
function depthChart(suite, workload) {
  const { plan, systems, wholes, rows } = suite;
  const { id: name, title } = workload;
  const base = baseStepOf(wholes, name);
  if (!base || chainOf(workload) === null) return [];
  const depths = depthsOf(workload);
  const at = `${counted(base.vus, 'user')}${isUnpausedOnly(base) ? ', without a pause' : ''}`;
  return chartsOf(
    plan,
    {
      ...{ ...BARS, title: `${title}: mean latency, ${at}`, systems },
      file: ['suite', suite.title, suite.transport, name, 'depths'],
      places: depths.map(
        ({ depth, beside }) => `${depth} levels of relations${beside ? ` + ${beside}` : ''}`,
      ),
    },
    (id, place) => meanOf(rows, name, id, base, depths[place].operation),
  );
}
