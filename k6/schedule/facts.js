/**
 * What a workload's facts mean for one step. Pure: k6, the runner, the report and the tests of Node read it alike.
 * @import { OperationFacts, Profile, Step, WorkloadFacts } from '../../lib/types.d.ts'
 */

/** @typedef {Pick<WorkloadFacts, 'operations'> & Partial<WorkloadFacts>} Facts */

/**
 * What the operations of one window have to do with each other.
 * @typedef {object} Group
 * @property {'alone' | 'together' | 'shares' | 'turns'} order
 * @property {string[]} operations
 * @property {string[]} [turns] the order in which a user performs them, again and again; one may come several times
 */

/**
 * A step of a fixed count ends after a number of operations, the others after a time.
 * @param {Pick<Step, 'operations'>} step
 * @returns {boolean}
 */
export function isFixedCount(step) {
  return step.operations !== undefined;
}

/**
 * @param {Pick<Step, 'kill' | 'fault'>} step
 * @returns {boolean} whether its system is killed, or something else is done to it, under the load; which is the first
 *   operation of the workload that writes, alone
 */
export function meetsFault({ kill, fault }) {
  return kill === true || fault !== undefined;
}

/**
 * @param {Facts} facts
 * @param {(operation: OperationFacts) => unknown} is
 * @returns {string[]} names of the operations of which it holds, in their order
 */
export function operationsThat({ operations }, is) {
  return Object.keys(operations).filter((op) => is(operations[op]));
}

/**
 * @param {Facts} facts
 * @returns {string} the operation by which systems are known
 */
export function mainOf(facts) {
  return operationsThat(facts, (o) => o.main)[0] ?? Object.keys(facts.operations)[0];
}

/**
 * @param {Facts} facts
 * @returns {string} the operation that a headline is about: the one that is said to be, else the first that writes
 */
export function representative(facts) {
  const said = operationsThat(facts, (o) => o.main)[0];
  return said ?? operationsThat(facts, (o) => o.writes)[0] ?? mainOf(facts);
}

/**
 * @param {Facts} facts
 * @returns {boolean} whether its users take the operations one after another, in one order
 */
export function takesTurns({ windows = {} }) {
  return Object.values(windows).some((w) => w.order === 'turns');
}

/**
 * @param {Facts} facts
 * @param {string} op
 * @returns {boolean} whether it is received, not sent
 */
export function isReceived({ operations }, op) {
  return operations[op]?.received === true || operations[op]?.pushed === true;
}

/**
 * @param {Facts} facts
 * @param {string} op
 * @returns {number | undefined} its part of the operations that the same users perform; undefined for one alone
 */
export function shareOf({ operations, windows = {} }, op) {
  const own = operations[op];
  if (own?.share !== undefined) return own.share;
  const turns = windows[own?.window ?? '']?.turns;
  return turns && turns.filter((turn) => turn === op).length / turns.length;
}

/**
 * Which operations a step measures, window by window. Parts with users of their own pace each other: they need the
 * closed model and a time to last.
 * @param {Facts} facts
 * @param {Step} step
 * @returns {Group[]}
 */
export function windowGroups(facts, step) {
  const groups = groupsOf(facts);
  const only = onlyOf(facts, step);
  if (only !== undefined) {
    const group = groups.find((g) => g.operations.includes(only));
    return [group?.order === 'shares' ? group : { order: 'alone', operations: [only] }];
  }
  const together = step.model === 'closed' && !isFixedCount(step);
  return groups
    .filter((g) => together || g.order !== 'together')
    .filter((g) => !step.only || g.operations.some((op) => step.only?.includes(op)));
}

/**
 * @param {Facts} facts
 * @param {Step} step
 * @returns {string | undefined} the one operation that the step asks for; undefined where it asks for all
 */
function onlyOf(facts, step) {
  if (meetsFault(step) || (step.writes && !isFixedCount(step)))
    return operationsThat(facts, (o) => o.writes)[0] ?? mainOf(facts);
  return step.focus ? mainOf(facts) : undefined;
}

/**
 * @param {Facts} facts
 * @returns {Group[]} in the order of their first operations; what is pushed over the connections of others has none
 */
function groupsOf(facts) {
  const { operations, windows = {} } = facts;
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const op of operationsThat(facts, (o) => !o.pushed)) {
    const { window } = operations[op];
    const { order, turns } = windows[window ?? ''] ?? { order: 'alone' };
    const known = groups.get(window ?? op);
    if (known) known.operations.push(op);
    else groups.set(window ?? op, { order, operations: [op], ...(turns ? { turns } : {}) });
  }
  return [...groups.values()];
}

/**
 * @param {Facts} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {Step} step
 * @param {string} op
 * @returns {number} virtual users of an operation: those of the step, unless the workload gives it some of its own
 */
export function usersOf(facts, profile, step, op) {
  const name = facts.operations[op]?.users;
  return name === undefined ? step.vus : datasetOf(facts, profile)[name];
}

/**
 * @param {Pick<WorkloadFacts, 'dataset'>} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {Pick<Step, 'dataset'>} [step]
 * @returns {Record<string, number>} the step's dataset on top of the profile's, on top of what the workload takes
 *   without them
 */
export function datasetOf(facts, profile, step) {
  return { ...facts.dataset, ...profile.dataset, ...step?.dataset };
}
