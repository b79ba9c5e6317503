/**
 * Which keys a virtual user draws. Their choice is the same for every step; ids may not repeat between the loads that
 * one system sees: one by its address sees those of every repeat, and of other runs.
 * @import { Profile, Step, TrialCall } from '../lib/types.d.ts'
 * @import { TimedWindow } from './schedule/by-time.js'
 * @import { Facts } from './schedule/facts.js'
 */
import burstModule from 'k6/x/burst';
import { keysOf } from './data/definition.js';
import { warmupOperationsOf } from './schedule/by-count.js';
import { datasetOf } from './schedule/facts.js';

/** What the runner calls this load, the same in each k6 that takes part in it and looks at what it left; by hand ''. */
const LOAD_ID = __ENV.LOAD_ID ?? '';

/** Most keys of which a tally is kept: it takes 24 bytes for each. */
const MOST_TALLIED = 4_194_304;

/**
 * @param {TimedWindow} window
 * @param {Profile} profile
 * @param {Facts} facts
 * @param {number} stream number of the user
 */
export function keysOfWindow({ name, step, index, users }, profile, facts, stream) {
  return burstModule.keys({
    seed: profile.seed + index,
    stream,
    space: spaceOf(facts, profile, step),
    tallyOf: tallyOf(profile, facts, ''),
    documents: facts.keys?.documents === true,
    ids: idsOf(profile, name),
    ...(facts.data ? keysOf(facts.data, { ...loadOf(''), streams: users }) : {}),
  });
}

/**
 * @param {Pick<Profile, 'seed'>} profile
 * @param {string} name of a window, or of a step of a fixed count
 * @returns {number} the seed of the ids that operations in it carry
 */
export function idsOf({ seed }, name) {
  return seedOfIds(`${seed}/${name}/${LOAD_ID}`);
}

/**
 * Whose values a load writes, and what tells them from those of other loads.
 * @param {string} system
 * @param {Pick<TrialCall, 'systems'> | null} [trial] of several systems
 */
export function loadOf(system, trial = null) {
  const keepsAll = trial
    ? trial.systems.some((s) => s.name === system && s.keepsAll)
    : __ENV.KEEPS_ALL === '1';
  const mark = seedOfIds(LOAD_ID || String(Date.now()));
  return { of: system, mark, shared: Number(__ENV.RUNNERS ?? 1) > 1, keepsAll };
}

/**
 * @param {Facts} facts
 * @param {Pick<Profile, 'dataset'>} profile
 * @param {Pick<Step, 'dataset'>} [step]
 * @returns {number} keys that there are to choose from
 */
export function spaceOf(facts, profile, step) {
  return datasetOf(facts, profile, step)[facts.keys?.space ?? 'keys'];
}

/**
 * Of a trial: its systems draw the same keys; ids never repeat on the one system that sees them.
 * @param {Profile} profile
 * @param {Facts} facts
 * @param {Pick<TrialCall, 'start' | 'systems'> | null} trial
 * @param {{space?: number, system?: string, number?: number}} of `number`: of the sequence, in whose order keys are drawn;
 *   without one they are known by their place; `system`: whose versions of documents, or whose counters, are counted
 */
export function keysOfTrial(profile, facts, trial, { space = spaceOf(facts, profile), system, number }) {
  const start = trial?.start ?? 0;
  const seed = profile.seed + start;
  return burstModule.keys({
    ...{ seed, space },
    ...(number === undefined ? {} : { stream: 1, ids: (seed * 31 + start * 1009 + number) % 2 ** 31 }),
    ...(facts.keys?.documents ? { documents: true, ...(system ? { versions: system } : {}) } : {}),
    ...(facts.data ? keysOf(facts.data, loadOf(system ?? '', trial)) : {}),
    ...(system ? { tallyOf: tallyOf(profile, facts, system) } : {}),
  });
}

/**
 * One tally for each system, over the keys of all its loads.
 * @param {Profile} profile
 * @param {Facts} facts
 * @param {string} name of the system; '' where it is the only one
 * @returns {{name: string, of: number} | undefined} undefined where no keys are counted
 */
export function tallyOf(profile, facts, name) {
  if (!facts.keys?.tallied) return undefined;
  const loads = [{}, ...profile.steps, ...Object.values(facts.cases ?? {})];
  const of = Math.max(...loads.map((load) => spaceOf(facts, profile, load)));
  return of <= MOST_TALLIED ? { name, of } : undefined;
}

/**
 * Of a fixed count: by chance, or one for each operation of the measured stages and then of the warm-up.
 * @param {Step} step
 * @param {Profile} profile
 * @param {Facts} facts
 * @param {number} stream number of the user
 */
export function keysOfCount(step, profile, facts, stream) {
  const space = facts.keys?.each ? keysInAll(step) : profile.dataset.keys;
  return burstModule.keys({
    seed: profile.seed,
    stream,
    space,
    tallyOf: tallyOf(profile, facts, ''),
    documents: facts.keys?.documents === true,
    ids: idsOf(profile, step.id),
  });
}

/**
 * @param {Step} step of a fixed count
 * @returns {number} of its measured operations and of its warm-up
 */
export function keysInAll(step) {
  return (step.operations ?? 0) + warmupOperationsOf(step);
}

/**
 * @param {import('k6/x/measure').Span[]} spans
 * @returns {string[]} the ids in them
 */
export function uuidsOf(spans) {
  return spans.flatMap(({ seed, stream, from, count }) => {
    const keys = burstModule.keys({ seed, stream, space: 1 });
    return Array.from({ length: count }, (_, n) => keys.uuid(from + n));
  });
}

/**
 * Who sent an id, by what operations carried.
 * @param {Record<string, {sent?: import('k6/x/measure').Sent[]}>} totals
 * @returns {((uuid: string) => import('./types.d.ts').Origin | null) | null} null where no operation carried any
 */
export function sendersOf(totals) {
  /** @type {Map<number, {op: string, keys: number, space: number, own: any, counts: Map<number, number>, streams: Map<number, any>}>} */
  const seeds = new Map();
  for (const [op, { sent = [] }] of Object.entries(totals))
    for (const { seed, stream, from, count, keys, space } of sent) {
      const known = seeds.get(seed) ?? {
        ...{ op, keys, space, own: burstModule.keys({ seed, space: 1 }) },
        ...{ counts: new Map(), streams: new Map() },
      };
      seeds.set(seed, known);
      known.counts.set(stream, Math.max(known.counts.get(stream) ?? 0, from + count));
    }
  if (seeds.size === 0) return null;
  return (uuid) => {
    for (const { op, keys, space, own, counts, streams } of seeds.values()) {
      const found = own.whose(uuid);
      if (!found || found.n >= (counts.get(found.stream) ?? 0)) continue;
      const { stream, n } = found;
      if (!streams.has(stream)) streams.set(stream, burstModule.keys({ seed: keys, stream, space }));
      const drawn = streams.get(stream);
      return {
        ...{ op, stream, n },
        value: (/** @type {number} */ i, /** @type {number} */ bytes) => drawn.value(drawn.at(i), bytes),
      };
    }
    return null;
  };
}

/**
 * Of the texts `{uuid:N}`: whose each is.
 * @param {number[]} seeds of their ids
 * @returns {(text: string) => {seed: number, stream: number, n: number} | null} null where nobody sent it so
 */
export function writersOf(seeds) {
  const all = [...new Set(seeds)].map((seed) => ({ seed, own: burstModule.keys({ seed, space: 1 }) }));
  return (text) => {
    for (const { seed, own } of all) {
      const found = own.whose(text);
      if (found) return { seed, ...found };
    }
    return null;
  };
}

/**
 * @param {string} text what a step, or a window of it, is known by
 * @returns {number} seed of its ids (FNV-1a)
 */
function seedOfIds(text) {
  let hash = 0x811c9dc5;
  for (const c of text) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
