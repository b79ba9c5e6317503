import { capacitiesOf, scalabilityOf } from '../../../figures/capacity.js';
import { between } from '../../../figures/compare.js';
import { comparisonsAt } from '../../../figures/comparisons.js';
import { leadsOf } from '../../../figures/lead.js';
import { errorRatio } from '../../../figures/rows.js';
import { groupBy } from '../../../group-by.js';
import { winnerText } from '../../entries.js';
import { stepInLoad } from '../../matrix/families.js';
import { phrase, templateBeside } from '../../template.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { Interval } from '../../../types.d.ts'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Entry, LoadTable, Page } from '../../entries.js'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/** Fewer numbers of users are no ladder: two points are no slope. */
const FEWEST_USERS = 3;

/**
 * For each workload and transport users down and systems across, every operation, and how far each system goes: of repeats
 * and of starts alike.
 * @param {Page} run
 * @returns {Written | null}
 */
export function section(run) {
  const first = firstLadder(run);
  const loads = run.loads.map((table) => loadFields(run, table, first));
  return loads.length > 0 ? write(run.plan, { loads, paired: run.sideBySide.length > 0 }) : null;
}

/** So many numbers of users are the picture of a run. */
const PICTURED_USERS = 4;

/**
 * @param {Pick<Page, 'loads'>} page
 * @returns {Chart[]} the long ladder with the most figures that may be compared: it stands on the first screen; none without one
 */
export function firstLadder({ loads }) {
  const usersOf = (/** @type {Row[]} */ rows) => new Set(rows.map((r) => r.step.vus)).size;
  const worthOf = (/** @type {Row[]} */ rows) =>
    rows.reduce((n, { ratePerSec: rate }) => n + (rate?.rankable ? rate.n : 0), 0);
  const long = loads.filter(({ ladder }) => usersOf(ladder) >= PICTURED_USERS);
  return long.sort((a, b) => worthOf(b.ladder) - worthOf(a.ladder))[0]?.charts ?? [];
}

/** @param {Run} run @param {LoadTable} table @param {Chart[]} shown above */
function loadFields(run, table, shown) {
  const { plan } = run;
  const { entries, ladder, paused, charts } = table;
  const rivals = paused ? [] : mostCompared(run, table);
  const [base = null] = rivals;
  return {
    ...{ ...table, base, several: rivals.length > 2 },
    lines: entries.map((entry) => ({
      ...entry,
      ratios: ratiosOf(run, entry, rivals),
      winner: winnerText(run, table, entry, 'p99'),
      limits: limitsOf(entry),
    })),
    charts: charts.filter(({ file }) => shown.every((chart) => chart.file !== file)),
    capacities: capacitiesOf(plan, ladder, FEWEST_USERS).map((own) => capacityFields(run, table, own)),
  };
}

/**
 * @param {Run} run
 * @param {LoadTable} table
 * @returns {string[]} the largest set of systems whose conditions are alike: the first is the base of the ratios
 */
function mostCompared({ comparisons }, { able, entries }) {
  const [most] = entries
    .flatMap(({ at }) => leadsOf(able, comparisonsAt(comparisons, at, 'throughput')))
    .sort((a, b) => b.systems.length - a.systems.length);
  return most?.systems ?? [];
}

/** @param {Run} run @param {Entry} entry @param {string[]} rivals @returns {object[]} throughput as times that of the base */
function ratiosOf({ comparisons }, { at }, [base, ...others]) {
  const own = comparisonsAt(comparisons, at, 'throughput');
  return others.flatMap((system) => {
    const found = between(own, system, base);
    return found?.ratio && found.outcome !== 'not comparable' ? [{ system, ...found.ratio, n: found.n }] : [];
  });
}

/** @param {Entry} entry @returns {{system: string, who: string}[][]} who limited a figure, and of which systems */
function limitsOf({ cells }) {
  const known = cells.flatMap(({ system, row }) => (row?.setBy ? [{ system, who: row.setBy.who }] : []));
  return groupBy(known, ({ who }) => who);
}

/**
 * @param {Run} run
 * @param {LoadTable} table
 * @param {ReturnType<typeof capacitiesOf>[number]} capacity of one system
 * @returns {object} how far it keeps to the objective
 */
function capacityFields({ plan }, table, { steps, within, broken, best, last, ...capacity }) {
  const { paused } = table;
  const nameOf = (/** @type {Row | null} */ row) => row && stepInLoad(plan, table, row.step.id);
  const [most, end] = [best, last].map((row) => row?.ratePerSec?.median);
  return {
    ...{ ...capacity, ...capacity.objective, paused, within: nameOf(within), best: nameOf(best) },
    broken: broken && { ...broken, name: nameOf(broken), share: errorRatio(broken) },
    fall: last !== best && most && end ? { to: nameOf(last), less: 1 - end / most } : null,
    law: paused ? null : scalabilityText(steps),
  };
}

/** From here on a law that misses a step by so much describes something else. */
const MISSED = 0.25;

/** @param {Interval} of @param {(value: number) => number} change @returns {Interval} */
function mapped({ estimate, low, high }, change) {
  return { estimate: change(estimate), low: change(low), high: change(high) };
}

/**
 * Where throughput peaks, and what keeps it from growing: the Universal Scalability Law in plain words.
 * @param {Row[]} steps of one system on one ladder
 * @returns {string | null} Markdown, one line; null under six numbers of users
 */
export function scalabilityText(steps) {
  const law = scalabilityOf(steps);
  if (!law) return null;
  const { sigma, kappa, peakUsers, missesBy, mostUsers } = law;
  return phrase('scalabilityText', {
    ...{ ...law, title: steps[0].title, unfit: missesBy > MISSED },
    ...{ sigma: mapped(sigma, (v) => v * 100), kappa: mapped(kappa, (v) => v * 1e6) },
    peak: Number.isFinite(peakUsers.estimate) ? mapped(peakUsers, Math.round) : null,
    beyond: peakUsers.estimate > mostUsers,
    missed: Math.max(1, Math.round(missesBy * 100)),
  });
}
