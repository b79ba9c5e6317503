/**
 * The second script that k6 is started with: several systems at once, each loaded by an event loop of its own, in
 * slices that the runner names one by one while it reads what each system's threads use (docs/method.md, "Side by side").
 *
 *   k6 run -e CALL_FILE=… k6/side-by-side.js
 *
 * One virtual user for each system asks the runner what to do next, does it, and says what came of it. Nothing here
 * knows a system or a workload by name.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { sendersOf, uuidsOf } from './keys.js';
import { turnFor } from './turn.js';

/**
 * @import { SideCall, SideOrder, SideReport, StartCall } from '../lib/types.d.ts'
 */

/** @type {StartCall} */
const call = JSON.parse(open(__ENV.CALL_FILE));
const workload = require(import.meta.resolve(call.workloadFile ?? `./workloads/${call.workload}.js`));
/** For the functions of the workload. */
const context = {
  slices: true,
  dataset: call.dataset,
  label: `start-${call.start}`,
  users: call.users,
  keysOf: () => undefined,
  keys: 0,
  document: (/** @type {number} */ key) => documentKeys().document(key),
  tally: null,
  uuidsOf,
  sendersOf,
  checksAnswers: true,
  start: null,
};

const sides = Object.fromEntries(call.sides.map((side) => [side.name, sideOf(side)]));

/** How long an answer is waited for: longer than any that a window is prolonged for. */
const ANSWER_TIMEOUT_MS = 60_000;

/** An order may wait for the warm-up of all other systems. */
const ORDER_TIMEOUT = '600s';

export const options = {
  scenarios: Object.fromEntries(
    call.sides.map(({ name }) => [
      name,
      { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'side', maxDuration: '24h' },
    ]),
  ),
  // Who sends the load elsewhere is not measured there, nor is anybody else asked what is stored.
  maxRedirects: 0,
  systemTags: ['scenario', 'error_code'],
  setupTimeout: '120s',
  teardownTimeout: '120s',
};

/**
 * @param {SideCall} side
 */
function sideOf({ name, lane, stackFolder, target }) {
  const module = require(import.meta.resolve(`${stackFolder}/client.js`));
  const client = module.default?.[call.workload] ?? module;
  const all =
    typeof client.templates === 'function'
      ? client.templates(target, workload, call.dataset)
      : client.templates;
  // A tally belongs to the process, and here several systems share it: sums are compared in its place.
  const templates = Object.fromEntries(
    Object.entries(all ?? {}).map(([op, template]) => [op, { ...template, tally: undefined }]),
  );
  const counters = workload.tallied ? { name, of: workload.tallied(call.dataset) } : null;
  return {
    ...{ name, lane, target, client, templates },
    context: {
      ...context,
      counters,
      tally: counters && burstModule.tally(counters.of, counters.name),
      mayBe: (/** @type {number} */ key, /** @type {string} */ text) => documentKeys(name).mayBe(key, text),
    },
  };
}

/** @type {Record<string, any>} */
const documents = {};

/** The documents of the space, as every order draws them, and as a system has been sent them. */
function documentKeys(versions = '') {
  documents[versions] ??= burstModule.keys({
    ...{ seed: call.seed, space: call.dataset[call.keySpace], documents: true },
    ...(versions ? { versions } : {}),
  });
  return documents[versions];
}

/** Before the load: what each system stores already. */
export async function setup() {
  /** @type {Record<string, unknown>} */
  const starts = {};
  for (const { name, client, target, context: own } of Object.values(sides)) {
    const opened = client.open(target);
    starts[name] = await workload.before(opened, own);
    opened.close();
  }
  measure.tidy();
  return { starts };
}

/** After the load: what each stores, against what it acknowledged. */
export async function teardown(/** @type {{starts: Record<string, unknown>}} */ { starts }) {
  const totals = Object.entries(measure.totals());
  /** @type {Record<string, unknown>} */
  const checks = {};
  for (const { name, client, target, context: ours } of Object.values(sides)) {
    const own = totals
      .filter(([op]) => op.startsWith(`${name}/`))
      .map(([op, total]) => [op.slice(name.length + 1), total]);
    const opened = client.open(target);
    checks[name] = await workload.after(opened, ours, starts[name], Object.fromEntries(own));
    opened.close();
  }
  measure.note('oracle', checks);
}

/**
 * One system's user: asks, does, tells.
 * @param {{starts: Record<string, unknown>}} data
 */
export function side({ starts }) {
  const own = sides[exec.scenario.name];
  /** @type {SideReport | null} */
  let report = null;
  for (;;) {
    const order = ask(own.name, report);
    if (order === null) return;
    report = perform(own, order, starts[own.name]);
  }
}

/**
 * @param {string} name
 * @param {SideReport | null} report of the order before
 * @returns {SideOrder | null} null: there is nothing more to do
 */
function ask(name, report) {
  const answer = http.post(`${call.control}/${name}`, JSON.stringify(report), { timeout: ORDER_TIMEOUT });
  if (answer.status !== 200) throw new Error(`the runner answered ${answer.status} ${answer.error}`);
  return /** @type {any} */ (answer.json());
}

/** @type {Record<string, any>} by side and number of connections */
const connections = {};
/** @type {Record<string, any>} by side, operations and number of connections */
const sequences = {};
/** @type {Record<string, any>} by the same: a turn goes on from slice to slice */
const turns = {};

/**
 * @param {ReturnType<typeof sideOf>} own
 * @param {SideOrder} order
 * @param {unknown} start what is known of what the system stored before
 * @returns {SideReport}
 */
function perform(
  own,
  { window, parts, connections: count, depth, dataset, startMs, untilMs, cutsMs, fill, slots },
  start,
) {
  connections[`${own.name}/${count}`] ??= burstModule.connect({
    timeoutMs: ANSWER_TIMEOUT_MS,
    ...own.client.burst(own.target),
    connections: count,
    lane: own.lane,
  });
  const connection = connections[`${own.name}/${count}`];
  const space = { ...call.dataset, ...dataset }[call.keySpace];
  const kind = `${own.name}/${parts.map((p) => p.op).join('+')}/${count}/${space}`;
  const number = Object.keys(sequences).length;
  // Both systems of a pair draw the same keys; ids never repeat on the one system that sees them.
  sequences[kind] ??= burstModule.keys({
    seed: call.seed,
    stream: 1,
    space,
    ids: (call.seed * 31 + call.start * 1009 + number) % 2 ** 31,
    ...(call.documents ? { documents: true, versions: own.name } : {}),
  });
  const keys = sequences[kind];
  const windowOf = (/** @type {string} */ op) => measure.window({ op: `${own.name}/${op}`, ...window });
  if (cutsMs.length > 0) measure.cutAt(cutsMs);
  const waitMs = startMs - measure.epochMs();
  if (waitMs > 0) sleep(waitMs / 1000);
  const operations = parts.map((p) => p.op);
  if (workload.turn)
    turns[kind] ??= turnFor(
      { workload, client: own.client, target: own.target, context: own.context, start },
      operations,
    );
  const work = workload.turn
    ? { turn: turns[kind], windows: Object.fromEntries(operations.map((op) => [op, windowOf(op)])) }
    : templatesOf(own, parts, windowOf);
  const end = fill ? { count: fill, ...(count === 1 ? { from: 0 } : {}) } : { untilMs };
  const { acked, failed, aborted } = connection.run({
    ...work,
    keys,
    depth,
    ...end,
    ...(slots ? { slots } : {}),
  });
  return { acked, failed, aborted, endedMs: measure.epochMs() };
}

/**
 * @param {ReturnType<typeof sideOf>} own
 * @param {SideOrder['parts']} parts
 * @param {(op: string) => unknown} windowOf
 */
function templatesOf(own, parts, windowOf) {
  const [only] = parts;
  return parts.length === 1
    ? { window: windowOf(only.op), template: templateOf(own, only.op) }
    : {
        mix: parts.map(({ op, share }) => ({ share, window: windowOf(op), template: templateOf(own, op) })),
      };
}

/**
 * @param {ReturnType<typeof sideOf>} own
 * @param {string} op
 */
function templateOf({ templates, name }, op) {
  const template = templates[op];
  if (!template) throw new Error(`${name}: the client has no template of "${op}"`);
  return template;
}

export function handleSummary() {
  return { [call.exportFile]: measure.exportAll() };
}
