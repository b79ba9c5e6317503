import { isPaused } from '../config/step-text.js';
import { comparisonsAt, loadOf } from '../figures/comparisons.js';
import { leadsOf } from '../figures/lead.js';
import { chartPair } from './charts/ladder.js';
import { at, familiesOf, ladderRows, ladderSteps, stepInLoad, stepsOf } from './matrix/families.js';
import { leadsText } from './matrix/lead-words.js';
import { contenders } from './systems.js';

/**
 * @import { ComparedLoad, MetricName, Plan } from '../types.d.ts'
 * @import { Row } from '../figures/rows.js'
 * @import { Chart } from './charts/ladder.js'
 * @import { Load } from './matrix/families.js'
 * @import { Run } from './run.js'
 */

/**
 * A line of a table of loads: one operation on one step, whatever way it was measured.
 * @typedef {{operations: string[], text: string, step: string, at: ComparedLoad, cells: {system: string, row: Row | null}[]}} Entry
 *   `operations`: none where the load has but one; `text`: of the step
 */

/**
 * What one workload over one transport did. `able`: systems that may win; `ladder`: rows that differ in nothing but users, and
 * its `charts`; `paused`: pauses set the throughput, whoever answers.
 * @typedef {Load & {able: string[], entries: Entry[], ladder: Row[], paused: boolean, charts: Chart[]}} LoadTable
 */

/** What a page is made from. @typedef {Run & {loads: LoadTable[]}} Page */

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'sideBySide'>} run
 * @returns {LoadTable[]} of each load that has a row: users down and systems across
 */
export function loadTablesOf(run) {
  const { plan } = run;
  return familiesOf(run).flatMap(({ loads, systems }) =>
    loads.flatMap((load) => {
      const entries = entriesOf(plan, load, systems);
      const able = contenders(plan, systems);
      return entries.length === 0 ? [] : [{ ...load, ...ladderOf(plan, load), systems, able, entries }];
    }),
  );
}

/** @param {Plan} plan @param {Load} load @returns {Pick<LoadTable, 'ladder' | 'paused' | 'charts'>} */
function ladderOf(plan, load) {
  const steps = ladderSteps(plan, load.main);
  const ladder = ladderRows(plan, load.main);
  const paused = steps.length > 0 && steps.every((s) => isPaused(plan, load.facts, s));
  return { ladder, paused, charts: chartPair(plan, load, ladder, paused) };
}

/**
 * @param {Plan} plan
 * @param {Load} load
 * @param {string[]} systems
 * @returns {Entry[]} of each operation the steps of the ladder, then the others; of a mix in trials of one system its parts, too, below all of it together
 */
function entriesOf(plan, load, systems) {
  const lists = [...load.operations, ...load.parts].map((list) => {
    const ladder = ladderSteps(plan, list);
    const isClosed = (/** @type {Row} */ { step }) =>
      step.model === 'closed' && !ladder.some((s) => s.id === step.id);
    return { list, steps: [...ladder, ...stepsOf(list.filter(isClosed))] };
  });
  const hasSeveral = new Set(lists.flatMap(({ list }) => list[0]?.operation ?? [])).size > 1;
  return lists.flatMap(({ list, steps }) =>
    steps
      .map(({ id: step }) => ({
        ...{ step, at: { ...loadOf(list[0]), step }, text: stepInLoad(plan, load, step, list[0].operation) },
        operations: hasSeveral ? [list[0].operation] : [],
        cells: systems.map((system) => ({ system, row: at(list, step, system) ?? null })),
      }))
      .filter(({ cells }) => cells.some(({ row }) => row !== null)),
  );
}

/**
 * @param {Run} run
 * @param {LoadTable} table
 * @param {Pick<Entry, 'at' | 'cells'>} entry
 * @param {MetricName} metric
 * @returns {string} Markdown: who wins by it, or why nobody does
 */
export function winnerText({ plan, comparisons }, { able }, { at: load, cells }, metric) {
  const all = comparisonsAt(comparisons, load, metric);
  const own = all.filter(({ medians }) => medians.a !== null && medians.b !== null);
  const shown = cells.filter(({ system, row }) => able.includes(system) && row?.ratePerSec);
  return leadsText(plan, leadsOf(able, own), shown.length);
}
