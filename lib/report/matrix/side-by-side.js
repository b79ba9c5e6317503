import { significant } from '../../format.js';
import { leadOfPairs, pairOfComparison } from '../../record/lead.js';
import { counted } from '../words.js';
import { representative } from './families.js';
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
  return (cells.length > 0 ? cells : group.cells).map((cell) => questionOf(summary, cell, comparisons));
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
 * @param {SideBySideSummary} summary
 * @param {SideBySideCell} cell
 * @param {SideBySideSummary['comparisons']} comparisons
 * @returns {Question}
 */
function questionOf({ group, trust }, cell, comparisons) {
  const own = comparisons.filter((c) => c.cell === cell.id);
  const [base] = group.systems;
  // Slices of two pairs are not of the same moment: the others stand as what they were beside the first.
  const shownOf = (/** @type {string} */ id) => {
    const found = own.find((c) => [c.a, c.b].includes(base) && (id === base || [c.a, c.b].includes(id)));
    if (!found) return '–';
    if (id === base) return significant(found.operationsPerCpuSec[found.a === base ? 'a' : 'b']);
    const { ratio, better } = found.verdict;
    return ratio
      ? times((better === 'a' ? found.a : found.b) === id ? ratio.estimate : 1 / ratio.estimate)
      : '–';
  };
  const rivals = own.filter((c) => c.kind === 'rivals');
  const systems = group.systems.filter((id) => rivals.some((c) => c.a === id || c.b === id));
  const lead = rivals.length > 0 ? leadOfPairs(systems, rivals.map(pairOfComparison)) : null;
  const where = loadText(cell);
  return {
    where,
    text: `${where}, op per CPU-second`,
    dimension: 'per CPU',
    better: 'more',
    weight: 10,
    values: new Map(group.systems.map((id) => [id, shownOf(id)])),
    figures: new Map(),
    pairs: own,
    // A trend, a tie and an open question name nobody: they stand whatever the run says of itself.
    leads:
      lead === null
        ? []
        : trust === 'held' || lead.winner === null || lead.verdict === 'trend'
          ? [lead]
          : [{ ...lead, verdict: 'barred', winner: null, beaten: [], why: WHY_BARRED[trust] }],
  };
}
