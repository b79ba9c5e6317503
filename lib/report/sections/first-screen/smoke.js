import { representative } from '../../../../k6/schedule/facts.js';
import { isPlain } from '../../../config/step-text.js';
import { groupBy } from '../../../group-by.js';
import { profileWord } from '../../declared.js';
import { systemsIn } from '../../matrix/contenders.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/** A difference of one repeat that is worth more of them. */
const LARGE = 5;
/** So many of them, the largest first. */
const NAMED = 1;

/** @param {Plan['workloads'][number]} workload @returns {string} what it is about */
function jobOf({ shown, title }) {
  return shown?.suite ?? title.split(',')[0];
}

/**
 * @param {Plan} plan
 * @returns {boolean} whether each of several jobs was done once: then it was asked if everything works
 */
export function isSmoke({ workloads, repeats, systems, profile: { steps }, options }) {
  const jobs = new Set(workloads.map(jobOf));
  const isPlain = !steps.some((s) => s.kill || s.fault || s.soak || s.background);
  const several = systems.filter((s) => s.role === 'system').length > 1;
  return repeats === 1 && jobs.size > 1 && several && isPlain && !options?.script;
}

/**
 * Whether everything works here.
 * @param {Run} run
 * @returns {any} fields of its page
 */
export function smokeFields({ plan, rows, wholes, verdicts }) {
  const jobs = [...new Set(plan.workloads.map(jobOf))];
  const facts = new Map(plan.workloads.map((w) => [w.id, w]));
  const jobOfRow = (/** @type {Row} */ r) => jobOf(/** @type {any} */ (facts.get(r.workload)));
  const systems = systemsIn(plan);
  const cellOf = (/** @type {string} */ system, /** @type {string} */ job) => {
    const all = [...rows, ...wholes].filter((r) => r.system === system && jobOfRow(r) === job);
    const main = all.filter(
      (r) => r.operation === representative(/** @type {any} */ (facts.get(r.workload))),
    );
    // One operation at a time of each user, as an application sends them.
    const ratesOf = (/** @type {Row[]} */ of) => of.flatMap((r) => (isPlain(r.step) && r.ratePerSec) || []);
    const rates = [ratesOf(main), ratesOf(all)].find((own) => own.length > 0) ?? [];
    const [most = null] = [...rates].sort((a, b) => b.median - a.median);
    const failed = all.find((r) => r.failure !== null);
    return {
      ...{ job, any: all.length > 0, rate: most?.median ?? null, bound: most?.bound === 'lower' },
      failure: failed?.failure ?? null,
    };
  };
  const lines = systems.map((s) => ({ ...s, cells: jobs.map((job) => cellOf(s.id, job)) }));
  const worth = differencesOf(rows);
  const absent = plan.absent.filter((a) => a.system).length;
  return {
    ...{ jobs, lines, verdicts },
    works: lines.filter(({ cells }) => cells.some((c) => c.any) && cells.every((c) => c.failure === null))
      .length,
    ...{ absent, known: systems.length + absent, profile: profileWord(plan), worth },
    limited: lines.some(({ cells }) => cells.some((c) => c.bound)),
    failures: lines.flatMap(({ title, cells }) =>
      cells.flatMap((c) => (c.failure === null ? [] : [{ title, job: c.job, failure: c.failure }])),
    ),
    workloads: worth.map(({ workload }) => workload),
  };
}

/**
 * @param {Row[]} rows
 * @returns {{winner: string, loser: string, operation: string, workload: string, factor: number}[]} pairs of one repeat that are far apart: worth a real run
 */
function differencesOf(rows) {
  const known = rows.filter((r) => r.ratePerSec && r.operation !== '' && r.step.model === 'closed');
  return groupBy(known, (r) => `${r.workload}\n${r.transport}\n${r.operation}\n${r.step.id}`)
    .flatMap((own) => {
      const sorted = [...own].sort((a, b) => Number(b.ratePerSec?.median) - Number(a.ratePerSec?.median));
      const [most, least] = [sorted[0], sorted[sorted.length - 1]];
      const factor = Number(most.ratePerSec?.median) / Number(least.ratePerSec?.median);
      const { operation, workload } = most;
      const told = { winner: most.title, loser: least.title, operation, workload, factor };
      return sorted.length > 1 && factor >= LARGE ? [told] : [];
    })
    .sort((a, b) => b.factor - a.factor)
    .filter((d, i, all) => all.findIndex((x) => x.workload === d.workload) === i)
    .slice(0, NAMED);
}
