import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { numberOf, secondsOf } from '../args.js';
import { UNKNOWN_DURABILITY } from '../config/durability.js';
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
const STEPS = '1,20,100';
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

/** Flags of profiles and systems; a script has neither. */
const OTHERS = [
  ...[
    'systems',
    'workloads',
    'engine',
    'port',
    'stacks',
    'duration',
    'operations',
    'starts',
    'until-decided',
  ],
  ...['max-minutes', 'resume', 'generators', 'on', 'render-only', 'namespace', 'context', 'workloads-folder'],
];
/** Options of k6 that say what the ladder says, or what we need ourselves. */
const OURS = new Set([
  ...['-u', '--vus', '-d', '--duration', '-i', '--iterations', '-s', '--stage', '-p', '--paused'],
  ...[
    '-a',
    '--address',
    '-q',
    '--quiet',
    '--log-format',
    '--log-output',
    '--summary-mode',
    '--summary-export',
  ],
  ...['--execution-segment', '--execution-segment-sequence', '-l', '--linger', '--no-setup', '--no-teardown'],
]);

/**
 * @typedef {object} Script
 * @property {ScriptOptions} options
 * @property {Profile} profile
 * @property {WorkloadFacts} facts
 * @property {Stack[]} stacks
 * @property {PlannedSystem[]} systems
 * @property {Record<string, string>} endpoints
 * @property {Record<string, number[]>} [watch] as of {@link watchOf}
 */

/**
 * @param {Record<string, any>} flags
 * @param {string | undefined} word a profile's
 * @returns {Script | null} null without `--script`
 * @throws {BenchError} no such file, or flags that do not go with it
 */
export function readScript(flags, word) {
  if (flags.script === undefined) {
    for (const flag of ['steps', 'step-duration'])
      if (flags[flag] !== undefined)
        throw new BenchError(`--${flag} is of --script: the steps of a profile stand in its file`, {
          hint: './run-all.sh --script mine.js --steps 1,20,100 --step-duration 10s',
        });
    if (flags.k6)
      throw new BenchError('what follows "--" are options of k6, and these are of --script alone', {
        hint: './run-all.sh --script mine.js -- --insecure-skip-tls-verify',
      });
    return null;
  }
  if (word !== undefined)
    throw new BenchError(`--script takes the place of a profile: leave out "${word}"`, {
      hint: 'its steps are --steps 1,20,100 --step-duration 10s',
    });
  const odd = OTHERS.find((flag) => flags[flag] !== undefined);
  if (odd) throw new BenchError(`--${odd} does not go with --script: it has no systems of this suite`);
  demandOptions(flags.k6 ?? []);
  const options = optionsOf(flags.script, flags.k6 ?? []);
  const profile = profileOf(flags, options);
  const endpoints = endpointsOf(flags.endpoint ?? []);
  const watch = watchOf(flags.watch ?? [], endpoints);
  return { options, profile, endpoints, ...(watch ? { watch } : {}), ...scriptParts(options, endpoints) };
}

/**
 * @param {string} file
 * @param {string[]} k6Options
 * @returns {ScriptOptions}
 */
function optionsOf(file, k6Options) {
  const path = resolve(file);
  if (!existsSync(path)) throw new BenchError(`--script ${file}: there is no such file`);
  if (!statSync(path).isFile()) throw new BenchError(`--script ${file}: not a file`);
  if (!EXTENSIONS.includes(extname(path)))
    throw new BenchError(`--script ${file}: k6 runs ${EXTENSIONS.join(', ')}`);
  return { path, sha256: hashOf(path), ...withoutVariables(k6Options) };
}

/**
 * `-e NAME=value` of k6 becomes a variable of the environment, which the script reads in the same way: values may be
 * secrets, and stand in no plan, page or list of processes.
 * @param {string[]} given after `--`
 * @returns {Pick<ScriptOptions, 'k6Options' | 'variables'>}
 */
function withoutVariables(given) {
  /** @type {string[]} */
  const variables = [];
  const k6Options = given.filter((option, i) => {
    const isName = option === '-e' || option === '--env';
    const pair = isValueOf(given, i) ? option : /^(?:-e|--env=)(.+)$/.exec(isName ? '' : option)?.[1];
    if (pair === undefined) return !isName;
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    if (at >= 0) process.env[name] = pair.slice(at + 1);
    variables.push(name);
    return false;
  });
  return { k6Options, variables };
}

/**
 * @param {string[]} options
 * @param {number} i
 */
function isValueOf(options, i) {
  return options[i - 1] === '-e' || options[i - 1] === '--env';
}

/** @param {string} path */
function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/**
 * A run goes on with the script that it began with.
 * @param {Plan} plan
 * @returns {Stack[]} none where it is not of a script
 * @throws {BenchError} it is gone, or another one
 */
export function stacksOfScript({ options: { script }, systems }) {
  if (!script) return [];
  if (!existsSync(script.path) || hashOf(script.path) !== script.sha256)
    throw new BenchError(`${script.path} is not the script that the run began with`, {
      hint: 'bring it back, or measure anew',
    });
  const lacking = script.variables.find((name) => process.env[name] === undefined);
  if (lacking !== undefined)
    throw new BenchError(`the script was given the variable ${lacking}, and the environment has none`, {
      hint: `${lacking}=… ./run-all.sh --resume …`,
    });
  return systems.map((s) => stackOf(s.id, script));
}

/** @param {string[]} options after `--` */
function demandOptions(options) {
  for (const option of options) {
    const name = option.split('=')[0];
    if (name === '-o' || name === '--out')
      throw new BenchError(`${name} stands before the "--": --out json=metrics.json`);
    if (OURS.has(name))
      throw new BenchError(`"${name}" after "--": the ladder says it, and k6 can be told it once`, {
        hint: '--steps 1,20,100 --step-duration 10s',
      });
  }
}

/**
 * @param {Record<string, any>} flags
 * @param {ScriptOptions} options
 * @returns {Profile}
 */
function profileOf(flags, { path }) {
  const texts = String(flags.steps ?? STEPS).split(',');
  const users = texts.map((text) =>
    Number(numberOf(text.trim(), 'steps', { min: 1, max: 100_000, integer: true })),
  );
  const twice = users.find((n, i) => users.indexOf(n) !== i);
  if (twice !== undefined) throw new BenchError(`--steps ${flags.steps}: ${twice} stands there twice`);
  const durationSec = secondsOf(flags['step-duration'], 'step-duration', { min: 1, max: 86_400 }) ?? STEP_SEC;
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
