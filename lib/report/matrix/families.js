import { isReceived, representative, takesTurns } from '../../../k6/schedule/facts.js';
import { isPlain, isUserStep, isUsual, ownsData, shapeOfLoad, shapeText } from '../../config/step-text.js';
import { TOGETHER } from '../../figures/rows.js';
import { groupBy } from '../../group-by.js';
import { subjectOf } from '../words.js';

/**
 * @import { Row } from '../../figures/rows.js'
 * @import { Plan, Step, WorkloadFacts } from '../../types.d.ts'
 * @import { Run } from '../run.js'
 */

/**
 * What one workload over one transport did on each step, by the operations that stand for it.
 * @typedef {object} Load
 * @property {WorkloadFacts} facts
 * @property {string} transport
 * @property {string} which case of the workload; '' where it has none
 * @property {Row[][]} operations the rows of each operation shown; one list of all together where users take turns
 * @property {Row[][]} parts the rows of each other operation, of trials of one system
 * @property {Row[]} main the list by which systems are known
 * @property {string[]} systems with a row of it, or loaded at the same moment as another one
 */

/**
 * Workloads of one suite, or that the same systems performed: what can stand in one matrix.
 * @typedef {{title: string, systems: string[], loads: Load[]}} Family
 */

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'sideBySide'>} run
 * @returns {Family[]} in the order of the plan
 */
export function familiesOf(run) {
  const all = groupBy(loadsOf(run), ({ facts, systems }) => facts.shown?.suite ?? systems.join('\n'));
  return all.map((loads) => {
    const titles = new Set(loads.map(({ facts }) => subjectOf(facts)));
    const ids = loads.flatMap(({ systems }) => systems);
    return { title: [...titles].join(' and '), systems: inOrder(run.plan, ids), loads };
  });
}

/** @param {Plan} plan @param {string[]} ids @returns {string[]} each once, in the order of the plan */
export function inOrder({ systems }, ids) {
  return systems.flatMap(({ id }) => (ids.includes(id) ? [id] : []));
}

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'sideBySide'>} run
 * @returns {Load[]}
 */
function loadsOf({ plan, rows, wholes, sideBySide }) {
  return plan.workloads.flatMap((facts) => {
    const paired = sideBySide.flatMap(({ group, starts }) =>
      starts > 0 && group.workload === facts.id ? [group] : [],
    );
    const own = [...rows, ...wholes].filter((r) => r.workload === facts.id);
    const groups = groupBy(own, (r) => `${r.transport}\n${r.step.case ?? ''}`);
    const seen = groups.filter((same) => same.some((r) => r.operation !== ''));
    const unseen = paired.filter(({ transport }) => !seen.some(([r]) => r.transport === transport));
    const loadAt = (/** @type {string} */ transport, which = '', same = /** @type {Row[]} */ ([])) => {
      const { operations, main } = listsOf(facts, same);
      const ids = operations.flat().map((r) => r.system);
      const pairs = paired.flatMap((t) => (t.transport === transport ? t.systems : []));
      const systems = inOrder(plan, [...ids, ...pairs]);
      const names = ['', TOGETHER, ...operations.map(([r]) => r?.operation)];
      const others = same.filter((r) => r.paired === null && !names.includes(r.operation));
      const parts = groupBy(others, (r) => r.operation);
      return { facts, transport, which, operations, parts, main, systems };
    };
    const told = seen.map((same) => loadAt(same[0].transport, same[0].step.case, same));
    return [...told, ...unseen.map(({ transport }) => loadAt(transport))];
  });
}

/**
 * @param {WorkloadFacts} facts
 * @param {Row[]} own rows of one load, those of systems that never got as far as having operations too
 * @returns {Pick<Load, 'operations' | 'main'>}
 */
function listsOf(facts, own) {
  const together = own.filter((r) => r.operation === TOGETHER);
  // Users who take turns, workloads of a suite, and a mix that systems are loaded with side by side are told as one.
  const isMixed = together.some((r) => r.paired !== null);
  if (takesTurns(facts) || facts.shown?.suite !== undefined || isMixed)
    return { operations: [together], main: together };
  const lost = own.filter((r) => r.operation === '');
  const sent = own.filter((r) => !['', TOGETHER].includes(r.operation) && !isReceived(facts, r.operation));
  const operations = groupBy(sent, (r) => r.operation).map((list) => [...list, ...lost]);
  const main = operations.find(([r]) => r.operation === representative(facts)) ?? operations[0] ?? [];
  return { operations, main };
}

/**
 * @param {Plan} plan
 * @param {Row} row
 * @returns {boolean} whether it is one of a ladder: closed, driven as the profile says, on its data, and with nothing beside it
 */
function isOnLadder(plan, { step, workload }) {
  const only = plan.workloads.find((w) => w.id === workload)?.drive;
  return isUsual(plan, step, only) && !(isPlain(step) && ownsData(step));
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows of one operation
 * @returns {Step[]} of the ladder, by users and depth, driven as the profile says
 */
export function ladderSteps(plan, rows) {
  const steps = stepsOf(rows.filter((r) => isOnLadder(plan, r)));
  return steps.sort((a, b) => (a.depth ?? 1) - (b.depth ?? 1) || a.vus - b.vus);
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows of one operation
 * @returns {Row[]} those of the ladder that differ in nothing but users
 */
export function ladderRows(plan, rows) {
  const steps = ladderSteps(plan, rows);
  return rows.filter((r) => isUserStep(r) && steps.some((s) => s.id === r.step.id));
}

/**
 * @param {Row[]} rows
 * @returns {Step[]} each of theirs once, in the order of the rows
 */
export function stepsOf(rows) {
  return [...new Map(rows.map(({ step }) => [step.id, step])).values()];
}

/**
 * @param {Plan} plan
 * @param {Load} load
 * @param {string} stepId
 * @param {string} [operation]
 * @returns {string} the step, without the case that its table says in its title
 */
export function stepInLoad(plan, { facts, which }, stepId, operation = '') {
  const shape = shapeOfLoad(plan, facts, operation, stepId);
  return shapeText({ ...shape, notes: shape.notes.filter((note) => note !== which) });
}

/**
 * @param {Row[]} rows
 * @param {string} stepId
 * @param {string} system
 */
export function at(rows, stepId, system) {
  return rows.find((r) => r.step.id === stepId && r.system === system);
}
