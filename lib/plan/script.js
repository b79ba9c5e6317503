import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { UNKNOWN_DURABILITY } from '../config/durability.js';
import { readK6Options } from '../config/k6-options.js';
import { BenchError } from '../errors.js';
import { withoutUserinfo } from '../format.js';
import { watchOf } from './watch.js';

/** @import { Plan, PlannedSystem, Profile, ScriptOptions, Stack, WorkloadFacts } from '../types.d.ts' */

/**
 * `--script`: a k6 script that knows nothing of this suite, as a workload. Its default function is called again and again
 * by so many users; what k6 measures of it are its operations.
 */

/** What stands where a profile's id does, and where a transport's name does. */
export const SCRIPT = 'script';
/** The system, where the script alone knows what it addresses. */
const TARGET = 'target';
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.tar'];
const STEPS = [1, 20, 100];
const STEP_SEC = 10;
/** Connections are opened and caches filled before the window. */
const WARMUP_SEC = 2;
/** What is counted, because nobody knows how long one took: checks, and messages of WebSockets and gRPC streams. */
const UNTIMED = Object.fromEntries(
  ['checks', 'ws_msgs_sent', 'ws_msgs_received', 'grpc_streams_msgs_sent', 'grpc_streams_msgs_received'].map(
    (op) => [op, { untimed: true }],
  ),
);
/** From which on a p99 is at least one of the operations. */
const MIN_OPERATIONS = 100;

/** What is asked for. @typedef {Pick<import('../options.js').Options, 'script' | 'steps' | 'stepDuration' | 'endpoint' | 'watch' | 'k6'>} Wish */

/**
 * @typedef {object} Script
 * @property {ScriptOptions} options
 * @property {Record<string, string>} values of its variables, which stand in no file
 * @property {Profile} profile
 * @property {WorkloadFacts} facts
 * @property {Stack[]} stacks
 * @property {PlannedSystem[]} systems
 * @property {Record<string, string>} endpoints
 * @property {Record<string, number[]>} [watch] as of {@link watchOf}
 */

/**
 * @param {Wish} wish
 * @returns {Script | null} null without `--script`
 * @throws {BenchError} no such file
 */
export function readScript(wish) {
  if (wish.script === null) return null;
  const { k6Options, values } = readK6Options(wish.k6 ?? []);
  const options = optionsOf(wish.script, k6Options, values);
  const profile = profileOf(wish, options);
  const endpoints = endpointsOf(wish.endpoint);
  const watch = watchOf(wish.watch, endpoints);
  return {
    options,
    values,
    profile,
    endpoints,
    ...(watch ? { watch } : {}),
    ...scriptParts(options, endpoints),
  };
}

/**
 * @param {string} file
 * @param {string[]} k6Options
 * @param {Record<string, string>} values
 * @returns {ScriptOptions}
 */
function optionsOf(file, k6Options, values) {
  const path = resolve(file);
  if (!existsSync(path)) throw new BenchError(`--script ${file}: there is no such file`);
  if (!statSync(path).isFile()) throw new BenchError(`--script ${file}: not a file`);
  if (!EXTENSIONS.includes(extname(path)))
    throw new BenchError(`--script ${file}: k6 runs ${EXTENSIONS.join(', ')}`);
  return { path, sha256: hashOf(path), k6Options, variables: Object.keys(values) };
}

/** @param {string} path */
function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/**
 * A run goes on with the script that it began with.
 * @param {Plan} plan
 * @param {Record<string, string>} values of variables that are given anew
 * @returns {Stack[]} none where it is not of a script
 * @throws {BenchError} it is gone, or another one
 */
export function stacksOfScript({ options: { script }, systems }, values) {
  if (!script) return [];
  if (!existsSync(script.path) || hashOf(script.path) !== script.sha256)
    throw new BenchError(`${script.path} is not the script that the run began with`, {
      hint: 'bring it back, or measure anew',
    });
  const lacking = script.variables.filter((name) => !Object.hasOwn({ ...process.env, ...values }, name));
  if (lacking.length > 0)
    throw new BenchError(`the script was given the variable ${lacking[0]}, whose value is in no file`, {
      hint: `add -- ${lacking.map((name) => `-e ${name}=VALUE`).join(' ')}`,
    });
  return systems.map((s) => stackOf(s.id, script));
}

/**
 * @param {Pick<Wish, 'k6'>} wish of `--resume`
 * @returns {Record<string, string>} values of variables: no others of k6 can change in the midst of a run
 */
export function valuesForResume({ k6 }) {
  const { k6Options, values } = readK6Options(k6 ?? []);
  if (k6Options.length > 0)
    throw new BenchError(`"${k6Options[0]}" after "--": a run goes on with the options that it began with`, {
      hint: 'only variables are given again: -- -e NAME=value',
    });
  return values;
}

/**
 * @param {Pick<Wish, 'steps' | 'stepDuration'>} wish
 * @param {ScriptOptions} options
 * @returns {Profile}
 */
function profileOf({ steps, stepDuration }, { path }) {
  const users = steps ?? STEPS;
  const durationSec = stepDuration ?? STEP_SEC;
  return {
    title: `The script ${basename(path)}, by ${users.join(', ')} users`,
    seed: 20_266,
    repeats: 1,
    warmupSec: WARMUP_SEC,
    coolDownSec: 1,
    drive: 'iteration',
    dataset: {},
    steps: users.map((vus) => ({ id: `c${vus}`, model: 'closed', vus, durationSec })),
    thresholds: {},
  };
}

/**
 * Every scenario of a script has at least one user.
 * @param {Script} script
 * @param {Pick<Wish, 'steps' | 'stepDuration'>} wish
 * @param {number} scenarios
 * @returns {Profile}
 * @throws {BenchError} --steps asks for fewer users
 */
export function profileFor({ profile, options }, wish, scenarios) {
  if (profile.steps.every(({ vus }) => vus >= scenarios)) return profile;
  const enough = [scenarios, ...profile.steps.map(({ vus }) => vus).filter((n) => n > scenarios)];
  if (wish.steps === null) return profileOf({ ...wish, steps: enough }, options);
  throw new BenchError(
    `--steps ${wish.steps}: ${basename(options.path)} has ${scenarios} scenarios, and each needs a user`,
    {
      hint: `--steps ${enough.join(',')}`,
    },
  );
}

/**
 * @param {string[]} texts `name=url` each
 * @returns {Record<string, string>} URLs by name
 */
function endpointsOf(texts) {
  /** @type {Record<string, string>} */
  const endpoints = {};
  for (const text of texts) {
    const [, name, url] = /^([a-z][a-z0-9-]{0,40})=(.*)$/s.exec(text) ?? [];
    const said = `--endpoint ${withoutUserinfo(text)}`;
    if (name === undefined)
      throw new BenchError(`${said}: write name=url`, { hint: 'small letters, digits and hyphens' });
    if (Object.hasOwn(endpoints, name))
      throw new BenchError(`${said}: the name "${name}" stands there twice`);
    if (!URL.canParse(url)) throw new BenchError(`${said}: not a URL`, { hint: 'write scheme://host:port' });
    const { username, password } = new URL(url);
    if (username || password)
      throw new BenchError(`${said}: a password would stand in the report`, {
        hint: 'give it as a variable of the environment, which the script reads as __ENV.NAME',
      });
    endpoints[name] = url;
  }
  return endpoints;
}

/**
 * @param {ScriptOptions} options
 * @param {Record<string, string>} endpoints
 * @returns {Pick<Script, 'facts' | 'stacks' | 'systems'>}
 */
function scriptParts(options, endpoints) {
  const names = Object.keys(endpoints);
  const systems = (names.length > 0 ? names : [TARGET]).map((id) => ({
    id,
    variant: 'default',
    title: endpoints[id] === undefined ? 'What the script addresses' : id,
    origin: /** @type {const} */ ('upstream'),
    engine: /** @type {const} */ ('external'),
    ...(endpoints[id] === undefined ? {} : { endpoint: endpoints[id] }),
    role: /** @type {const} */ ('system'),
    durability: { ...UNKNOWN_DURABILITY },
    notes: [],
    settings: {},
    provenance: 'already running',
  }));
  return {
    systems,
    stacks: systems.map((s) => stackOf(s.id, options)),
    facts: {
      id: workloadOf(options),
      title: basename(options.path),
      script: true,
      operations: { iterations: { main: true }, http_reqs: {}, ...UNTIMED },
      pipelines: false,
      drive: 'iteration',
      minOperations: MIN_OPERATIONS,
    },
  };
}

/** @param {ScriptOptions} options @returns {string} a name that may be part of a file's */
function workloadOf({ path }) {
  const words = basename(path, extname(path))
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter(Boolean).join('-') || SCRIPT;
}

/**
 * @param {string} id
 * @param {ScriptOptions} options
 * @returns {Stack} it starts nothing, and its client is the script
 */
function stackOf(id, options) {
  return {
    id,
    base: id,
    variant: 'default',
    folder: dirname(options.path),
    manifest: {
      title: id,
      origin: 'upstream',
      workloads: { [workloadOf(options)]: { transports: [SCRIPT] } },
      durability: { ...UNKNOWN_DURABILITY },
      endpoint: { url: '', port: 1 },
      ready: { command: [], timeoutSec: 1 },
    },
  };
}
