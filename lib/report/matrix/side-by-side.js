import { representative } from '../../../k6/schedule/facts.js';
import { figureText, mebibytes, significant } from '../../format.js';
import { leadOfPairs, pairOf, pairOfComparison } from '../../record/lead.js';
import { counted, titleOf, workloadTitleOf } from '../words.js';
import { times } from './times.js';

/**
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
  return [...loads, ...memoryQuestions(plan, summary)];
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
  const rivals = comparisons.filter((c) => c.kind === 'rivals');
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
function questionOf(plan, { group, trust }, cell, comparisons) {
  const own = comparisons.filter((c) => c.cell === cell.id);
  const beside = besideWhom(group.systems, own);
  const anchors = group.systems.filter((id) => !beside.has(id) && own.some((c) => isOf(c, id)));
  const isOnlyAnchor = anchors.length === 1;
  // Slices of two pairs are not of the same moment: the others stand as what they were beside one of them.
  const shownOf = (/** @type {string} */ id) => {
    const c = beside.get(id);
    if (!c?.verdict.ratio) {
      const found = own.find((x) => isOf(x, id));
      return found ? significant(found.operationsPerCpuSec[found.a === id ? 'a' : 'b']) : '–';
    }
    const { ratio, better } = c.verdict;
    const text = times((better === 'a' ? c.a : c.b) === id ? ratio.estimate : 1 / ratio.estimate);
    const other = c.a === id ? c.b : c.a;
    return isOnlyAnchor ? text : `${text} ${titleOf(plan, other)}`;
  };
  const rivals = own.filter((c) => c.kind === 'rivals');
  const leads = rivalsTogether(group.systems, rivals).map((systems) =>
    leadOfPairs(systems, rivals.filter((c) => systems.includes(c.a)).map(pairOfComparison)),
  );
  const where = loadText(cell);
  return {
    where,
    text: `${where}, op per CPU-second`,
    dimension: 'per CPU',
    better: 'more',
    values: new Map(group.systems.map((id) => [id, shownOf(id)])),
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

/**
 * @param {readonly string[]} systems
 * @param {SideBySideSummary['comparisons']} own of one load
 * @returns {Map<string, SideBySideSummary['comparisons'][number]>} by system: its ratio to the first one before it that has
 *   a figure of its own; none for those that have one, which is the first system and whoever was beside none of them
 */
function besideWhom(systems, own) {
  const known = new Map();
  /** @type {string[]} */
  const alone = [];
  for (const id of systems) {
    const [found] = alone.flatMap((other) =>
      own.filter((c) => isOf(c, other) && isOf(c, id) && c.verdict.ratio),
    );
    if (found) known.set(id, found);
    else alone.push(id);
  }
  return known;
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
