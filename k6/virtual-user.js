/**
 * What one virtual user keeps and does, whichever drive moves it: it follows k6 from one window to the next, takes its
 * turns, notes the time between two operations, and rests.
 */
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { keysOfWindow } from './keys.js';
import { isPaced, rateOf } from './pace.js';
import { datasetOf, operationsThat } from './schedule/facts.js';
import { client, plan, profile, settings, workload } from './task.js';
import { drawnOf, restEvery } from './turns.js';

/** Resolution of a draw. */
const DRAWS = 1_000_000;

/** Recovery from a fault is read off slots of this length. */
const TIMELINE_MS = 50;

/** Iteration drive: time that a virtual user spent between two operations, ms. */
export const outsideMs = new Counter('op_outside_ms');
export const turnsTaken = new Counter('op_outside_turns');

const windowByScenario = Object.fromEntries(plan.windows.map((w) => [w.name, w]));

/**
 * Its window of now, and in it its recorders by operation and its own sequence of keys.
 * @type {{scenario: string, planned: any, recorders: Record<string, any>, keys: any, draws: any, pushes: any,
 *   turn: number, thinkMs: number, called: boolean, endedAt: number | null}}
 */
export const user = {
  scenario: '',
  planned: null,
  recorders: {},
  keys: null,
  draws: null,
  pushes: null,
  turn: 0,
  thinkMs: 0,
  called: false,
  endedAt: null,
};

/**
 * Follows k6 from one window to the next.
 * @returns {{op: string, window: any}} what is this iteration's turn
 */
export function takeTurn() {
  const { name, startTime } = exec.scenario;
  if (user.scenario !== name) enterWindow(name, startTime);
  const { mix, turns: order } = user.planned;
  const op = mix ? drawnOf(mix, draw()) : order[user.turn++ % order.length];
  return { op, window: user.recorders[op] };
}

/** @returns {number} 0 up to 1, by chance: seeded, and the user's own */
function draw() {
  return user.draws.next() / DRAWS;
}

/**
 * @param {string} name of k6's scenario
 * @param {number} scenarioStartMs epoch
 */
function enterWindow(name, scenarioStartMs) {
  const { facts } = workload;
  const planned = windowByScenario[name];
  const startMs = scenarioStartMs + planned.leadSec * 1000;
  const endMs = startMs + planned.durationSec * 1000;
  const timelineMs = planned.step.fault && planned.phase === 'measure' ? TIMELINE_MS : undefined;
  const recorder = (/** @type {string} */ op, /** @type {number | undefined} */ targetPerSec) =>
    measure.window({ op, phase: planned.recordedAs, startMs, endMs, targetPerSec, timelineMs });
  const targetOf = (/** @type {string} */ op) =>
    isPaced(planned) ? rateOf(planned.step, op, facts, settings) : undefined;
  // A single user hears of nobody else.
  const pushes = planned.users > 1 ? client.pushes?.(settings.target) : null;
  Object.assign(user, {
    scenario: name,
    planned,
    recorders: Object.fromEntries(planned.operations.map((op) => [op, recorder(op, targetOf(op))])),
    keys: keysOfWindow(planned, profile, facts, exec.vu.idInTest),
    draws: burstModule.keys({ seed: profile.seed + 1, stream: exec.vu.idInTest, space: DRAWS }),
    pushes: pushes
      ? { window: recorder(operationsThat(facts, (o) => o.pushed)[0], undefined), ...pushes }
      : null,
    turn: 0,
    thinkMs: datasetOf(facts, profile, planned.step).thinkMs ?? 0,
    called: false,
    endedAt: null,
  });
}

/**
 * Notes how long this user has been outside operations since its last one.
 * @param {any} window
 * @returns {number} moment of sending
 */
export function begin(window) {
  const startedAt = window.start();
  if (user.endedAt !== null) {
    outsideMs.add(startedAt - user.endedAt);
    turnsTaken.add(1);
  }
  return startedAt;
}

/**
 * Users who began together would rest together and come back as a crowd: each begins at a moment of its own.
 * @param {{thinkMs: number, planned: {turns: string[]}}} of
 */
export function restsOf({ thinkMs, planned }) {
  return {
    ms: thinkMs,
    every: restEvery(planned.turns.length),
    firstMs: thinkMs * draw(),
  };
}
