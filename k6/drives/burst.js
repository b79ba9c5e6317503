/** The burst drive: many operations for each call of JavaScript, sent and timed inside the module. */
import exec from 'k6/execution';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { connectOptions } from '../client-pattern.js';
import { isPaced, paceOf, rateOf } from '../pace.js';
import { client, context, settings, startOf, templates, workload } from '../task.js';
import { turnFor } from '../turn.js';
import { callMs } from '../turns.js';
import { outsideMs, restsOf, takeTurn, turnsTaken, user } from '../virtual-user.js';

/** Of a fixed count: a call ends by then, so that k6's own figures stay fresh and a dead system is noticed. */
const CALL_MS = 1000;

/** How long an answer is waited for: longer than a window lasts, so that who is slow is slow and not wrong. */
export const TIMEOUT_MS = 60_000;
/** Under a fault an answer that is lost is to be known before the load ends. */
const FAULT_TIMEOUT_MS = 15_000;

/** @type {{connection: any, pattern: string | undefined}} */
const kept = { connection: null, pattern: undefined };

/**
 * One connection for each virtual user; by hand the next step may ask for another way of writing.
 * @param {Pick<import('../../lib/types.d.ts').Step, 'clientPattern' | 'fault'>} step
 */
export function connectFor({ clientPattern: pattern, fault }) {
  if (kept.connection && kept.pattern === pattern) return kept.connection;
  kept.connection?.close();
  kept.pattern = pattern;
  kept.connection = burstModule.connect({
    timeoutMs: fault ? FAULT_TIMEOUT_MS : TIMEOUT_MS,
    ...client.burst(settings.target),
    ...connectOptions(pattern),
  });
  return kept.connection;
}

/**
 * One call of a step by time.
 * @param {import('../task.js').Started} data
 */
export function burst(data) {
  if (workload.turn) return burstTurns(startOf(data));
  const { op, window } = takeTurn();
  const { step, mix } = user.planned;
  const paced = isPaced(user.planned);
  // One call for the whole window, unless operations take turns in it: a user between two calls is under no load, and on
  // few cores a thousand of them wait long for their turn in JavaScript.
  const whole = paced || mix || workload.facts.leadSec !== undefined || user.planned.turns.length === 1;
  const ms = whole ? Number.POSITIVE_INFINITY : callMs(step.vus, exec.vu.idInTest, !user.called);
  user.called = true;
  connectFor(step).run({
    ...(mix ? { mix: mixOf(mix) } : { window, template: templates[op] }),
    ...(user.pushes ? { pushes: user.pushes } : {}),
    depth: step.depth ?? 1,
    keys: user.keys,
    untilMs: Math.min(window.endMs, measure.epochMs() + ms),
    ...(paced ? { pace: paceNow(mix ? Object.keys(mix) : [op], window.startMs) } : {}),
  });
}

/**
 * Operations in an order, of which some need what others were answered: one call for the whole window.
 * @param {any} start what `before` of the workload returned
 */
function burstTurns(start) {
  const { op, window } = takeTurn();
  const { step, operations } = user.planned;
  const paced = isPaced(user.planned);
  const { acked, failed, restedMs } = connectFor(step).run({
    turn: turnFor({ workload, client, target: settings.target, context, start }, operations),
    windows: user.recorders,
    keys: user.keys,
    untilMs: window.endMs,
    ...(paced ? { pace: paceNow([op], window.startMs) } : {}),
    ...(user.thinkMs > 0 && !paced ? { rest: restsOf(user) } : {}),
  });
  if (user.thinkMs === 0 || paced) return;
  outsideMs.add(restedMs);
  turnsTaken.add(acked + failed);
}

/** @param {Record<string, number>} mix */
function mixOf(mix) {
  return Object.entries(mix).map(([op, share]) => ({
    share,
    window: user.recorders[op],
    template: templates[op],
  }));
}

/**
 * @param {string[]} operations that the schedule holds
 * @param {number} startMs epoch
 */
function paceNow(operations, startMs) {
  const { step } = user.planned;
  const rates = operations.map((op) => rateOf(step, op, workload.facts, settings));
  const all = rates.reduce((sum, rate) => sum + rate, 0);
  return paceOf(step, all, startMs, exec.vu.idInTest);
}

/**
 * Of a fixed count: operations without keys of their own are taken one by one inside the module: no user rests between
 * two slices.
 * @param {import('./fixed-count.js').Work} work
 */
export function burstStage(work) {
  while (work.phase.left() > 0) {
    const { acked } = callOnce(work, { phase: work.phase });
    work.progress(acked > 0);
  }
}

/**
 * @param {import('./fixed-count.js').Work} work
 * @param {number} from first key
 * @param {number} count
 */
export function burstSlice(work, from, count) {
  let done = 0;
  while (done < count) {
    const { acked, failed, aborted } = callOnce(work, { count: count - done, from: from + done });
    done += acked + failed + aborted;
    work.progress(acked > 0);
  }
}

/**
 * @param {import('./fixed-count.js').Work} work
 * @param {{phase: any} | {count: number, from: number}} part of it
 */
function callOnce({ step, operation, window, keys }, part) {
  return connectFor(step).run({
    window,
    template: templateOf(operation),
    depth: step.depth ?? 1,
    keys,
    untilMs: measure.epochMs() + CALL_MS,
    ...part,
  });
}

/** @param {string} operation */
function templateOf(operation) {
  const { returns, ...unchecked } = templates[operation];
  return context.checksAnswers && returns !== undefined ? { ...unchecked, returns } : unchecked;
}
