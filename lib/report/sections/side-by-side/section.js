import { durabilityOf } from '../../../config/durability.js';
import { MISSING, wholeNumber } from '../../../format.js';
import { upright } from '../../../record/compare.js';
import { comparedOf } from '../../../record/side-by-side.js';
import { familiesOf } from '../../matrix/families.js';
import { matrixTable } from '../../matrix/index.js';
import { questionText } from '../../matrix/labels.js';
import { efficiencyQuestions } from '../../matrix/questions.js';
import { times, timesText } from '../../matrix/times.js';
import { listed, titleOf, workloadTitleOf } from '../../words.js';
import { firstRows, ofProducts } from '../first-screen/fit.js';

/**
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { SideBySideSummary } from '../../../record/side-by-side.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** Why a run names nobody. */
const WHY_NOBODY = Object.freeze({
  held: '',
  ahead: 'in this run a system came out ahead of itself: the machine did not treat both sides alike',
  untested: 'too few slices of one system against itself counted to know how far this run can be trusted',
});

/**
 * Every load on which systems were compared at the same moment, but those that the first screen has.
 * @param {Run} run
 * @returns {Section[]} one for each group that was measured
 */
export function section(run) {
  const { plan, sideBySide, matrices } = run;
  const first = new Set(
    firstRows(matrices.map(ofProducts)).shown.flatMap((m) => m.questions.map(questionText)),
  );
  const families = familiesOf(run);
  return sideBySide
    .filter(({ starts }) => starts > 0)
    .map((summary) => {
      const { workload, transport } = summary.group;
      const all = families.flatMap((f) => efficiencyQuestions({ ...run, sideBySide: [summary] }, f, true));
      const several = sideBySide.filter(({ group }) => group.workload === workload).length > 1;
      const title = `${workloadTitleOf(plan, workload)}${several ? ` over ${transport}` : ''}`;
      return sectionOf(
        plan,
        summary,
        title,
        all.filter((q) => q.leads.length > 0 && !first.has(questionText(q))),
      );
    });
}

/**
 * @param {SideBySideSummary[]} summaries
 * @returns {string[]} Markdown: why systems that were to be compared are not
 */
export function refusedAnswers(summaries) {
  return summaries.flatMap(({ group, starts, failures, comparisons, trust, trusted }) => {
    if (starts === 0) return [`**${group.workload}: no start was measured**: ${failures.join('; ')}.`];
    const named = comparisons.some(({ why }) => why.some(({ code }) => code.startsWith('noise_')));
    return trust === 'ahead' || (!trusted && named)
      ? [`**${group.workload}: nobody is named**, because ${WHY_NOBODY[trust]}.`]
      : [];
  });
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary[]} summaries
 * @returns {string[]} Markdown: systems that have no answer, because they have no rival
 */
export function rivallessAnswers(plan, summaries) {
  const done = summaries.filter(({ starts }) => starts > 0);
  return [...new Set(done.flatMap((s) => rivallessText(plan, s)))].map((text) => `${text}.`);
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {string} title of its workload
 * @param {Question[]} questions of loads
 * @returns {Section}
 */
function sectionOf(plan, summary, title, questions) {
  const { group, starts } = summary;
  const slotMs = group.cells.find((c) => c.slotMs)?.slotMs;
  const inTurns = slotMs
    ? ` With one operation under way they take turns of ${slotMs} ms: of two that are woken at the same moment one may pay for both.`
    : '';
  return {
    title: `${title}: CPU efficiency, side by side`,
    intro: [
      `Two systems are loaded at the same moment, both on one CPU, the load on the others; the figure is operations per CPU-second, over ${starts} ${starts === 1 ? 'start' : 'starts'} on fresh data.${inTurns}`,
      trustText(plan, summary),
    ],
    tables: questions.length > 0 ? [matrixTable(plan, { systems: group.systems, questions })] : [],
    notes: [
      ...rivallessText(plan, summary),
      ...summary.failures.map((reason) => `A start failed: ${reason}.`),
      ...summary.spinning.map(
        (id) =>
          `${titleOf(plan, id)} takes CPU without any load, so nobody can tell what an operation costs it: it is compared by throughput alone.`,
      ),
      ...summary.state.wrong.map(
        ({ system, start, detail }) =>
          `${titleOf(plan, system)}, start ${start}: ${detail}; that start counts for none of its comparisons.`,
      ),
    ],
  };
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {string} what the run says of itself: one system against itself, what shared the machine, what was stored
 */
function trustText(plan, { group, same, state, host, trusted }) {
  const seen = same.filter((c) => c.ratio !== null);
  const [worst] = [...seen].sort(
    (x, y) => Number(upright(y).ratio?.estimate) - Number(upright(x).ratio?.estimate),
  );
  const self = worst
    ? `${titleOf(plan, group.twinOf)} against itself: at most ${ratioText(worst)}${trusted ? '' : ', so nothing here is ranked'}`
    : 'no system was compared with itself';
  const busy =
    host.foreignCores === null
      ? ''
      : ` · ${host.foreignCores.toFixed(1)} cores of other work on the machine, steal ${Math.round(host.stealShare * 100)} %`;
  const stored =
    state.wrong.length > 0
      ? ` · ${state.wrong.length} checks of the state failed`
      : state.acked > 0
        ? ` · ${wholeNumber(state.acked)} writes acknowledged, all found again`
        : '';
  return `**Trust**: ${self}${busy}${stored}. A ratio is good to about 10 % across conditions, whatever its interval says.`;
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {string[]} who is compared with nobody, and why
 */
function rivallessText(plan, summary) {
  const compared = comparedOf(summary.group);
  const names = summary.group.systems.filter((id) => !compared.includes(id)).map((id) => titleOf(plan, id));
  if (names.length === 0) return [];
  if (compared.length === 0)
    return [
      `**${listed(names)}** are not compared over ${summary.group.transport}: ${promisesText(plan, summary)} (what each does alone is below)`,
    ];
  const [is, it] = names.length === 1 ? ['is', 'it promises'] : ['are', 'they promise'];
  return [
    `**${listed(names)}** ${is} compared with nobody: ${it} something else of an acknowledged write than the others (what each does alone is below)`,
  ];
}

/** How the meaning of a durability begins, up to its details. */
const ACKNOWLEDGED = /^an acknowledged write is ([^;(]*[^;( ])/;

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary of systems that are no rivals
 * @returns {string} what each promises, as far as it says so in like words
 */
function promisesText({ systems }, { group, versions }) {
  const promises = group.systems.map((id) => {
    const system = systems.find((s) => s.id === id);
    const facts = { version: versions[id] ?? null, transport: group.transport };
    const means = system && ACKNOWLEDGED.exec(durabilityOf(system, facts).meaning);
    return means ? `what ${system.title} acknowledges is ${means[1]}` : null;
  });
  return promises.includes(null)
    ? 'they promise unlike things of an acknowledged write'
    : promises.join(', ');
}

/** @param {Comparison} comparison */
function ratioText(comparison) {
  const { ratio } = upright(comparison);
  if (!ratio) return MISSING;
  const word = { tie: ', tie', inconclusive: ', inconclusive', 'too few': ' (too few repeats)' };
  const { outcome } = comparison;
  if (outcome === 'too few') return `${times(ratio.estimate)}${word[outcome]}`;
  return `${timesText(ratio)}${outcome === 'tie' || outcome === 'inconclusive' ? word[outcome] : ''}`;
}
