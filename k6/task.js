/**
 * What this k6 process is asked for: a system's client, a workload, and its steps as k6 will run them.
 * @import { Step } from '../lib/types.d.ts'
 */
import burstModule from 'k6/x/burst';
import { demandClient } from './client.js';
import { isTallied, keysInAll, keysOfCount, keysOfWindow, sendersOf, uuidsOf } from './keys.js';
import { datasetOf, isFixedCount, meetsFault } from './schedule/facts.js';
import { planInTurn } from './schedule/schedule.js';
import { stepFor, stepsByCase } from './schedule/steps.js';
import { readSettings } from './settings.js';

export const settings = readSettings(__ENV);
export const profile = JSON.parse(open(settings.profilePath));
export const workload = require(import.meta.resolve(settings.workloadFile));
const { facts } = workload;
const module = require(import.meta.resolve(`${settings.stackFolder}/client.js`));
/** @type {any} `ClientModule` of the workload */
export const client = module.default?.[settings.workload] ?? module;
/** The step that was asked for; by hand and without one, all closed ones. */
export const steps = chosenSteps();
const dataset = datasetOf(facts, profile, steps[0]);
const ofClient =
  typeof client.templates === 'function'
    ? client.templates(settings.target, workload, dataset)
    : client.templates;
/** The step of a fixed count; it is alone then. */
export const fixedCountStep = steps.find(isFixedCount) ?? null;
/** For each operation, what the burst module sends. The answers of a calibration are constants. */
export const templates = keyedApart(tallied(ofClient, steps[0]), steps[0]);
export const plan = planInTurn(steps, profile, facts, settings.checksState);

demandClient(
  client,
  templates,
  [
    ...plan.windows.flatMap((w) => w.operations.map((operation) => ({ drive: w.drive, operation }))),
    ...plan.stages.map((s) => ({
      drive: fixedCountStep?.drive ?? profile.drive,
      operation: s.operation,
    })),
  ],
  workload.turn !== undefined,
);

/** What an earlier k6 left: the system was killed under its load, and is looked at again. */
export const left = settings.verifyPath ? JSON.parse(open(settings.verifyPath)).notes : null;

/** What was stored before the load of several runners began. */
export const before = settings.beforePath ? JSON.parse(open(settings.beforePath)).notes : null;

const known = knownKeys();

/** Where a turn counts its operations, if it does. */
const counters =
  settings.checksState && workload.tallied ? { name: 'turn', of: workload.tallied(dataset) } : null;

/** For the functions of the workload. */
export const context = {
  dataset,
  label: steps[0].id,
  users: fixedCountStep?.vus ?? Math.max(...plan.windows.map((w) => w.users)),
  keysOf: (/** @type {string} */ op, /** @type {number} */ stream) => {
    if (fixedCountStep) return keysOfCount(fixedCountStep, profile, facts, stream);
    const window = plan.windows.find((w) => w.phase === 'measure' && w.operations.includes(op));
    return window && keysOfWindow(window, profile, facts, stream);
  },
  keys: fixedCountStep ? keysInAll(fixedCountStep) : 0,
  document: (/** @type {number} */ key) => known?.document(key),
  tally: tallyOf(steps[0]),
  counters,
  uuidsOf,
  sendersOf,
  checksAnswers: settings.checksState,
  /** @type {string[]} */
  problems: [],
  /** What `before` of the workload returned. */
  start: null,
};

/** The keys whose documents the functions of the workload ask for; null where none are known beforehand. */
function knownKeys() {
  if (fixedCountStep) return keysOfCount(fixedCountStep, profile, facts, 0);
  return facts.keys?.documents ? keysOfWindow(plan.windows[0], profile, facts, 0) : null;
}

/**
 * Where each operation has a key of its own and the load lasts until a kill, nobody knows how many keys there will be:
 * they are counted on each connection.
 * @param {any} all templates
 * @param {Step} step
 * @returns {any}
 */
function keyedApart(all, step) {
  if (!all || !meetsFault(step) || !facts.keys?.each) return all;
  return JSON.parse(JSON.stringify(all).replaceAll('{key}', '{stream}:{seq}'));
}

/**
 * @param {Step} step
 * @returns {import('./types.d.ts').WorkloadContext['tally']} of this process; of an earlier one after a kill
 */
function tallyOf(step) {
  const { keys } = datasetOf(facts, profile, step);
  if (!settings.checksState || !(counters || isTallied(facts, keys))) return null;
  const tally = counters ? burstModule.tally(counters.of, counters.name) : burstModule.tally(keys);
  return left ? { ...tally, counts: () => left.tally } : tally;
}

/**
 * @param {Record<string, any> | undefined} all templates
 * @param {Step} step
 * @returns {Record<string, any> | undefined} of which the values of replies are not checked where nothing is stored; nor
 *   where a fault may take back what was acknowledged, because that is counted when the load is over
 */
function tallied(all, step) {
  if (!all || (settings.checksState && !step.fault)) return all;
  const counted = (/** @type {any} */ { tally }) =>
    settings.checksState && tally === 'adds' ? 'counted' : undefined;
  return Object.fromEntries(
    Object.entries(all).map(([op, template]) => [op, { ...template, tally: counted(template) }]),
  );
}

/** What the documents of the step are; null for a workload without any. */
export function documentFacts() {
  return fixedCountStep && facts.keys?.documents ? known?.facts(fixedCountStep.operations ?? 0) : null;
}

/** @returns {Step[]} */
function chosenSteps() {
  if (settings.planned) return [settings.planned];
  const { workload: id, step, target } = settings;
  const chosen = stepsByCase(facts, profile.steps, target.transport)
    .filter((s) => s.workloads?.includes(id) ?? true)
    .filter((s) => (step ? s.id === step : s.model === 'closed'))
    .map((s) => stepFor(s, facts, profile));
  if (chosen.length === 0) throw new Error(`the profile "${settings.profile}" has no step "${step}"`);
  return chosen;
}
