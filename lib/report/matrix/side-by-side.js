import { representative } from '../../../k6/schedule/facts.js';
import { significant } from '../../format.js';
import { leadOfPairs, pairOfComparison } from '../../record/lead.js';
import { counted, titleOf } from '../words.js';
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
 * @returns {Question[]} operations per CPU-second on each load; none where the machine did not treat both sides alike
 */
export function pairedQuestions(plan, summary, whole = summary.group.cells.length <= FEW) {
  const { group, comparisons } = summary;
  const facts = plan.workloads.find((w) => w.id === group.workload);
  const main = facts && representative(facts);
  const cells = group.cells.filter((c) => whole || c.operation === main);
  return (cells.length > 0 ? cells : group.cells).map((cell, i) => ({
    ...questionOf(plan, summary, cell, comparisons),
    // The loads of a group grow, and the heaviest tells most.
    weight: 10 + i / 100,
  }));
}

/** @param {SideBySideCell} cell @returns {string} `increment, 50 connections × 16` */
export function loadText({ operation, connections, depth }) {
  return `${operation}, ${counted(connections, 'connection')}${depth > 1 ? ` × pipeline ${depth}` : ''}`;
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
  const [base] = group.systems;
  // Slices of two pairs are not of the same moment: the others stand as what they were beside the first.
  const shownOf = (/** @type {string} */ id) => {
    if (id === base) {
      const found = own.find((c) => [c.a, c.b].includes(base));
      return found ? significant(found.operationsPerCpuSec[found.a === base ? 'a' : 'b']) : '–';
    }
    // One that was never beside the first is told by the first one that it was beside.
    const [found] = group.systems.flatMap((other) =>
      other === id ? [] : own.filter((c) => isOf(c, other) && isOf(c, id) && c.verdict.ratio),
    );
    if (!found?.verdict.ratio) return '–';
    const { ratio, better } = found.verdict;
    const text = times((better === 'a' ? found.a : found.b) === id ? ratio.estimate : 1 / ratio.estimate);
    return isOf(found, base) ? text : `${text} ${titleOf(plan, found.a === id ? found.b : found.a)}`;
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
      trust === 'held' || lead.winner === null || lead.verdict === 'trend'
        ? lead
        : { ...lead, verdict: 'barred', winner: null, beaten: [], why: WHY_BARRED[trust] },
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
