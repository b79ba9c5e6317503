/**
 * The only script that k6 is started with: one system, one workload, one step (or all closed ones) of a profile.
 *
 *   k6 run -e SYSTEM=… -e WORKLOAD=… -e PROFILE=smoke -e BASE_URL=scheme://host:port k6/main.js
 *
 * Nothing here knows a system or a workload by name.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { connectOptions } from './lib/client-pattern.js';
import {
  countedInstead,
  countedScenario,
  isCountBound,
  scenarioName,
  warmupOperationsOf,
} from './lib/count-bound.js';
import { keysOf, performStep } from './lib/counted.js';
import { readSettings } from './lib/environment.js';
import { classOf } from './lib/error-class.js';
import { seedOfIds } from './lib/ids.js';
import { restsAfter } from './lib/rests.js';
import { datasetOf, drivenBy, scenariosOf, stepsByCase, windowGroups, windowsOf } from './lib/schedule.js';

const settings = readSettings(__ENV);
const profile = JSON.parse(open(settings.profilePath));
const module = require(import.meta.resolve(`${settings.stackFolder}/client.js`));
const client = module.default?.[settings.workload] ?? module;
const workload = require(import.meta.resolve(`./workloads/${settings.workload}.js`));
const dataset = datasetOf(workload.facts, profile);
const templates =
  typeof client.templates === 'function'
    ? client.templates(settings.target, workload, dataset)
    : client.templates;
const chosen = chosenSteps();
/** The step that is bound by a count; it is alone then. */
const countedStep = chosen.find(isCountBound) ?? null;
const windows = countedStep ? [] : plannedWindows();
const byScenario = Object.fromEntries(windows.map((w) => [w.name, w]));
const countedKeys = countedStep ? keysOf(countedStep, workload.facts, profile, 0) : null;
const context = {
  dataset: datasetOf(workload.facts, profile, chosen[0]),
  label: chosen[0].id,
  users: countedStep?.vus ?? Math.max(...windows.map((w) => w.users)),
  keysOf: (/** @type {string} */ op, /** @type {number} */ stream) => {
    if (countedStep) return keysOf(countedStep, workload.facts, profile, stream);
    const planned = windows.find((w) => w.phase === 'measure' && w.operations.includes(op));
    return planned && keysFor(planned, stream);
  },
  keys: countedStep ? (countedStep.operations ?? 0) + warmupOperationsOf(countedStep) : 0,
  document: (/** @type {number} */ key) => countedKeys?.document(key),
  checksAnswers: settings.checksState,
  /** What `before` of the workload returned. */
  start: null,
};

/** Resolution of the choice between the operations of a mix. */
const DRAWS = 1_000_000;
/** Into how many groups users fall whose calls end at different moments. */
const CALL_STAGGER = 16;

/** Iteration drive: time that a virtual user spent between two operations, ms. */
const outsideMs = new Counter('op_outside_ms');
const turnsTaken = new Counter('op_outside_turns');

/** What an earlier k6 left: the system was killed under its load, and is looked at again. */
const left = settings.verifyPath ? JSON.parse(open(settings.verifyPath)).notes : null;

export const options = {
  scenarios: scenarios(),
  // k6 keeps a sub-metric in its summary only where a threshold names it; an empty one asserts nothing.
  thresholds: Object.fromEntries([
    ...(countedStep ? windowGroups(workload.facts, countedStep).flat() : []).map(
      (/** @type {string} */ op) => [
        `op_outside_ms{scenario:${scenarioName(/** @type {any} */ (countedStep))},op:${op}}`,
        [],
      ],
    ),
    ...(left ? [] : windows)
      .filter((w) => w.phase === 'measure')
      .flatMap((w) => [
        [`op_outside_ms{scenario:${w.name}}`, []],
        [`op_outside_turns{scenario:${w.name}}`, []],
        ...w.operations.flatMap((op) =>
          ['op_duration', 'op_count', 'op_errors'].map((m) => [`${m}{phase:${phaseName(w)},op:${op}}`, []]),
        ),
      ]),
  ]),
  summaryTrendStats: ['count', 'avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'],
  systemTags: ['scenario', 'error_code'],
  setupTimeout: '60s',
  teardownTimeout: '60s',
};

/** @returns {Record<string, object>} */
function scenarios() {
  if (left) return { verify: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'verify' } };
  if (countedStep) return countedScenario(countedStep, windowGroups(workload.facts, countedStep).length);
  return scenariosOf(windows);
}

/**
 * The step that was asked for; by hand and without one, all closed ones.
 * @returns {import('../lib/types.d.ts').Step[]}
 */
function chosenSteps() {
  const { facts } = workload;
  const steps = settings.planned
    ? [settings.planned]
    : stepsByCase(facts, profile.steps, settings.target.transport)
        .filter((s) => s.workloads?.includes(settings.workload) ?? true)
        .filter((s) => (settings.step ? s.id === settings.step : s.model === 'closed'))
        .map((s) => drivenBy(countedInstead(s, facts, profile.dataset), facts));
  if (steps.length === 0) throw new Error(`the profile "${settings.profile}" has no step "${settings.step}"`);
  if (steps.length > 1 && steps.some(isCountBound))
    throw new Error('steps that are bound by a count run one at a time: -e STEP=… is missing');
  return steps;
}

/** @returns {import('./lib/schedule.js').ScenarioPlan[]} */
function plannedWindows() {
  /** @type {import('./lib/schedule.js').ScenarioPlan[]} */
  const all = [];
  for (const step of chosen) {
    const last = all[all.length - 1];
    const from = last ? last.startSec + last.leadSec + last.durationSec + 1 : 0;
    all.push(...windowsOf(profile, step, workload.facts, from, all.length));
  }
  // A target that keeps no state has nothing to push.
  return settings.checksState ? all : all.filter((w) => w.drive !== 'listen');
}

/**
 * The choice of keys is the same for every step; ids may not repeat between the steps that one system sees.
 * @param {import('./lib/schedule.js').ScenarioPlan} planned
 * @param {number} stream
 */
function keysFor(planned, stream) {
  const ids = seedOfIds(`${profile.seed}/${planned.name}`);
  const space = datasetOf(workload.facts, profile, planned.step)[workload.facts.keySpace ?? 'keys'];
  return burstModule.keys({ seed: profile.seed + planned.index, stream, space, ids });
}

/**
 * A recorder belongs to one phase of one operation; by hand several steps share a process.
 * @param {import('./lib/schedule.js').ScenarioPlan} planned
 */
function phaseName(planned) {
  return settings.step ? planned.phase : `${planned.phase}-${planned.step.id}`;
}

export async function setup() {
  if (!settings.checksState || left) return { start: null };
  if (countedStep && workload.facts.documents)
    measure.note('dataset', countedKeys?.facts(countedStep.operations ?? 0));
  const opened = client.open(settings.target);
  const start = await workload.before(opened, context);
  opened.close();
  return { start };
}

export async function teardown(/** @type {{start: unknown}} */ data) {
  if (!settings.checksState || left) return;
  if (chosen[0].kill) {
    // The system is gone by now: who starts it again checks it.
    measure.note('start', data.start);
    measure.note('totals', measure.totals());
    return;
  }
  const opened = client.open(settings.target);
  measure.note('oracle', await workload.after(opened, context, data.start, measure.totals()));
  opened.close();
}

/** After a kill and a restart: what is there, against what the earlier k6 had acknowledged. */
export async function verify() {
  const opened = client.open(settings.target);
  measure.note('oracle', await workload.after(opened, context, left.start, left.totals));
  opened.close();
}

/**
 * What a virtual user keeps: its connection, and for each window its recorders and its own sequence of keys.
 * @type {{opened: any, connection: any, pattern: string | undefined, scenario: string,
 *   recorders: Record<string, any>, keys: any, planned: any, turn: number, thinkMs: number,
 *   called: boolean, endedAt: number | null, draws: any, pushes: any}}
 */
const vu = {
  opened: null,
  connection: null,
  pattern: undefined,
  scenario: '',
  recorders: {},
  keys: null,
  planned: null,
  turn: 0,
  thinkMs: 0,
  called: false,
  endedAt: null,
  draws: null,
  pushes: null,
};

/**
 * Follows k6 from one window to the next.
 * @returns {{op: string, window: any}} what is this iteration's turn
 */
function takeTurn() {
  const { name, startTime } = exec.scenario;
  if (vu.scenario !== name) enterWindow(name, startTime);
  const { mix, turns: order } = vu.planned;
  const op = mix ? drawn(mix) : order[vu.turn++ % order.length];
  return { op, window: vu.recorders[op] };
}

/**
 * @param {Record<string, number>} mix
 * @returns {string} the next operation in a seeded row by shares
 */
function drawn(mix) {
  let rest = vu.draws.next() / DRAWS;
  const operations = Object.keys(mix);
  const chosen = operations.find((op) => {
    rest -= mix[op];
    return rest < 0;
  });
  return chosen ?? operations[operations.length - 1];
}

/**
 * @param {string} name of k6's scenario
 * @param {number} scenarioStartMs epoch
 */
function enterWindow(name, scenarioStartMs) {
  vu.scenario = name;
  vu.planned = byScenario[name];
  vu.thinkMs = datasetOf(workload.facts, profile, vu.planned.step).thinkMs ?? 0;
  const startMs = scenarioStartMs + vu.planned.leadSec * 1000;
  vu.turn = 0;
  vu.called = false;
  vu.endedAt = null;
  const endMs = startMs + vu.planned.durationSec * 1000;
  const recorder = (/** @type {string} */ op, /** @type {number | undefined} */ targetPerSec) =>
    measure.window({ op, phase: phaseName(vu.planned), startMs, endMs, targetPerSec });
  vu.recorders = Object.fromEntries(
    vu.planned.operations.map((/** @type {string} */ op) => [
      op,
      recorder(op, isPaced(vu.planned) ? rateOf(vu.planned.step, op) : undefined),
    ]),
  );
  // A single user hears of nobody else.
  const pushes = vu.planned.users > 1 ? client.pushes?.(settings.target) : null;
  vu.pushes = pushes ? { window: recorder(workload.facts.pushed, undefined), ...pushes } : null;
  vu.keys = keysFor(vu.planned, exec.vu.idInTest);
  vu.draws = burstModule.keys({ seed: profile.seed + 1, stream: exec.vu.idInTest, space: DRAWS });
}

/**
 * One operation for each iteration of k6, or a session of many where the transport keeps one open.
 * @param {{start: any}} data
 */
export async function iteration(data) {
  if (client.converse?.(settings.target, turns, dataset)) return;
  const { op, window } = takeTurn();
  vu.opened ??= client.open(settings.target);
  context.start = data.start;
  const key = vu.keys.next();
  if (vu.thinkMs > 0 && vu.turn === 1) arrive(window.endMs);
  const startedAt = begin(window);
  try {
    await workload.perform(vu.opened, op, key, context, vu.keys);
    vu.endedAt = measure.now();
    window.success(startedAt);
  } catch (error) {
    vu.endedAt = measure.now();
    window.failure(startedAt, classOf(error));
  }
  if (vu.thinkMs > 0 && restsAfter(vu.turn, vu.planned.turns.length)) rest(vu.thinkMs, window.endMs);
}

/**
 * Users who began together would rest together and come back as a crowd: each begins at a moment of its own.
 * @param {number} endMs epoch
 */
function arrive(endMs) {
  vu.endedAt = measure.now();
  rest((vu.thinkMs * vu.draws.next()) / DRAWS, endMs);
}

/**
 * No longer than the window: k6 interrupts whoever still sleeps when a scenario is over, and such a user answers for
 * nothing it does in the next one.
 * @param {number} restMs
 * @param {number} endMs epoch
 */
function rest(restMs, endMs) {
  const ms = Math.min(restMs, endMs - measure.epochMs());
  if (ms > 0) sleep(ms / 1000);
}

/**
 * Notes how long this user has been outside operations since its last one.
 * @param {any} window
 * @returns {number} moment of sending
 */
function begin(window) {
  const startedAt = window.start();
  if (vu.endedAt !== null) {
    outsideMs.add(startedAt - vu.endedAt);
    turnsTaken.add(1);
  }
  return startedAt;
}

/** A session's operations, one at a time; the last one begins before the window ends. */
const turns = {
  /** @type {{op: string, window: any, startedAt: number} | null} */
  current: null,
  next() {
    const [first] = Object.values(vu.recorders);
    if (first && vu.scenario === exec.scenario.name && measure.epochMs() >= first.endMs) return null;
    const { op, window } = takeTurn();
    const key = vu.keys.next();
    turns.current = { op, window, startedAt: begin(window) };
    return { op, key, value: (/** @type {number} */ bytes) => vu.keys.value(key, bytes) };
  },
  succeeded() {
    vu.endedAt = measure.now();
    turns.current?.window.success(turns.current.startedAt);
  },
  failed(/** @type {string} */ error) {
    vu.endedAt = measure.now();
    turns.current?.window.failure(turns.current.startedAt, classOf(error));
  },
};

/** Many operations for each iteration. */
export function burst() {
  const { op, window } = takeTurn();
  const { step, mix } = vu.planned;
  connectAs(step.clientPattern);
  const paced = isPaced(vu.planned);
  // One call for the whole window, unless operations take turns in it: a user between two calls is under no load, and on
  // few cores a thousand of them wait long for their turn in JavaScript.
  const whole = paced || mix || vu.planned.turns.length === 1;
  const sliceMs = whole ? Number.POSITIVE_INFINITY : callMs(step.vus) * shareOfCall();
  vu.connection.run({
    ...(mix ? { mix: mixOf(mix) } : { window, template: templates[op] }),
    ...(vu.pushes ? { pushes: vu.pushes } : {}),
    depth: step.depth ?? 1,
    keys: vu.keys,
    untilMs: Math.min(window.endMs, measure.epochMs() + sliceMs),
    ...(paced ? { pace: paceOf(step, mix ? Object.keys(mix) : [op], window.startMs) } : {}),
  });
}

/**
 * The more users there are, the longer each call: about 1000 calls a second in all keep JavaScript off the load path;
 * one second at most, because operations take turns between windows.
 * @param {number} users
 * @returns {number} milliseconds
 */
function callMs(users) {
  return Math.min(1000, Math.max(50, users));
}

/** All users enter a window at once; if their calls ended together too, they would wait for each other each time. */
function shareOfCall() {
  const isFirst = !vu.called;
  vu.called = true;
  return isFirst ? ((exec.vu.idInTest % CALL_STAGGER) + 1) / CALL_STAGGER : 1;
}

/** @param {Record<string, number>} mix */
function mixOf(mix) {
  return Object.entries(mix).map(([op, share]) => ({
    share,
    window: vu.recorders[op],
    template: templates[op],
  }));
}

/** A client of a stream: what it receives is counted until the window ends. */
export function listen() {
  const { window } = takeTurn();
  burstModule.listen({ window, ...client.listening(settings.target), untilMs: window.endMs });
}

/**
 * One connection for each virtual user; by hand the next step may ask for another way of writing.
 * @param {import('../lib/types.d.ts').ClientPattern | undefined} pattern
 */
function connectAs(pattern) {
  if (vu.connection && vu.pattern === pattern) return;
  vu.connection?.close();
  vu.pattern = pattern;
  vu.connection = burstModule.connect({
    timeoutMs: 5000,
    ...client.burst(settings.target),
    ...connectOptions(pattern),
  });
}

/** A whole step for each iteration of k6: warm-up, then every operation, all virtual users together. */
export async function counted() {
  const step = /** @type {import('../lib/types.d.ts').Step} */ (countedStep);
  try {
    await performStep({
      step,
      drive: step.drive ?? profile.drive,
      client,
      templates,
      workload,
      target: settings.target,
      keys: keysOf(step, workload.facts, profile, exec.vu.idInTest),
      context,
      outside: (op, ms) => outsideMs.add(ms, { op }),
    });
  } catch (error) {
    // The others would wait at the next barrier for this user.
    exec.test.abort(String(error));
  }
}

/**
 * Only what is measured follows the schedule: warming up is always closed.
 * @param {import('./lib/schedule.js').ScenarioPlan} planned
 */
function isPaced({ step, phase }) {
  return step.model === 'open' && phase === 'measure';
}

/**
 * @param {import('../lib/types.d.ts').Step} step
 * @param {string} op
 * @returns {number} operations per second of all virtual users together
 */
function rateOf(step, op) {
  const share = workload.facts.mix?.[op] ?? 1;
  const all = settings.ratePerSec ?? step.ratePerSec;
  const ratePerSec = settings.ratesPerSec[op] ?? (all ? all * share : null);
  if (!ratePerSec) throw new Error(`the open step "${step.id}" needs -e RATE_PER_SEC=…`);
  return ratePerSec;
}

/**
 * Open model: the virtual users take turns in one schedule.
 * @param {import('../lib/types.d.ts').Step} step
 * @param {string[]} operations that the schedule holds
 * @param {number} startMs epoch
 */
function paceOf(step, operations, startMs) {
  const ratePerSec = operations.reduce((sum, op) => sum + rateOf(step, op), 0);
  return { ratePerSec, startMs, offset: (exec.vu.idInTest - 1) % step.vus, of: step.vus };
}

export function handleSummary(/** @type {unknown} */ data) {
  if (!settings.summaryPath) return undefined;
  /** @type {Record<string, string>} */
  const files = { [settings.summaryPath]: JSON.stringify(data) };
  if (settings.histogramsPath) files[settings.histogramsPath] = measure.exportAll();
  return files;
}
