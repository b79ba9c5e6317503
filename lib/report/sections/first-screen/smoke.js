import { representative } from '../../../../k6/schedule/facts.js';
import { isPlain } from '../../../config/step-text.js';
import { upright } from '../../../figures/compare.js';
import { TOGETHER } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { RULES } from '../../../judge/method.js';
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
  const jobs = groupBy(plan.workloads, subjectOf).map((workloads) => jobOf(workloads, rows));
  const systems = systemsIn(plan);
  const lines = systems.map((system) => {
    const own = [...rows, ...wholes].filter((r) => r.system === system.id);
    return { ...system, cells: jobs.map((job) => cellOf(own, job)) };
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
    operations: [...new Set(jobs.flatMap(({ operation }) => operation ?? []))],
    profile: plan.options.again?.profile ?? plan.profileId,
    works: lines.filter(({ cells }) => cells.some((c) => c.any) && cells.every((c) => c.failure === null))
      .length,
    limited: lines.some(({ cells }) => cells.some((c) => c.bound)),
  };
}

/**
 * @typedef {object} Job
 * @property {string} title
 * @property {WorkloadFacts[]} workloads
 * @property {string | null} operation whose rate is shown of every system: that which most of them have; null: none has any
 * @property {(row: Row) => boolean} isShown
 */

/**
 * @param {WorkloadFacts[]} workloads of one job
 * @param {Row[]} rows of all systems
 * @returns {Job}
 */
function jobOf(workloads, rows) {
  // One operation at a time of each user, as an application sends them.
  const mains = new Map(workloads.map((w) => [w.id, representative(w)]));
  const known = rows.filter((r) => mains.has(r.workload) && isPlain(r.step) && r.ratePerSec);
  const main = known.filter((r) => mains.get(r.workload) === r.operation);
  const keyOf = (/** @type {Row} */ r) => [r.workload, r.transport, r.step.id, r.operation].join('\n');
  const [[most] = []] = groupBy(main.length > 0 ? main : known, keyOf).sort((a, b) => b.length - a.length);
  return {
    ...{ title: subjectOf(workloads[0]), workloads, operation: most?.operation ?? null },
    isShown: (row) => most !== undefined && keyOf(row) === keyOf(most),
  };
}

/**
 * @param {Row[]} rows of a system
 * @param {Job} job
 */
function cellOf(rows, { title, workloads, isShown }) {
  const own = rows.filter((r) => workloads.some(({ id }) => id === r.workload));
  const rate = own.find(isShown)?.ratePerSec;
  const without = own.filter((r) => r.failure !== null);
  const failed = without.find((r) => !isSlow(r));
  return {
    ...{ job: title, any: own.length > 0, rate: rate?.median ?? null, bound: rate?.bound === 'lower' },
    ...{ failure: failed?.failure ?? null, slow: rate ? null : (without[0]?.failure ?? null) },
  };
}

/**
 * @param {Row} row without a figure
 * @returns {boolean} whether the system did all that it was asked, and only the window was too short for it
 */
function isSlow({ repeats, tried, codes }) {
  const grave = codes.filter((code) => RULES[code].status === 'INVALID');
  const didAll = tried.ran === repeats && tried.done > 0 && tried.failed === 0;
  return didAll && grave.every((code) => RULES[code].ofWindow);
}
