/**
 * The only script that k6 is started with: one system, one workload, one step (or all closed ones) of a profile.
 *
 *   k6 run -e SYSTEM=… -e WORKLOAD=… -e PROFILE=smoke -e BASE_URL=scheme://host:port k6/main.js
 *
 * Nothing here knows a system or a workload by name.
 */
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { readSettings } from './lib/environment.js';
import { classOf } from './lib/error-class.js';
import { datasetOf, LEAD_SEC, scenariosOf, stepsByCase, windowsOf } from './lib/schedule.js';

const settings = readSettings(__ENV);
const profile = JSON.parse(open(settings.profilePath));
const client = require(import.meta.resolve(`${settings.stackFolder}/client.js`));
const workload = require(import.meta.resolve(`./workloads/${settings.workload}.js`));
const dataset = datasetOf(workload.facts, profile);
const windows = plannedWindows();
const byScenario = Object.fromEntries(windows.map((w) => [w.name, w]));
const templates =
  typeof client.templates === 'function'
    ? client.templates(settings.target, workload, dataset)
    : client.templates;
const context = {
  dataset,
  label: windows[0].step.id,
  users: Math.max(...windows.map((w) => w.users)),
  keysOf: (/** @type {string} */ op, /** @type {number} */ stream) => {
    const planned = windows.find((w) => w.phase === 'measure' && w.operations[0] === op);
    return planned && keysFor(planned, stream);
  },
};

/** Resolution of the choice between the operations of a mix. */
const DRAWS = 1_000_000;

/** Iteration drive: time that a virtual user spent between two operations, ms. */
const outsideMs = new Counter('op_outside_ms');
const turnsTaken = new Counter('op_outside_turns');

/** What an earlier k6 left: the system was killed under its load, and is looked at again. */
const left = settings.verifyPath ? JSON.parse(open(settings.verifyPath)).notes : null;

export const options = {
  scenarios: left
    ? { verify: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'verify' } }
    : scenariosOf(windows),
  // k6 keeps a sub-metric in its summary only where a threshold names it; an empty one asserts nothing.
  thresholds: Object.fromEntries(
    (left ? [] : windows)
      .filter((w) => w.phase === 'measure')
      .flatMap((w) => [
        [`op_outside_ms{scenario:${w.name}}`, []],
        [`op_outside_turns{scenario:${w.name}}`, []],
        ...w.operations.flatMap((op) =>
          ['op_duration', 'op_count', 'op_errors'].map((m) => [`${m}{phase:${phaseName(w)},op:${op}}`, []]),
        ),
      ]),
  ),
  summaryTrendStats: ['count', 'avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'],
  systemTags: ['scenario', 'error_code'],
  setupTimeout: '60s',
  teardownTimeout: '60s',
};

/** @returns {import('./lib/schedule.js').ScenarioPlan[]} */
function plannedWindows() {
  const chosen = settings.planned
    ? [settings.planned]
    : stepsByCase(workload.facts, profile.steps, settings.target.transport).filter((s) =>
        settings.step ? s.id === settings.step : s.model === 'closed',
      );
  if (chosen.length === 0)
    throw new Error(`the profile "${settings.profile}" has no step "${settings.step}"`);
  /** @type {import('./lib/schedule.js').ScenarioPlan[]} */
  const all = [];
  for (const step of chosen) {
    const last = all[all.length - 1];
    const from = last ? last.startSec + last.durationSec + LEAD_SEC + 1 : 0;
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
  let ids = 0x811c9dc5; // FNV-1a
  for (const c of `${profile.seed}/${planned.name}`) ids = Math.imul(ids ^ c.charCodeAt(0), 0x01000193) >>> 0;
  const space = { ...dataset, ...planned.step.dataset }[workload.facts.keys ?? 'keys'];
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
  const opened = client.open(settings.target);
  const start = await workload.before(opened, context);
  opened.close();
  return { start };
}

export async function teardown(/** @type {{start: unknown}} */ data) {
  if (!settings.checksState || left) return;
  if (windows[0].step.kill) {
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
 * @type {{opened: any, connection: any, scenario: string, recorders: any[], keys: any, planned: any, turn: number,
 *   endedAt: number, draws: any, pushes: any}}
 */
const vu = {
  opened: null,
  connection: null,
  scenario: '',
  recorders: [],
  keys: null,
  planned: null,
  turn: 0,
  endedAt: 0,
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
  const place = vu.planned.mix ? drawPlace(vu.planned.mix) : vu.turn++ % vu.recorders.length;
  return { op: vu.planned.operations[place], window: vu.recorders[place] };
}

/**
 * @param {Record<string, number>} mix
 * @returns {number} place of the next operation in a seeded row by shares
 */
function drawPlace(mix) {
  const shares = Object.values(mix);
  let rest = vu.draws.next() / DRAWS;
  const place = shares.findIndex((share) => {
    rest -= share;
    return rest < 0;
  });
  return place < 0 ? shares.length - 1 : place;
}

/**
 * @param {string} name of k6's scenario
 * @param {number} scenarioStartMs epoch
 */
function enterWindow(name, scenarioStartMs) {
  const startMs = scenarioStartMs + LEAD_SEC * 1000;
  vu.scenario = name;
  vu.planned = byScenario[name];
  vu.turn = 0;
  vu.endedAt = 0;
  const endMs = startMs + vu.planned.durationSec * 1000;
  const recorder = (/** @type {string} */ op, /** @type {number | undefined} */ targetPerSec) =>
    measure.window({ op, phase: phaseName(vu.planned), startMs, endMs, targetPerSec });
  vu.recorders = vu.planned.operations.map((/** @type {string} */ op) =>
    recorder(op, isPaced(vu.planned) ? rateOf(vu.planned.step, op) : undefined),
  );
  // A single user hears of nobody else.
  const pushes = vu.planned.users > 1 ? client.pushes?.(settings.target) : null;
  vu.pushes = pushes ? { window: recorder(workload.facts.pushed, undefined), ...pushes } : null;
  vu.keys = keysFor(vu.planned, exec.vu.idInTest);
  vu.draws = burstModule.keys({ seed: profile.seed + 1, stream: exec.vu.idInTest, space: DRAWS });
}

/** One operation for each iteration of k6, or a session of many where the transport keeps one open. */
export async function iteration() {
  if (client.converse?.(settings.target, turns, dataset)) return;
  const { op, window } = takeTurn();
  vu.opened ??= client.open(settings.target);
  const key = vu.keys.next();
  const startedAt = begin(window);
  try {
    await workload.perform(vu.opened, op, key, context, vu.keys);
    vu.endedAt = measure.now();
    window.success(startedAt);
  } catch (error) {
    vu.endedAt = measure.now();
    window.failure(startedAt, classOf(error));
  }
}

/**
 * @param {any} window
 * @returns {number} moment of sending
 */
function begin(window) {
  const startedAt = window.start();
  if (vu.endedAt > 0) {
    outsideMs.add(startedAt - vu.endedAt);
    turnsTaken.add(1);
  }
  return startedAt;
}

/** A session's operations, one at a time; the last one begins before the window ends. */
const turns = {
  /** @type {{window: any, startedAt: number} | null} */
  current: null,
  next() {
    if (
      vu.recorders.length > 0 &&
      vu.scenario === exec.scenario.name &&
      measure.epochMs() >= vu.recorders[0].endMs
    )
      return null;
    const { op, window } = takeTurn();
    const key = vu.keys.next();
    turns.current = { window, startedAt: begin(window) };
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

/**
 * Many operations for each iteration. The more users there are, the longer each call: about 1000 calls a second in
 * all keep JavaScript off the load path, and one second at most keeps k6's own metrics fresh.
 */
export function burst() {
  const { op, window } = takeTurn();
  const { step, mix } = vu.planned;
  vu.connection ??= burstModule.connect({ timeoutMs: 5000, ...client.burst(settings.target) });
  const paced = isPaced(vu.planned);
  const sliceMs = paced ? Number.POSITIVE_INFINITY : Math.min(1000, Math.max(mix ? 250 : 50, step.vus));
  vu.connection.run({
    ...(mix ? { mix: mixOf(mix) } : { window, template: templates[op] }),
    ...(vu.pushes ? { pushes: vu.pushes } : {}),
    depth: step.depth ?? 1,
    keys: vu.keys,
    untilMs: Math.min(window.endMs, measure.epochMs() + sliceMs),
    ...(paced ? { pace: paceOf(step, mix ? Object.keys(mix) : [op], window.startMs) } : {}),
  });
}

/** @param {Record<string, number>} mix */
function mixOf(mix) {
  return Object.entries(mix).map(([op, share], i) => ({
    share,
    window: vu.recorders[i],
    template: templates[op],
  }));
}

/** A client of a stream: what it receives is counted until the window ends. */
export function listen() {
  const { window } = takeTurn();
  burstModule.listen({ window, ...client.listening(settings.target), untilMs: window.endMs });
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
