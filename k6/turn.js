/**
 * The turn of a user: operations in an order, as the burst module performs them again and again. Pure, so that Node
 * tests it.
 * @import { ClientModule, Target, Turn, TurnStep, WorkloadContext } from './types.d.ts'
 */

/** What stands for what a constant answer would have told. */
const NOT_TOLD = '00000000-0000-4000-8000-000000000000';

/** @returns {string} of eight characters: no two users have the same, in this run or in others on the same store */
function randomName() {
  return Math.random().toString(36).slice(2, 10).padEnd(8, '0');
}

/**
 * @param {{workload: {turn: Function}, client: ClientModule, target: Target, context: Pick<WorkloadContext, 'label' | 'checksAnswers' | 'counters'>, start: any}} of
 *   `start`: what `before` of the workload returned
 * @param {string[]} operations that are asked for: the others are left out
 * @returns {Turn}
 * @throws {Error} when the client cannot say what its requests are
 */
export function turnFor({ workload, client, target, context, start }, operations) {
  if (!client.requests) throw new Error('client.js has no function "requests"');
  const requests = client.requests(target, start);
  const { lists, steps } = workload.turn(requests, { ...context, start, user: randomName() });
  const asked = steps.filter((/** @type {TurnStep} */ s) => operations.includes(s.op));
  return { lists, steps: context.checksAnswers ? asked : asked.map(unchecked) };
}

/**
 * The same request, byte for byte but for what an answer should have told; any 2xx is right.
 * @param {TurnStep} step
 * @returns {TurnStep}
 */
function unchecked({ status: _, checks: __, take = {}, more: ___, tally: ____, ...step }) {
  const told = Object.fromEntries(Object.keys(take).map((name) => [name, NOT_TOLD]));
  return { ...step, set: { ...step.set, ...told } };
}
