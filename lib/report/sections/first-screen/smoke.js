import { representative } from '../../../../k6/schedule/facts.js';
import { isPlain } from '../../../config/step-text.js';
import { upright } from '../../../figures/compare.js';
import { TOGETHER } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { systemsIn } from '../../systems.js';
import { subjectOf } from '../../words.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { Plan, WorkloadFacts } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/** A difference of one repeat that is worth more of them. */
const LARGE = 5;

/**
 * @param {Plan} plan
 * @returns {boolean} whether each of several jobs was done once: then it was asked if everything works
 */
export function isSmoke({ workloads, repeats, systems, profile: { steps }, options }) {
  const jobs = new Set(workloads.map(subjectOf));
  const isPlain = !steps.some((s) => s.kill || s.fault || s.soak || s.background);
  const several = systems.filter((s) => s.role === 'system').length > 1;
  return repeats === 1 && jobs.size > 1 && several && isPlain && !options?.script;
}

/**
 * Whether everything works here.
 * @param {Run} run
 * @returns {any} fields of its page
 */
export function smokeFields({ plan, rows, wholes, comparisons, verdicts }) {
  const jobs = groupBy(plan.workloads, subjectOf);
  const systems = systemsIn(plan);
  const lines = systems.map((system) => {
    const own = [...rows, ...wholes].filter((r) => r.system === system.id);
    return { ...system, cells: jobs.map((workloads) => cellOf(own, workloads)) };
  });
  // Of one repeat nobody wins, but what is so far apart is worth a real run.
  const [worth = null] = comparisons
    .filter((c) => c.kind === 'rivals' && c.metric === 'throughput' && c.load?.operation !== TOGETHER)
    .map(upright)
    .filter(({ ratio }) => Number(ratio?.estimate) >= LARGE)
    .sort((a, b) => Number(b.ratio?.estimate) - Number(a.ratio?.estimate));
  const absent = plan.absent.filter((a) => a.system).length;
  return {
    ...{ lines, verdicts, worth, absent, known: systems.length + absent },
    profile: plan.options.again?.profile ?? plan.profileId,
    works: lines.filter(({ cells }) => cells.some((c) => c.any) && cells.every((c) => c.failure === null))
      .length,
    limited: lines.some(({ cells }) => cells.some((c) => c.bound)),
  };
}

/**
 * @param {Row[]} rows of a system
 * @param {WorkloadFacts[]} workloads of one job
 */
function cellOf(rows, workloads) {
  const own = rows.filter((r) => workloads.some(({ id }) => id === r.workload));
  // One operation at a time of each user, as an application sends them.
  const known = own.filter((r) => isPlain(r.step) && r.ratePerSec);
  const main = known.filter((r) =>
    workloads.some((w) => w.id === r.workload && representative(w) === r.operation),
  );
  const rates = (main.length > 0 ? main : known).flatMap((r) => r.ratePerSec ?? []);
  const [most = null] = rates.sort((a, b) => b.median - a.median);
  return {
    ...{ job: subjectOf(workloads[0]), any: own.length > 0 },
    ...{ rate: most?.median ?? null, bound: most?.bound === 'lower' },
    failure: own.find((r) => r.failure !== null)?.failure ?? null,
  };
}
