import { representative } from '../../../k6/schedule/facts.js';
import { figureText, mebibytes, significant } from '../../format.js';
import { leadOfPairs, pairOf, pairOfComparison } from '../../record/lead.js';
import { aloneRow } from '../../record/side-by-side.js';
import { counted, workloadTitleOf } from '../words.js';
import { contenders } from './contenders.js';

/**
 * @import { Row } from '../../record/figures.js'
 * @import { SideBySideSummary } from '../../record/side-by-side.js'
 * @import { Plan, SideBySideCell } from '../../types.d.ts'
 * @import { Question } from './questions.js'
 */

/** Loads of which all operations stand in the matrix. */
const FEW = 8;

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {boolean} [whole] every operation, not only the one by which systems are known
 * @returns {Question[]} operations per CPU-second on each load, and what the systems keep in memory
 */
export function pairedQuestions(plan, summary, whole = summary.group.cells.length <= FEW) {
  const { group, comparisons } = summary;
  const facts = plan.workloads.find((w) => w.id === group.workload);
  const main = facts && representative(facts);
  const cells = group.cells.filter((c) => whole || c.operation === main);
  const loads = (cells.length > 0 ? cells : group.cells).map((cell, i) => ({
    ...questionOf(plan, summary, cell, comparisons),
    // The loads of a group grow, and the heaviest tells most.
    weight: 10 + i / 100,
  }));
  return [...loads, ...memoryQuestions(plan, summary), ...aloneQuestions(plan, summary)];
}

/**
 * What each system did alone names nobody: it was measured at another moment than what the others did.
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {Question[]} throughput and p99 of the operation by which systems are known, with the fewest and the most users
 */
function aloneQuestions({ workloads }, summary) {
  const { cells, systems, workload } = summary.group;
  const facts = workloads.find((w) => w.id === workload);
  const main = facts && representative(facts);
  const plain = cells.filter((c) => c.depth === 1 && (c.operation === main || c.operation === 'mix'));
  const sorted = [...plain].sort((a, b) => a.connections - b.connections);
  const [fewest, most] = [sorted[0], sorted.at(-1)];
  const ways = [
    {
      unit: 'op/s',
      dimension: /** @type {const} */ ('throughput'),
      read: (/** @type {Row} */ r) => r.ratePerSec,
    },
    {
      unit: 'p99, ms',
      dimension: /** @type {const} */ ('latency'),
      read: (/** @type {Row} */ r) => r.serviceMs.p99,
    },
  ];
  return [...new Set([fewest, most])].flatMap((cell, i) =>
    cell
      ? ways.flatMap(({ unit, dimension, read }) => {
          const figures = new Map(
            systems.map((id) => {
              const row = aloneRow(summary, cell, id);
              return [id, row?.usable ? read(row) : null];
            }),
          );
          if ([...figures.values()].every((figure) => !figure)) return [];
          return [
            {
              ...{ where: loadText(cell), text: `${loadText(cell)}, ${unit}`, dimension, figures, leads: [] },
              ...{
                better: dimension === 'latency' ? 'less' : 'more',
                weight: 7 + i - (dimension === 'latency' ? 0.5 : 0),
              },
              values: new Map([...figures].map(([id, figure]) => [id, figureText(figure)])),
            },
          ];
        })
      : [],
  );
}

/**
 * Where cells measure a system, too, its memory is that of a cell; and what grows with all that was done is no memory of the
 * same load.
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {Question[]} what each keeps in memory when the loads of a start are over: one, or none
 */
function memoryQuestions(plan, { group, comparisons, memory }) {
  const facts = plan.workloads.find((w) => w.id === group.workload);
  const isInCells = plan.blocks.some((b) => b.role === 'system' && b.workload === group.workload);
  if (isInCells || !facts?.keys || memory.every(({ rssBytes }) => rssBytes === null)) return [];
  const figures = new Map(memory.map(({ system, rssBytes }) => [system, rssBytes]));
  const able = contenders(plan, group.systems);
  const rivals = comparisons.filter((c) => c.kind === 'rivals' && able.includes(c.a) && able.includes(c.b));
  const entry = (/** @type {string} */ system) => ({ system, figure: figures.get(system) ?? null });
  const leads = rivalsTogether(group.systems, rivals).map((systems) => {
    const own = systems.filter((id) => figures.get(id));
    return leadOfPairs(
      own,
      own.flatMap((a, i) => own.slice(i + 1).map((b) => pairOf(entry(a), entry(b), 'less'))),
    );
  });
  return [
    {
      ...{
        where: '',
        text: 'memory after these loads, MiB',
        dimension: 'memory',
        better: 'less',
        weight: 9.5,
      },
      values: new Map(memory.map(({ system, rssBytes }) => [system, figureText(rssBytes, mebibytes)])),
      figures,
      leads: leads.filter(({ systems }) => systems.length > 1),
    },
  ];
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary[]} all of the run
 * @param {SideBySideSummary['group']} group
 * @returns {string} the workload's title, with the transport where it was loaded over several
 */
export function titleOfGroup(plan, all, { workload, transport }) {
  const title = workloadTitleOf(plan, workload);
  return all.filter(({ group }) => group.workload === workload).length > 1
    ? `${title} over ${transport}`
    : title;
}

/** @param {SideBySideCell} cell @returns {string} `increment, 50 connections × pipeline 16, hot` */
export function loadText({ operation, connections, depth, case: name }) {
  const turns = depth > 1 ? ` × pipeline ${depth}` : '';
  return `${operation}, ${counted(connections, 'connection')}${turns}${name ? `, ${name}` : ''}`;
}

const WHY_BARRED = Object.freeze({
  ahead: 'a system was ahead of itself in this run',
  untested: 'too few slices of a system against itself counted',
});

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {SideBySideCell} cell
 * @param {SideBySideSummary['comparisons']} comparisons
 * @returns {Omit<Question, 'weight'>}
 */
function questionOf(plan, summary, cell, comparisons) {
  const { group, trust } = summary;
  const own = comparisons.filter((c) => c.cell === cell.id);
  // What an operation costs alone is one figure for each; slices of two pairs are not of the same moment.
  const usPerOp = (/** @type {string} */ id) => {
    const alone = aloneRow(summary, cell, id)?.systemCpuUsPerOp?.median;
    const pair = own.find((c) => isOf(c, id));
    const perSec = pair?.operationsPerCpuSec[pair.a === id ? 'a' : 'b'];
    return alone ?? (perSec ? 1e6 / perSec : null);
  };
  const able = contenders(plan, group.systems);
  const rivals = own.filter((c) => c.kind === 'rivals' && able.includes(c.a) && able.includes(c.b));
  const leads = rivalsTogether(group.systems, rivals).map((systems) =>
    leadOfPairs(systems, rivals.filter((c) => systems.includes(c.a)).map(pairOfComparison)),
  );
  const where = loadText(cell);
  return {
    where,
    text: `${where}, CPU per operation, µs`,
    dimension: 'per CPU',
    better: 'less',
    values: new Map(group.systems.map((id) => [id, significant(usPerOp(id))])),
    figures: new Map(),
    pairs: own,
    // A trend, a tie and an open question name nobody: they stand whatever the run says of itself.
    leads: leads.map((lead) =>
      trust === 'held' || lead.winner === null || lead.outcome === 'too few'
        ? lead
        : {
            ...lead,
            outcome: 'not comparable',
            winner: null,
            beaten: [],
            last: null,
            why: WHY_BARRED[trust],
          },
    ),
  };
}

/** @param {{a: string, b: string}} comparison @param {string} id */
function isOf({ a, b }, id) {
  return a === id || b === id;
}

/**
 * @param {readonly string[]} systems
 * @param {{a: string, b: string}[]} rivals pairs of them
 * @returns {string[][]} sets within which somebody may be ahead: systems under other promises are no rivals of theirs
 */
function rivalsTogether(systems, rivals) {
  /** @type {string[][]} */
  let sets = systems.filter((id) => rivals.some((c) => isOf(c, id))).map((id) => [id]);
  for (const { a, b } of rivals) {
    const [x, y] = [a, b].map((id) => sets.find((own) => own.includes(id)) ?? []);
    if (x !== y) sets = sets.map((own) => (own === x ? [...x, ...y] : own)).filter((own) => own !== y);
  }
  return sets.map((own) => systems.filter((id) => own.includes(id)));
}
