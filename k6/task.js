/**
 * What this k6 process is asked for: the clients of its systems, a workload, and its loads as k6 will run them: the steps
 * of a profile, or those that the runner will order.
 * @import { Step } from '../lib/types.d.ts'
 * @import { StepPlan } from './schedule/schedule.js'
 */
import burstModule from 'k6/x/burst';
import { demandClient } from './client.js';
import { storedIn } from './data/stored.js';
import { dataClient, dataWorkload, isData } from './data/workload.js';
import {
  idsOf,
  keysInAll,
  keysOfCount,
  keysOfTrial,
  keysOfWindow,
  loadOf,
  sendersOf,
  tallyOf,
  uuidsOf,
  writersOf,
} from './keys.js';
import { datasetOf, isFixedCount, meetsFault } from './schedule/facts.js';
import { planInTurn } from './schedule/schedule.js';
import { stepFor, stepsByCase } from './schedule/steps.js';
import { readSettings } from './settings.js';

export const settings = readSettings(__ENV);
export const profile = JSON.parse(open(settings.profilePath));
export const workload = isData(settings.workloadFile)
  ? dataWorkload(open(settings.workloadFile))
  : require(import.meta.resolve(settings.workloadFile));
const { facts } = workload;
const { trial } = settings;
/** The step that was asked for; by hand and without one, all closed ones; none where the runner orders the loads. */
export const steps = trial ? [] : chosenSteps();
/** The first or only one; none of a trial. @type {Partial<Step>} */
const step = steps[0] ?? {};
const dataset = datasetOf(facts, profile, step);
/** The step of a fixed count; it is alone then. */
export const fixedCountStep = steps.find(isFixedCount) ?? null;
export const plan = trial ? planOfTrial() : planInTurn(steps, profile, facts, settings.checksState);

/** What an earlier k6 left: the system was killed under its load, and is looked at again. */
export const left = settings.verifyPath ? JSON.parse(open(settings.verifyPath)).notes : null;

/** What was stored before the load of several runners began. */
export const before = settings.beforePath ? JSON.parse(open(settings.beforePath)).notes : null;

const known = knownKeys();

/** @typedef {ReturnType<typeof systemOf>} SystemOfTask */
/** The systems that are loaded: one, or those of a trial. */
export const systems = settings.systems.map(systemOf);
/** Of the only system of a step. `templates`: for each operation, what the burst module sends. */
export const { client, templates, context } = systems[0];

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

/** @typedef {{starts: Record<string, any>}} Started what `before` of the workload returned, by name of the system */

/** @param {Started} data @returns {any} of the only system of a step */
export function startOf({ starts }) {
  return starts[systems[0].name] ?? null;
}

/** @param {(typeof settings.systems)[number]} asked */
function systemOf({ name, lane, stackFolder, target }) {
  const module = facts.data
    ? dataClient(facts.data)
    : require(import.meta.resolve(`${stackFolder}/client.js`));
  /** @type {any} `ClientModule` of the workload */
  const own = module.default?.[settings.workload] ?? module;
  const all = typeof own.templates === 'function' ? own.templates(target, workload, dataset) : own.templates;
  return {
    ...{ name, lane, target, client: own },
    prefix: name ? `${name}/` : '',
    templates: keyedApart(tallied(all)),
    context: { ...contextOf(name), ...(facts.data ? { stored: storedOf(name, target) } : {}) },
  };
}

/**
 * @param {string} system
 * @param {import('./types.d.ts').Target} target
 * @returns {() => ReturnType<typeof storedIn>} what the workload of a file stores in it, the same each time
 */
function storedOf(system, target) {
  /** @type {ReturnType<typeof storedIn> | undefined} */
  let made;
  const seed = profile.seed + (trial?.start ?? 0);
  return () => {
    made ??= storedIn(facts.data, { ...loadOf(system, trial), seed, target, left: left?.stored });
    return made;
  };
}

/**
 * For the functions of the workload.
 * @param {string} name of the system
 */
function contextOf(name) {
  // Where a turn counts its operations, if it does.
  const counters =
    settings.checksState && workload.tallied ? { name: name || 'turn', of: workload.tallied(dataset) } : null;
  return {
    dataset,
    label: trial ? `start-${trial.start}` : steps[0].id,
    users: trial?.users ?? fixedCountStep?.vus ?? Math.max(...plan.windows.map((w) => w.users)),
    keysOf: (/** @type {string} */ op, /** @type {number} */ stream) => {
      if (fixedCountStep) return keysOfCount(fixedCountStep, profile, facts, stream);
      const window = plan.windows.find((w) => w.phase === 'measure' && w.operations.includes(op));
      return window && keysOfWindow(window, profile, facts, stream);
    },
    keys: fixedCountStep ? keysInAll(fixedCountStep) : 0,
    document: (/** @type {number} */ key) => known?.document(key),
    ...(trial ? { slices: true, mayBe: versionsOf(name) } : {}),
    tally: tallyIn(counters ?? tallyOf(profile, facts, name)),
    counters,
    uuidsOf,
    sendersOf,
    writersOf: (/** @type {{seed: number}[]} */ sent) =>
      writersOf([...plan.windows.map((w) => idsOf(profile, w.name)), ...sent.map((s) => s.seed)]),
    checksAnswers: settings.checksState,
    othersChange: step.background !== undefined,
    /** @type {string[]} */
    problems: [],
    /** What `before` of the workload returned. */
    start: null,
  };
}

/** The keys whose documents the functions of the workload ask for; null where none are known beforehand. */
function knownKeys() {
  if (fixedCountStep) return keysOfCount(fixedCountStep, profile, facts, 0);
  if (!facts.keys?.documents) return null;
  return trial ? keysOfTrial(profile, facts, trial, {}) : keysOfWindow(plan.windows[0], profile, facts, 0);
}

/**
 * @param {string} system
 * @returns {((key: number, text: string) => boolean) | undefined} whether it may have been sent that document
 */
function versionsOf(system) {
  /** @type {any} */
  let keys;
  if (!known) return undefined;
  return (key, text) => {
    keys ??= keysOfTrial(profile, facts, trial, { system });
    return keys.mayBe(key, text);
  };
}

/**
 * Where each operation has a key of its own and the load lasts until a kill, nobody knows how many keys there will be:
 * they are counted on each connection.
 * @param {any} all templates
 * @returns {any}
 */
function keyedApart(all) {
  if (!all || !meetsFault(step) || !facts.keys?.each) return all;
  return JSON.parse(JSON.stringify(all).replaceAll('{key}', '{stream}:{seq}'));
}

/**
 * @param {{name: string, of: number} | undefined} counters
 * @returns {import('./types.d.ts').WorkloadContext['tally']} of this process; of an earlier one after a kill
 */
function tallyIn(counters) {
  if (!settings.checksState || !counters) return null;
  const tally = burstModule.tally(counters.of, counters.name);
  return left ? { ...tally, counts: () => left.tally } : tally;
}

/**
 * @param {Record<string, any> | undefined} all templates
 * @returns {Record<string, any> | undefined} of which the values of replies are not checked where nothing is stored; nor
 *   where a fault may take back what was acknowledged, because that is counted when the load is over
 */
function tallied(all) {
  if (!all || (settings.checksState && !step.fault)) return all;
  const counted = (/** @type {any} */ { tally }) =>
    settings.checksState && tally && tally !== 'reads' ? 'counted' : undefined;
  const used = (/** @type {any} */ { use }) => (use === 'reads' ? undefined : use);
  return Object.fromEntries(
    Object.entries(all).map(([op, template]) => [
      op,
      { ...template, tally: counted(template), use: used(template) },
    ]),
  );
}

/** What the documents of the step are; null for a workload without any. */
export function documentFacts() {
  return fixedCountStep && facts.keys?.documents ? known?.facts(fixedCountStep.operations ?? 0) : null;
}

/** @returns {StepPlan} one user for each system, who asks what to do */
function planOfTrial() {
  const scenario = {
    executor: 'shared-iterations',
    vus: 1,
    iterations: 1,
    maxDuration: '24h',
    exec: 'orders',
  };
  return {
    scenarios: Object.fromEntries(settings.systems.map(({ name }) => [name, scenario])),
    thresholds: {},
    ...{ windows: [], stages: [], seconds: 0, limitSec: 0 },
  };
}

/** @returns {Step[]} */
function chosenSteps() {
  if (settings.planned) return [settings.planned];
  const { workload: id, step: wanted, target } = settings;
  const chosen = stepsByCase(facts, profile.steps, target.transport)
    .filter((s) => s.workloads?.includes(id) ?? true)
    .filter((s) => (wanted ? s.id === wanted : s.model === 'closed'))
    .map((s) => stepFor(s, facts, profile));
  if (chosen.length === 0) throw new Error(`the profile "${settings.profile}" has no step "${wanted}"`);
  return chosen;
}
