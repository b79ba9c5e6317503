import { ofFewestUsers } from '../../../config/step-text.js';
import { groupBy } from '../../../group-by.js';
import { chartsOf } from '../../charts/ladder.js';
import { inOrder } from '../../matrix/families.js';
import { counted } from '../../words.js';
import { baseStepOf, chainOf, depthsOf, isUnpausedOnly, meanOf } from './relations.js';

/**
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/**
 * What is drawn of workloads that belong together: all of a page that compares storages of one API.
 * @typedef {object} Suite
 * @property {Pick<Run, 'plan' | 'rows'>} run
 * @property {string} title
 * @property {string} transport
 * @property {WorkloadFacts[]} workloads in the order of the plan
 * @property {string[]} systems ids, in the order of the plan
 * @property {Row[]} wholes all operations of a step together
 */

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes'>} run
 * @returns {{title: string, transport: string, charts: Chart[]}[]} one for each suite and transport: p95 of each workload, and
 *   latency by depth
 */
export function suitesOf({ plan, rows, wholes: all }) {
  const suiteOf = (/** @type {Row} */ { workload }) =>
    plan.workloads.find(({ id }) => id === workload)?.shown?.suite;
  return groupBy(all.filter(suiteOf), (r) => `${suiteOf(r)}\n${r.transport}`).map((wholes) => {
    const [title, { transport }] = [String(suiteOf(wholes[0])), wholes[0]];
    const workloads = plan.workloads.filter(({ id }) => wholes.some((r) => r.workload === id));
    const ids = wholes.map(({ system }) => system);
    const suite = { run: { plan, rows }, title, transport, workloads, systems: inOrder(plan, ids), wholes };
    const charts = [...baselineChart(suite), ...workloads.flatMap((w) => depthChart(suite, w))];
    return { title, transport, charts };
  });
}

const BARS = Object.freeze({ kind: /** @type {const} */ ('bars'), unit: 'ms', name: '' });

/** @param {Suite} suite */
function baselineChart({ run, title, transport, workloads, systems, wholes }) {
  const steps = ofFewestUsers(wholes);
  // One bar compares nothing.
  if (steps.length === 0 || workloads.length * systems.length < 2) return [];
  return chartsOf(
    run.plan,
    {
      ...{ ...BARS, title: `p95 of each workload, ${counted(steps[0].step.vus, 'user')}`, systems },
      ...{ file: ['suite', title, transport, 'baseline'], places: workloads.map((w) => w.title) },
    },
    (id, place) => steps.find((r) => r.workload === workloads[place].id && r.system === id)?.serviceMs.p95,
  );
}

/** @param {Suite} suite @param {WorkloadFacts} workload */
function depthChart({ run, transport, systems, wholes, ...suite }, workload) {
  const { id: name, title } = workload;
  const base = baseStepOf(wholes, name);
  if (!base || chainOf(workload) === null) return [];
  const depths = depthsOf(workload);
  const at = `${counted(base.vus, 'user')}${isUnpausedOnly(base) ? ', without a pause' : ''}`;
  const rows = run.rows.filter((r) => r.transport === transport);
  return chartsOf(
    run.plan,
    {
      ...{ ...BARS, title: `${title}: mean latency, ${at}`, systems },
      file: ['suite', suite.title, transport, name, 'depths'],
      places: depths.map(
        ({ depth, beside }) => `${depth} levels of relations${beside ? ` + ${beside}` : ''}`,
      ),
    },
    (id, place) => meanOf(rows, name, id, base, depths[place].operation),
  );
}
