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
import { datasetOf, drivenBy, scenariosOf, windowGroups, windowsOf } from './lib/schedule.js';

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
  dataset,
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

/** Iteration drive: time that a virtual user spent between two operations, ms. */
const outsideMs = new Counter('op_outside_ms');
/** How often it performed an operation that takes turns with others. */
const turnsTaken = new Counter('op_turns');

export const options = {
  scenarios: countedStep
    ? countedScenario(countedStep, windowGroups(workload.facts, countedStep).length)
    : scenariosOf(windows),
  // k6 keeps a sub-metric in its summary only where a threshold names it; an empty one asserts nothing.
  thresholds: Object.fromEntries([
    ...(countedStep ? windowGroups(workload.facts, countedStep).flat() : []).map(
      (/** @type {string} */ op) => [
        `op_outside_ms{scenario:${scenarioName(/** @type {any} */ (countedStep))},op:${op}}`,
        [],
      ],
    ),
    ...windows
      .filter((w) => w.phase === 'measure')
      .flatMap((w) => [
        [`op_outside_ms{scenario:${w.name}}`, []],
        [`iterations{scenario:${w.name}}`, []],
        ...w.operations.flatMap((op) =>
          ['op_duration', 'op_count', 'op_errors'].map((m) => [`${m}{phase:${phaseName(w)},op:${op}}`, []]),
        ),
        ...(w.operations.length > 1 ? w.operations : []).flatMap((op) =>
          ['op_outside_ms', 'op_turns'].map((m) => [`${m}{scenario:${w.name},turn:${op}}`, []]),
        ),
      ]),
  ]),
  summaryTrendStats: ['count', 'avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'],
  systemTags: ['scenario', 'error_code'],
  setupTimeout: '60s',
  teardownTimeout: '60s',
};

/**
 * The step that was asked for; by hand and without one, all closed ones.
 * @returns {import('../lib/types.d.ts').Step[]}
 */
function chosenSteps() {
  const { facts } = workload;
  const steps = settings.planned
    ? [settings.planned]
    : profile.steps
        .filter((/** @type {any} */ s) => (settings.step ? s.id === settings.step : s.model === 'closed'))
        .map((/** @type {any} */ s) => drivenBy(countedInstead(s, facts, profile.dataset), facts));
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
  return burstModule.keys({ seed: profile.seed + planned.index, stream, space: dataset.keys, ids });
}

/**
 * A recorder belongs to one phase of one operation; by hand several steps share a process.
 * @param {import('./lib/schedule.js').ScenarioPlan} planned
 */
function phaseName(planned) {
  return settings.step ? planned.phase : `${planned.phase}-${planned.step.id}`;
}

export async function setup() {
  if (!settings.checksState) return { start: null };
  if (countedStep && workload.facts.documents)
    measure.note('dataset', countedKeys?.facts(countedStep.operations ?? 0));
  const opened = client.open(settings.target);
  const start = await workload.before(opened, context);
  opened.close();
  return { start };
}

export async function teardown(/** @type {{start: unknown}} */ data) {
  if (!settings.checksState) return;
  const opened = client.open(settings.target);
  measure.note('oracle', await workload.after(opened, context, data.start, measure.totals()));
  opened.close();
}

/**
 * What a virtual user keeps: its connection, and for each window its recorders and its own sequence of keys.
 * @type {{opened: any, connection: any, pattern: string | undefined, scenario: string,
 *   recorders: Record<string, any>, keys: any, planned: any, turn: number, endedAt: Record<string, number>}}
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
  endedAt: {},
};

/**
 * Follows k6 from one window to the next.
 * @returns {{op: string, window: any}} what is this iteration's turn
 */
function takeTurn() {
  const { name, startTime } = exec.scenario;
  if (vu.scenario !== name) enterWindow(name, startTime);
  const { turns } = vu.planned;
  const op = turns[vu.turn++ % turns.length];
  return { op, window: vu.recorders[op] };
}

/**
 * @param {string} name of k6's scenario
 * @param {number} scenarioStartMs epoch
 */
function enterWindow(name, scenarioStartMs) {
  vu.scenario = name;
  vu.planned = byScenario[name];
  const startMs = scenarioStartMs + vu.planned.leadSec * 1000;
  vu.turn = 0;
  vu.endedAt = {};
  const endMs = startMs + vu.planned.durationSec * 1000;
  vu.recorders = Object.fromEntries(
    vu.planned.operations.map((/** @type {string} */ op) => [
      op,
      measure.window({ op, phase: phaseName(vu.planned), startMs, endMs }),
    ]),
  );
  vu.keys = keysFor(vu.planned, exec.vu.idInTest);
}

/**
 * One operation for each iteration of k6.
 * @param {{start: any}} data
 */
export async function iteration(data) {
  const { op, window } = takeTurn();
  vu.opened ??= client.open(settings.target);
  context.start = data.start;
  const key = vu.keys.next();
  const startedAt = window.start();
  noteOutside(op, startedAt);
  try {
    await workload.perform(vu.opened, op, key, context, vu.keys);
    vu.endedAt[op] = measure.now();
    window.success(startedAt);
  } catch (error) {
    vu.endedAt[op] = measure.now();
    window.failure(startedAt, classOf(error));
  }
  if (dataset.thinkMs > 0 && vu.turn % vu.planned.turns.length === 0) sleep(dataset.thinkMs / 1000);
}

/**
 * How long this user has not been in this operation since the last time: idle, or in others whose turn it was.
 * @param {string} op
 * @param {number} startedAt
 */
function noteOutside(op, startedAt) {
  if (vu.endedAt[op] === undefined) return;
  const takesTurns = vu.planned.operations.length > 1;
  outsideMs.add(startedAt - vu.endedAt[op], takesTurns ? { turn: op } : {});
  if (takesTurns) turnsTaken.add(1, { turn: op });
}

/**
 * Many operations for each iteration. The more users there are, the longer each call: about 1000 calls a second in
 * all keep JavaScript off the load path, and one second at most keeps k6's own metrics fresh.
 */
export function burst() {
  const { op, window } = takeTurn();
  const { step, phase } = vu.planned;
  connectAs(step.clientPattern);
  const paced = step.model === 'open' && phase === 'measure';
  // Where answers take long there are few calls anyway.
  const callMs = workload.facts.leadSec ? 1000 : Math.min(1000, Math.max(50, step.vus));
  const sliceMs = paced ? Number.POSITIVE_INFINITY : callMs;
  vu.connection.run({
    window,
    template: templates[op],
    depth: step.depth ?? 1,
    keys: vu.keys,
    untilMs: Math.min(window.endMs, measure.epochMs() + sliceMs),
    ...(paced ? { pace: paceOf(step, op, window.startMs) } : {}),
  });
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
 * Open model: the virtual users take turns in one schedule.
 * @param {import('../lib/types.d.ts').Step} step
 * @param {string} op
 * @param {number} startMs epoch
 */
function paceOf(step, op, startMs) {
  const ratePerSec = settings.ratesPerSec[op] ?? settings.ratePerSec ?? step.ratePerSec;
  if (!ratePerSec) throw new Error(`the open step "${step.id}" needs -e RATE_PER_SEC=…`);
  return { ratePerSec, startMs, offset: (exec.vu.idInTest - 1) % step.vus, of: step.vus };
}

export function handleSummary(/** @type {unknown} */ data) {
  if (!settings.summaryPath) return undefined;
  /** @type {Record<string, string>} */
  const files = { [settings.summaryPath]: JSON.stringify(data) };
  if (settings.histogramsPath) files[settings.histogramsPath] = measure.exportAll();
  return files;
}
