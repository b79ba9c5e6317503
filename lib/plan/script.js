import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { idOfFile, strangerAs } from '../config/data-workloads.js';
import { UNKNOWN_DURABILITY } from '../config/durability.js';
import { readK6Options } from '../config/k6-options.js';
import { scriptOf } from '../config/script-of.js';
import { withoutUserinfo } from '../controls.js';
import { BenchError } from '../errors.js';
import { sha256 } from '../store.js';
import { watchOf } from './watch.js';

/** @import { Plan, PlannedSystem, Profile, RunOptions, ScriptOptions, Stack, WorkloadFacts } from '../types.d.ts' */

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
/** Of a comparison of two scripts: fewer name no winner. */
const COMPARED_REPEATS = 5;
/** At a rate so many users are there for each iteration a second, within bounds: enough for iterations of a second. */
const USERS_PER_RATE = Object.freeze({ least: 10, most: 1000 });
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

/**
 * What is asked for.
 * @typedef {Pick<import('../options.js').Options, 'script' | 'compareScripts' | 'steps' | 'rate' | 'by' | 'stepDuration' | 'endpoint' | 'watch' | 'k6'>} Wish
 */

/**
 * @typedef {object} Script
 * @property {RunOptions & {script: ScriptOptions}} options where two are compared, `script` is the first
 * @property {Record<string, string>} values of its variables, which stand in no file
 * @property {Profile} profile
 * @property {WorkloadFacts} facts
 * @property {Stack[]} stacks
 * @property {PlannedSystem[]} systems
 */

/**
 * @param {Wish} wish
 * @returns {Script | null} null without `--script`
 * @throws {BenchError} no such file
 */
export function readScript(wish) {
  const isCompared = wish.compareScripts.length > 0;
  if (wish.script === null && !isCompared) return null;
  const { k6Options, values } = readK6Options(wish.k6 ?? []);
  demandOneLoad(wish, k6Options);
  const all = filesOf(wish).map((file) => optionsOf(file, k6Options, values, wish.by));
  const [script] = all;
  const urls = endpointsOf(wish.endpoint);
  const watched = watchOf(wish.watch, urls);
  const targets = isCompared ? comparedTargets(all, Object.keys(urls)) : targetsOf(script, Object.keys(urls));
  const workload = isCompared ? 'scripts' : workloadOf(script);
  const ofTargets = (/** @type {any} */ byName) =>
    Object.fromEntries(
      targets.flatMap(({ id, name = '' }) => (Object.hasOwn(byName, name) ? [[id, byName[name]]] : [])),
    );
  const endpoints = ofTargets(urls);
  return {
    // What the live view shows are operations of this suite's own workloads.
    options: {
      ...{ endpoints, ports: {}, generatorCpus: null, live: false, script },
      ...(isCompared ? { scripts: Object.fromEntries(targets.map((t) => [t.id, t.script])) } : {}),
      ...(watched ? { watch: ofTargets(watched) } : {}),
    },
    ...{ values, profile: profileOf(wish, all) },
    systems: targets.map(({ id, title }) => systemOf(id, title, endpoints[id])),
    stacks: targets.map((t) => stackOf(t.id, t.script, workload)),
    facts: factsOf(workload, isCompared ? 'Scripts' : basename(script.path)),
  };
}

/**
 * @param {Wish} wish
 * @returns {string[]} one, or the two that are compared
 */
function filesOf({ script, compareScripts: compared }) {
  if (compared.length === 0) return [String(script)];
  if (script !== null) throw new BenchError('--script and --compare-scripts contradict each other');
  if (compared.length !== 2)
    throw new BenchError(`--compare-scripts needs two scripts, and was given ${compared.length}`, {
      hint: './run-all.sh --compare-scripts a.js b.js --endpoint shop=http://127.0.0.1:8080',
    });
  return compared;
}

/**
 * @param {Wish} wish
 * @param {string[]} k6Options
 * @throws {BenchError} a rate beside what says another load
 */
function demandOneLoad({ rate, steps }, k6Options) {
  if (rate === null) return;
  const rps = k6Options.some((option) => /^--rps(=|$)/.test(option)) ? '"--rps" after "--"' : null;
  const other = steps === null ? rps : '--steps';
  if (other)
    throw new BenchError(`--rate and ${other} contradict each other`, {
      hint: '--rate begins so many iterations a second; --steps has so many users who begin the next when the last is over',
    });
}

/**
 * @param {string} file
 * @param {string[]} k6Options
 * @param {Record<string, string>} values
 * @param {string | null} by
 * @returns {ScriptOptions}
 */
function optionsOf(file, k6Options, values, by) {
  const path = resolve(file);
  if (!existsSync(path)) throw new BenchError(`--script ${file}: there is no such file`);
  if (!statSync(path).isFile()) throw new BenchError(`--script ${file}: not a file`);
  if (!EXTENSIONS.includes(extname(path)))
    throw new BenchError(`--script ${file}: k6 runs ${EXTENSIONS.join(', ')}`);
  return {
    ...{ path, sha256: sha256(readFileSync(path)), k6Options, variables: Object.keys(values) },
    ...(by ? { by } : {}),
  };
}

/**
 * A run goes on with the script that it began with.
 * @param {Plan} plan
 * @param {Record<string, string>} values of variables that are given anew
 * @returns {Stack[]} none where it is not of a script
 * @throws {BenchError} it is gone, or another one
 */
export function stacksOfScript({ options, systems, workloads }, values) {
  const { script } = options;
  if (!script) return [];
  for (const { path, sha256: known } of systems.map((s) => scriptOf(options, s.id)))
    if (!existsSync(path) || sha256(readFileSync(path)) !== known)
      throw new BenchError(`${path} is not the script that the run began with`, {
        hint: 'bring it back, or measure anew',
      });
  const lacking = script.variables.filter((name) => !Object.hasOwn({ ...process.env, ...values }, name));
  if (lacking.length > 0)
    throw new BenchError(`the script was given the variable ${lacking[0]}, whose value is in no file`, {
      hint: `add -- ${lacking.map((name) => `-e ${name}=VALUE`).join(' ')}`,
    });
  return systems.map((s) => stackOf(s.id, scriptOf(options, s.id), workloads[0].id));
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
 * @param {Pick<Wish, 'steps' | 'rate' | 'stepDuration'>} wish
 * @param {ScriptOptions[]} scripts one, or two that are compared
 * @param {number} [scenarios] each of which needs a user
 * @returns {Profile}
 */
function profileOf({ steps, rate, stepDuration }, scripts, scenarios = 1) {
  const durationSec = stepDuration ?? STEP_SEC;
  const numbers = rate ?? steps ?? STEPS;
  const names = scripts.map(({ path }) => basename(path)).join(' and ');
  const { least, most } = USERS_PER_RATE;
  return {
    title: `The ${scripts.length > 1 ? 'scripts' : 'script'} ${names}, ${rate ? `at ${numbers.join(', ')} iterations a second` : `by ${numbers.join(', ')} users`}`,
    seed: 20_266,
    repeats: scripts.length > 1 ? COMPARED_REPEATS : 1,
    warmupSec: WARMUP_SEC,
    coolDownSec: 1,
    drive: 'iteration',
    dataset: {},
    steps: numbers.map((n) =>
      rate === null
        ? { id: `c${n}`, model: 'closed', vus: n, durationSec }
        : {
            ...{ id: `rate${n}`, model: 'open', ratePerSec: n, durationSec },
            vus: Math.max(scenarios, least, Math.min(n, most)),
            // What is due is an iteration; what it asks for follows from it.
            focus: true,
          },
    ),
    thresholds: {},
  };
}

/**
 * Every scenario of a script has at least one user.
 * @param {Script} script
 * @param {Pick<Wish, 'steps' | 'rate' | 'stepDuration'>} wish
 * @param {number} scenarios
 * @returns {Profile}
 * @throws {BenchError} --steps asks for fewer users
 */
export function profileFor({ profile, options: { script, scripts = { script } } }, wish, scenarios) {
  if (profile.steps.every(({ vus }) => vus >= scenarios)) return profile;
  const all = Object.values(scripts);
  if (wish.rate !== null) return profileOf(wish, all, scenarios);
  const enough = [scenarios, ...profile.steps.map(({ vus }) => vus).filter((n) => n > scenarios)];
  if (wish.steps === null) return profileOf({ ...wish, steps: enough }, all);
  throw new BenchError(
    `--steps ${wish.steps}: ${basename(script.path)} has ${scenarios} scenarios, and each needs a user`,
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
 * What a script is run against. `name`: of its endpoint, if any
 * @typedef {{id: string, title: string, script: ScriptOptions, name?: string}} Target
 */

/**
 * @param {ScriptOptions} script
 * @param {string[]} names of endpoints
 * @returns {Target[]}
 */
function targetsOf(script, names) {
  if (names.length === 0) return [{ id: TARGET, title: 'What the script addresses', script }];
  return names.map((name) => ({ id: name, title: name, script, name }));
}

/**
 * Two scripts on one endpoint are two systems of one workload: what they do is compared as systems are.
 * @param {ScriptOptions[]} all
 * @param {string[]} names of endpoints
 * @returns {Target[]}
 */
function comparedTargets(all, [name, ...others]) {
  if (others.length > 0)
    throw new BenchError(`--compare-scripts takes one --endpoint, and was given ${others.length + 1}`, {
      hint: '--script compares endpoints by one script',
    });
  const isAlike = workloadOf(all[0]) === workloadOf(all[1]);
  return all.map((script, i) => ({
    id: `${workloadOf(script)}${isAlike ? `-${i + 1}` : ''}`.replace(/^(?![a-z])/, 'script-'),
    title: isAlike ? join(basename(dirname(script.path)), basename(script.path)) : basename(script.path),
    ...{ script, name },
  }));
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string | undefined} endpoint
 * @returns {PlannedSystem}
 */
function systemOf(id, title, endpoint) {
  return {
    ...{ id, title, variant: 'default', origin: 'upstream', engine: 'external', role: 'system' },
    ...(endpoint === undefined ? {} : { endpoint }),
    durability: { ...UNKNOWN_DURABILITY },
    ...{ notes: [], settings: {}, provenance: 'already running' },
  };
}

/** @param {string} id @param {string} title @returns {WorkloadFacts} */
function factsOf(id, title) {
  return {
    ...{ id, title, script: true, pipelines: false, drive: 'iteration', minOperations: MIN_OPERATIONS },
    operations: { iterations: { main: true }, http_reqs: {}, ...UNTIMED },
  };
}

/** @param {ScriptOptions} options */
function workloadOf({ path }) {
  return idOfFile(path, SCRIPT);
}

/**
 * @param {string} id
 * @param {ScriptOptions} options
 * @param {string} workload
 * @returns {Stack} it starts nothing, and its client is the script
 */
function stackOf(id, options, workload) {
  return strangerAs(id, dirname(options.path), {
    workloads: { [workload]: { transports: [SCRIPT] } },
    endpoint: { url: '', port: 1 },
    ready: { command: [], timeoutSec: 1 },
  });
}
