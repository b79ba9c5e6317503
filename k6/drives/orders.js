/**
 * The drive of a trial: the runner names the loads one by one while it reads what each system's threads use. One virtual
 * user for each system asks the runner what to do next, does it by an event loop of its own, and says what came of it.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { keysOfTrial, spaceOf } from '../keys.js';
import { profile, settings, systems, workload } from '../task.js';
import { turnFor } from '../turn.js';
import { TIMEOUT_MS } from './burst.js';

/**
 * @import { Told } from '../../lib/run/control.js'
 * @import { SideOrder } from '../../lib/types.d.ts'
 * @import { SystemOfTask } from '../task.js'
 */

/** An order may wait for the warm-up of all other systems. */
const ORDER_TIMEOUT = '600s';

/** @param {{starts: Record<string, unknown>}} data */
export function orders({ starts }) {
  const own = /** @type {SystemOfTask} */ (systems.find((s) => s.name === exec.scenario.name));
  /** @type {Told | null} */
  let report = null;
  for (;;) {
    const order = ask(own.name, report);
    if (order === null) return;
    report = perform(own, order, starts[own.name]);
  }
}

/**
 * @param {string} name
 * @param {Told | null} report of the order before
 * @returns {SideOrder | null} null: there is nothing more to do
 */
function ask(name, report) {
  const url = `${settings.trial?.control}/${name}`;
  const answer = http.post(url, JSON.stringify(report), { timeout: ORDER_TIMEOUT });
  if (answer.status !== 200) throw new Error(`the runner answered ${answer.status} ${answer.error}`);
  return /** @type {any} */ (answer.json());
}

/** @type {Record<string, any>} by system and number of connections */
const connections = {};
/** @type {Record<string, any>} by system, operations and number of connections */
const sequences = {};
/** @type {Record<string, any>} by the same: a turn goes on from order to order */
const turns = {};

/**
 * @param {SystemOfTask} own
 * @param {SideOrder} order
 * @param {unknown} start what is known of what the system stored before
 * @returns {Told}
 */
function perform(own, order, start) {
  const { parts, connections: count, depth, dataset, startMs, untilMs, cutsMs, fill, slots } = order;
  const connection = connectionOf(own, count);
  const space = spaceOf(workload.facts, profile, { dataset });
  const kind = `${own.name}/${parts.map((p) => p.op).join('+')}/${count}/${space}`;
  const number = Object.keys(sequences).length;
  sequences[kind] ??= keysOfTrial(profile, workload.facts, settings.trial, {
    space,
    system: own.name,
    number,
  });
  if (cutsMs.length > 0) measure.cutAt(cutsMs);
  const waitMs = startMs - measure.epochMs();
  if (waitMs > 0) sleep(waitMs / 1000);
  const end = fill ? { count: fill, ...(count === 1 ? { from: 0 } : {}) } : { untilMs };
  const windows = Object.fromEntries(parts.map(({ op }) => [op, windowOf(own, order, op)]));
  const { acked, failed, aborted } = connection.run({
    ...(workload.turn ? turnOf(own, order, kind, start, windows) : templatesOf(own, order, windows)),
    keys: sequences[kind],
    depth,
    ...end,
    ...(slots ? { slots } : {}),
  });
  const endedMs = measure.epochMs();
  const recentMs = Object.fromEntries(Object.entries(windows).map(([op, w]) => [op, w.recent(startMs)]));
  return { acked, failed, aborted, endedMs, recentMs };
}

/**
 * @param {SystemOfTask} own
 * @param {number} count
 */
function connectionOf({ name, lane, client, target }, count) {
  connections[`${name}/${count}`] ??= burstModule.connect({
    timeoutMs: TIMEOUT_MS,
    ...client.burst(target),
    connections: count,
    lane,
  });
  return connections[`${name}/${count}`];
}

/**
 * @param {SystemOfTask} own
 * @param {SideOrder} order
 * @param {string} op
 */
function windowOf({ prefix }, { window }, op) {
  return measure.window({ op: prefix + op, ...window });
}

/**
 * @param {SystemOfTask} own
 * @param {SideOrder} order
 * @param {string} kind
 * @param {unknown} start
 * @param {Record<string, any>} windows
 */
function turnOf(own, order, kind, start, windows) {
  const { client, target, context } = own;
  const operations = order.parts.map((p) => p.op);
  turns[kind] ??= turnFor({ workload, client, target, context, start }, operations);
  return { turn: turns[kind], windows };
}

/**
 * @param {SystemOfTask} own
 * @param {SideOrder} order
 * @param {Record<string, any>} windows
 */
function templatesOf(own, order, windows) {
  const mix = order.parts.map(({ op, share }) => {
    const template = own.templates?.[op];
    if (!template) throw new Error(`${own.name}: the client has no template of "${op}"`);
    return { share, window: windows[op], template };
  });
  const [{ window, template }] = mix;
  return mix.length === 1 ? { window, template } : { mix };
}
