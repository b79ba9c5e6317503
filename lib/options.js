import { parseArgs } from 'node:util';
import { suggest } from './config/nearest.js';
import { withoutUserinfo } from './controls.js';
import { BenchError, EXIT_MEANINGS } from './errors.js';

/**
 * Every command but `<profile>`: how it is written, and what it does.
 * @type {Readonly<Record<string, {words: string, what: string}>>}
 */
const COMMANDS = Object.freeze({
  systems: { words: '', what: 'list what can run here, and what is missing for the rest' },
  profiles: { words: '', what: 'list the profiles and the question that each answers' },
  new: { words: '<name>', what: 'make a folder for a system of your own, as a copy of one that exists' },
  'new-workload': { words: '<name>', what: 'write a workload of your own, as a copy of one that exists' },
  check: {
    words: '[file]',
    what: 'check every manifest and profile, or one profile or workload of your own',
  },
  report: { words: '<run>', what: 'render a report again, verify it, or export its figures' },
  compare: { words: '<base> <new>', what: 'compare two runs, or two systems of a run (<run>:<system>)' },
  clean: { words: '', what: 'remove what a killed run left behind' },
  completion: { words: 'bash|zsh', what: 'print shell completion: source <(./run-all.sh completion bash)' },
  help: { words: '[name]', what: 'print this, or the flags of one command or profile' },
});

export const VERBS = Object.freeze(Object.keys(COMMANDS));

/** The command that `<profile>`, `--script` and `--resume` stand for. */
export const MEASURE = 'measure';

/**
 * What a measurement is of, and how one is begun.
 * @type {Readonly<Record<Load, {title: string, example: string}>>}
 */
const LOADS = Object.freeze({
  profile: { title: 'a profile', example: './run-all.sh smoke' },
  script: { title: '--script', example: './run-all.sh --script mine.js' },
  resume: { title: '--resume', example: './run-all.sh --resume latest' },
});

/** @typedef {'profile' | 'script' | 'resume'} Load */

const LOAD_NAMES = /** @type {Load[]} */ (Object.keys(LOADS));

/**
 * What a flag is of, beside its value.
 * @typedef {object} Scope
 * @property {string[]} [of] commands that know it; absent: measuring
 * @property {Load[]} [loads] measurements that take it; absent: of profiles and scripts
 * @property {'never' | 'place' | 'resume' | 'outside'} [again] how it stands in the commands that a report prints. `never`: it
 *   is of one call, and no part of what is measured; `place`: only in the one that goes on, since it names a folder of this
 *   machine; `resume`: also in the one that goes on; `outside`: in that, and with the profile alone, since it names what is
 *   not of this checkout
 * @property {string} [short]
 * @property {readonly string[]} [choices] all that its value may be, for who completes it
 */

/**
 * @template T
 * @typedef {Scope & {type: 'string' | 'boolean', value?: string, what: string, multiple?: boolean,
 *   read: (given: any, flag: string) => T}} Flag `value`: how its value is written; `read`: what was given as a value of
 *   {@link Options}, undefined where it was not
 */

/**
 * @template T
 * @param {string} value
 * @param {string} what
 * @param {(text: string, flag: string) => T} read
 * @param {Scope} [scope]
 * @returns {Flag<T | null>}
 */
function valued(value, what, read, scope = {}) {
  return {
    type: 'string',
    value,
    what,
    ...scope,
    read: (t, flag) => (t === undefined ? null : read(t, flag)),
  };
}

/** @param {string} value @param {string} what @param {Scope} [scope] */
const text = (value, what, scope) => valued(value, what, (given) => given, scope);

/** @param {string} value @param {string} what @param {Scope} [scope] @returns {Flag<string[]>} */
function texts(value, what, scope = {}) {
  return { type: 'string', multiple: true, value, what, ...scope, read: (given) => given ?? [] };
}

/** @param {string} what @param {Scope} [scope] @returns {Flag<boolean>} */
function on(what, scope = {}) {
  return { type: 'boolean', what, ...scope, read: (given) => given === true };
}

/** @param {string} value @param {string} what @param {Range} range @param {Scope} [scope] */
const number = (value, what, range, scope) =>
  valued(value, what, (given, flag) => numberOf(given, flag, range), scope);

/** @param {string} value @param {string} what @param {number} most seconds @param {Scope} scope */
const time = (value, what, most, scope) =>
  valued(value, what, (given, flag) => secondsOf(given, flag, most), scope);

/** @param {string[]} choices @param {string} what @param {Scope} scope */
const choice = (choices, what, scope) =>
  valued(choices.join('|'), what, (given, flag) => choiceOf(given, flag, choices), { ...scope, choices });

/** @type {Scope} */
const PROFILE = { loads: ['profile'] };
/** @type {Scope} */
const SCRIPT = { loads: ['script'] };
/** @type {Scope} */
const ALL = { loads: ['profile', 'script', 'resume'] };
/** @type {Scope} */
const SYSTEMS = { loads: ['profile', 'resume'] };

const FORMATS = ['md', 'html', 'csv', 'json', 'junit', 'bmf', 'github-action-benchmark'];

/** Every flag, once: how it is written, what it says, who takes it, and what is read of it. */
export const FLAGS = Object.freeze({
  systems: valued(
    'a,b@variant',
    'measure only these systems; a name without @variant means all of its variants (default: all that can run)',
    namesOf,
    PROFILE,
  ),
  workload: text('mine.json', 'run a workload of your own, a file of JSON (docs/workloads.md)', PROFILE),
  workloads: valued('x,y', 'run only these workloads (default: all of the profile)', namesOf, PROFILE),
  engine: choice(
    ['auto', 'native', 'docker'],
    'start systems this way (default: auto, which is docker if it works here)',
    PROFILE,
  ),
  endpoint: texts(
    'system=url',
    'measure a server that already runs; name:system=url gives it a name of your own (repeatable)',
  ),
  watch: texts(
    'system[=pid,…]',
    'also measure CPU and memory of an --endpoint server on this machine: its listener, or these process ids',
  ),
  port: texts('system=port', 'use this loopback port (repeatable; default: a free one)', PROFILE),
  stacks: texts('folder', 'read systems from this folder, too (repeatable)', {
    ...SYSTEMS,
    of: [MEASURE, 'systems', 'check', 'new'],
    again: 'outside',
  }),
  'workloads-folder': texts('folder', 'read workloads of your own from this folder (repeatable)', {
    ...SYSTEMS,
    of: [MEASURE, 'check'],
    again: 'outside',
  }),
  like: text('system', 'copy this system', { of: ['new', 'new-workload'] }),
  script: text(
    'mine.js',
    'run a k6 script of your own in place of a profile; options for k6 follow a "--"',
    SCRIPT,
  ),
  'compare-scripts': texts(
    'a.js b.js',
    'compare two k6 scripts on one endpoint, in turns (5 repeats of each, unless --repeats says otherwise)',
    SCRIPT,
  ),
  steps: valued(
    '1,20,100',
    'set the virtual users of each step of --script; of a profile, measure only these',
    stepsOf,
    {
      loads: ['script', 'profile'],
    },
  ),
  rate: valued(
    '100,500,1000',
    'start so many iterations of --script a second, in place of --steps (open model)',
    stepsOf,
    SCRIPT,
  ),
  by: valued(
    'name|url|TAG',
    'show a row for each value of this tag of requests of --script: which request is slow',
    tagOf,
    SCRIPT,
  ),
  'step-duration': time('10s', 'measure each step of --script for this long', 86_400, SCRIPT),
  repeats: number('N', 'repeat each measurement N times (fewer than 5 cannot name a winner)', whole(1, 100)),
  duration: time('90s|5m|30m', 'set the length of a soak', 7 * 86_400, PROFILE),
  operations: number(
    'N',
    'set operations per kind, in steps that end after a count',
    whole(1, 100_000_000),
    PROFILE,
  ),
  starts: number('N', 'set the maximum number of side-by-side starts', whole(1, 100), PROFILE),
  'until-decided': on('add starts until every comparison is decided, or known to ±5 %', PROFILE),
  'max-minutes': number('N', 'begin no side-by-side start after N minutes', { min: 1, max: 10_000 }, PROFILE),
  resume: text('run', 'measure what an interrupted run still lacks', { loads: ['resume'], again: 'never' }),
  generators: number(
    'N',
    'split the load among N k6 processes, judged as one (docs/scale-out.md)',
    whole(1, 1000),
    SYSTEMS,
  ),
  on: choice(
    ['local', 'kubernetes'],
    'run --generators here (local, the default) or as pods of the k6 operator (kubernetes)',
    SYSTEMS,
  ),
  'render-only': on('print the manifests of --on kubernetes, and measure nothing', {
    ...SYSTEMS,
    again: 'never',
  }),
  namespace: text('name', 'use this namespace with --on kubernetes (default: that of the context)', SYSTEMS),
  context: text('name', "use this context with --on kubernetes (default: kubectl's current one)", SYSTEMS),
  'generator-cpus': number('N', 'limit the load generator to N CPUs (Linux, root)', { min: 0.01, max: 256 }),
  out: texts(
    'name=place',
    'add an output of k6: json=file, csv=file, experimental-prometheus-rw, opentelemetry … (repeatable)',
    { ...ALL, again: 'resume' },
  ),
  live: on('keep the containers of the live view up after the run', ALL),
  'no-live': on('start neither the web dashboard nor InfluxDB', ALL),
  build: on('build our programs here, even if a release has them', ALL),
  'no-build': on('download and build nothing; fail if something is missing', { ...ALL, again: 'resume' }),
  reports: text('folder', 'read and write runs in this folder (default: reports)', {
    ...ALL,
    of: [MEASURE, 'report', 'compare'],
    again: 'place',
  }),
  verify: on('first check every file and recompute every record from raw data', { of: ['report'] }),
  pack: on('pack the data of a run into one file', { of: ['report'] }),
  unpack: on('lay the packed data of a run open as files', { of: ['report'] }),
  prune: number(
    'N',
    'remove all but the newest N runs of each profile (without a run)',
    whole(1, 1_000_000),
    {
      of: ['report'],
    },
  ),
  format: text(
    FORMATS.join('|'),
    'print this format; html (the report as one file), bmf and github-action-benchmark are for `report` only',
    { of: ['report', 'compare'], choices: FORMATS },
  ),
  'fail-on': text(
    "'throughput<-10%,p99>+15%'",
    'exit 4 if a limit is exceeded beyond its confidence interval',
    {
      of: ['compare'],
    },
  ),
  force: on('resume on another machine or commit', { loads: ['resume'], again: 'never' }),
  cache: on('also remove the builds and downloads', { of: ['clean'] }),
  'dry-run': on('print what would be downloaded, built, measured, written or removed; change nothing', {
    ...ALL,
    of: [MEASURE, ...VERBS],
    again: 'never',
  }),
  json: on('print one JSON object on stdout; messages go to stderr', {
    ...ALL,
    of: [MEASURE, 'systems', 'profiles', 'check', 'report', 'compare'],
    again: 'never',
  }),
  help: on('print this', { ...ALL, of: [MEASURE, ...VERBS], again: 'never', short: 'h' }),
  version: on('print the version', { ...ALL, of: [MEASURE, ...VERBS], again: 'never' }),
});

/** The same for who walks over them. @type {Readonly<Record<string, Flag<any>>>} */
const BY_NAME = FLAGS;

/**
 * @typedef {{[K in keyof typeof FLAGS as import('./types.d.ts').Camel<K>]: ReturnType<(typeof FLAGS)[K]['read']>}} Values
 * @typedef {Values & {k6: string[] | null, given: Given[]}} Options what a command line says. A value that was not given is
 *   null, no text, or false. `k6`: what follows a "--"; `given`: the flags as they were typed, in the order of FLAGS
 * @typedef {{name: string, value: string | true}} Given
 * @typedef {{min: number, max: number, integer?: boolean}} Range
 */

/**
 * @param {string[]} words after the command
 * @param {string} verb
 * @throws {BenchError} a word that would be ignored
 */
export function demandFew(words, verb) {
  const most = COMMANDS[verb].words.split(' ').filter(Boolean).length;
  if (words.length > most)
    throw new BenchError(`too many words for "${verb}": "${words.slice(most).join(' ')}"`, {
      hint: `\`./run-all.sh help ${verb}\``,
    });
}

/** @param {string} command @returns {string[]} the flags that it knows */
export function flagsOf(command) {
  return Object.keys(FLAGS).filter((name) => (BY_NAME[name].of ?? [MEASURE]).includes(command));
}

/** What people bring along from k6 and other tools, and how the same is done here. @type {Readonly<Record<string, string>>} */
const ELSEWHERE = Object.freeze({
  '--vus -u':
    'the ladder of users is the profile: `./run-all.sh profiles` lists them, --steps 1,20 takes some of its steps, and a .json file of your own has its own steps (profiles/smoke.json is an example); a script of your own has --steps 1,20,100',
  '--iterations -i': '--operations N sets how many, in the steps that end by a count (profile documents)',
  '--stage -s': 'a profile lists its steps: a .json file of your own works as well as a name',
  '--rps':
    'steps of the open model set rates: profile load, or a .json file of your own; a script of your own has --rate 100,500',
  '-d': 'how long a step lasts is in the profile; --duration sets the length of a soak, --step-duration that of the steps of --script',
  '-e': 'settings of a system are in its stack.json; variables of the environment reach ladderbench, and the script of --script, as they are: set them before the command, or give -e NAME=value after "--"',
  '--env': 'variables of the environment reach ladderbench as they are: set them before the command',
  '-o': 'it is --out; figures are in the report: `./run-all.sh report latest --format csv|json|junit|html`',
});

/**
 * @param {string[]} argv
 * @returns {{command: string, words: string[], options: Options}} `words`: those of the command, its own name left out; of
 *   measuring: the profile
 * @throws {BenchError} a flag that is unknown, one without its value, or one that would be ignored
 */
export function readOptions(argv) {
  const end = argv.indexOf('--');
  const { values, positionals } = parsed(withPairs(end < 0 ? argv : argv.slice(0, end)));
  const k6 = end < 0 ? null : argv.slice(end + 1);
  const command = VERBS.includes(positionals[0]) ? positionals[0] : MEASURE;
  const words = command === MEASURE ? positionals : positionals.slice(1);
  for (const flag of Object.keys(values)) demandKnown(flag, command);
  for (const flag of ['live', 'build'])
    if (values[flag] && values[`no-${flag}`])
      throw new BenchError(`--${flag} and --no-${flag} contradict each other`, { hint: 'give one of them' });
  if (command === MEASURE && !values.help && !values.version) demandLoad(values, words, k6);
  const read = Object.entries(BY_NAME).map(([name, flag]) => [camel(name), flag.read(values[name], name)]);
  const given = Object.keys(FLAGS).flatMap((name) =>
    [values[name] ?? []].flat().map((value) => ({ name, value: /** @type {string | true} */ (value) })),
  );
  return { command, words, options: { ...Object.fromEntries(read), k6, given } };
}

/** @param {string} name of a flag */
const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** @param {string} name of a flag, or k6 for what follows "--" @returns {Load[]} */
function loadsOf(name) {
  return name === 'k6' ? ['script', 'resume'] : (BY_NAME[name].loads ?? ['profile', 'script']);
}

/**
 * Where nothing at all was given, help is the answer.
 * @param {Record<string, unknown>} values
 * @param {string[]} words
 * @param {string[] | null} k6
 * @throws {BenchError} nothing says what is measured, two things do, or a flag is of another measurement
 */
function demandLoad(values, words, k6) {
  const { script = values['compare-scripts'], resume } = values;
  /** @type {Readonly<Record<Load, unknown>>} */
  const says = { profile: words[0], script, resume };
  const begun = LOAD_NAMES.filter((name) => says[name] !== undefined);
  const names = [...Object.keys(values), ...(k6 ? ['k6'] : [])];
  const said = (/** @type {string} */ name) => (name === 'k6' ? 'what follows "--"' : `--${name}`);
  const titles = (/** @type {Load[]} */ loads) => loads.map((load) => LOADS[load].title).join(' and ');
  if (begun.length > 1)
    throw new BenchError(`${titles(begun)}: give only one of them: each says what to measure`, {
      hint: `${LOADS[begun[1]].example}`,
    });
  const [load] = begun;
  const odd = names.find((name) => load === undefined || !loadsOf(name).includes(load));
  if (odd === undefined) return;
  const loads = loadsOf(odd);
  throw new BenchError(
    load === undefined
      ? `${said(odd)} without ${titles(loads).replace(' and ', ' or ')}: nothing says what to measure`
      : `${said(odd)} works with ${titles(loads)}, not with ${LOADS[load].title}`,
    { hint: exampleOf(odd) },
  );
}

/** @param {string} name of a flag, or k6 @returns {string} a command that takes it */
function exampleOf(name) {
  const { example } = LOADS[loadsOf(name)[0]];
  if (name === 'k6') return `${example} -- -e NAME=value`;
  return loadsOf(name)[0] === name ? example : `${example} ${flagText(name)}`;
}

/** @param {string} name of a flag @returns {string} with how its value is written */
function flagText(name) {
  return [`--${name}`, BY_NAME[name].value ?? []].flat().join(' ');
}

/** @param {string[]} argv @returns {string[]} `--compare-scripts a b` as the parser takes two values */
function withPairs(argv) {
  const at = argv.indexOf('--compare-scripts');
  const second = argv[at + 2];
  return at < 0 || second === undefined || second.startsWith('-')
    ? argv
    : argv.toSpliced(at + 2, 0, '--compare-scripts');
}

/** @param {string} arg @returns {string} the first letters behind one dash: the parser takes longer for more, by their square */
const fewLetters = (arg) => arg.replace(/^(-[^-]{9}).*/s, '$1');

/** @param {string[]} argv */
function parsed(argv) {
  const options = Object.fromEntries(
    Object.entries(BY_NAME).map(([name, { type, multiple = false, short }]) => [
      name,
      { type, multiple, ...(short ? { short } : {}) },
    ]),
  );
  try {
    return parseArgs({ args: argv.map(fewLetters), options, allowPositionals: true });
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw unknownFlag(/'(-[^' =,]*)/.exec(message)?.[1] ?? '');
    const [, name] = /--([a-z-]+)/.exec(message) ?? [];
    if (name === undefined) throw new BenchError(message, { hint: '`./run-all.sh help` lists the flags' });
    const wants = BY_NAME[name].value ? 'needs a value' : 'takes no value';
    throw new BenchError(`--${name} ${wants}`, { hint: `write ${flagText(name)}` });
  }
}

/** @param {string} flag */
function unknownFlag(flag) {
  const [, here] = Object.entries(ELSEWHERE).find(([theirs]) => theirs.split(' ').includes(flag)) ?? [];
  if (here) return new BenchError(`"${flag}" is k6's: ${here}`);
  const known = Object.keys(FLAGS).map((f) => `--${f}`);
  return new BenchError(`unknown flag "${flag}": ${suggest(flag, known)}`, {
    hint: '`./run-all.sh help` lists them',
  });
}

/**
 * @param {string} flag
 * @param {string} command
 * @throws {BenchError} naming who knows it
 */
function demandKnown(flag, command) {
  if (flagsOf(command).includes(flag)) return;
  const of = (BY_NAME[flag].of ?? [MEASURE]).map((c) => (c === MEASURE ? '<profile>' : c));
  const own = command === MEASURE ? 'a profile' : `"${command}"`;
  throw new BenchError(`--${flag} is no flag of ${own}: it is one of ${of.join(', ')}`, {
    hint: `\`./run-all.sh help${command === MEASURE ? '' : ` ${command}`}\` lists those that are`,
  });
}

/**
 * @param {string} given `a,b`
 * @param {string} flag
 * @returns {string[]} each once
 * @throws {BenchError} there is none
 */
function namesOf(given, flag) {
  const names = given
    .split(',')
    .map((n) => n.trim())
    .filter(Boolean);
  if (names.length === 0) throw new BenchError(`--${flag} is empty`, { hint: `write --${flag} a,b` });
  return [...new Set(names)];
}

/**
 * @param {string} word
 * @param {string} flag
 * @param {string[]} known
 * @returns {string} one of these
 */
function choiceOf(word, flag, known) {
  if (known.includes(word)) return word;
  throw new BenchError(`unknown --${flag} "${word}": ${suggest(word, known)}`);
}

/**
 * @param {string} given `1,20,100`
 * @param {string} flag
 * @returns {number[]} users, or the rate, of each step
 */
function stepsOf(given, flag) {
  const users = given.split(',').map((one) => numberOf(one.trim(), flag, whole(1, 100_000)));
  const twice = users.find((n, i) => users.indexOf(n) !== i);
  if (twice !== undefined) throw new BenchError(`--${flag} ${given}: ${twice} stands there twice`);
  return users;
}

/** @param {string} given @param {string} flag @returns {string} the name of a tag */
function tagOf(given, flag) {
  if (/^[A-Za-z_]\w{0,40}$/.test(given)) return given;
  throw new BenchError(`--${flag} ${given}: not the name of a tag`, {
    hint: 'write --by name, --by url, or a tag of your own',
  });
}

/** @param {number} min @param {number} max @returns {Range} */
function whole(min, max) {
  return { min, max, integer: true };
}

/**
 * @param {string[] | null} names as they were given
 * @param {string} flag
 * @param {string[]} known
 * @throws {BenchError} naming the unknown one
 */
export function demandNames(names, flag, known) {
  const hint = flag === 'systems' ? '`./run-all.sh systems` lists them, and what each needs' : undefined;
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    // Of a system that is known the variant is not.
    const variants = known.filter((other) => name.includes('@') && other.startsWith(name.split('@')[0]));
    const like = variants.length > 0 ? variants : known.filter((other) => !other.includes('@'));
    throw new BenchError(`unknown name "${name}" in --${flag}: ${suggest(name, like)}`, { hint });
  }
}

/**
 * @param {string[]} texts `system=value` each
 * @param {string} flag
 * @param {string[]} known
 * @returns {Record<string, string>}
 */
export function assignments(texts, flag, known) {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      const name = withoutUserinfo(at > 0 ? text.slice(0, at) : text);
      const hint = `write --${flag} ${BY_NAME[flag].value}`;
      if (!known.includes(name))
        throw new BenchError(`unknown system "${name}" in --${flag}: ${suggest(name, known)}`, { hint });
      if (at <= 0 || at === text.length - 1) throw new BenchError(`--${flag} ${text}: no value`, { hint });
      return [name, text.slice(at + 1)];
    }),
  );
}

/**
 * @param {string} given
 * @param {string} flag
 * @param {Range} range
 * @returns {number}
 * @throws {BenchError} no number, or out of its range
 */
export function numberOf(given, flag, range) {
  // Decimal digits and nothing else: 0x10, 1e3 and a blank are numbers to JavaScript, and slips to a person.
  const value = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  demandWithin(value, flag, range, given);
  return value;
}

/**
 * @param {number} value
 * @param {string} flag
 * @param {Range} range
 * @param {string} [given] as it was typed
 * @throws {BenchError} out of its range
 */
export function demandWithin(value, flag, { min, max, integer = false }, given = String(value)) {
  if (value >= min && value <= max && (!integer || Number.isInteger(value))) return;
  throw new BenchError(
    `--${flag} ${given}: needs ${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`,
  );
}

/**
 * @param {string} given `90s`, `5m`, `2h`
 * @param {string} flag
 * @param {number} most
 * @returns {number} seconds
 */
function secondsOf(given, flag, most) {
  const match = /^(\d+)([smh])$/.exec(given);
  const seconds = match
    ? Number(match[1]) * { s: 1, m: 60, h: 3600 }[/** @type {'s' | 'm' | 'h'} */ (match[2])]
    : 0;
  if (seconds >= 1 && seconds <= most) return seconds;
  throw new BenchError(`--${flag} ${given}: needs a duration such as 90s, 5m or 2h, at least 1s`);
}

/**
 * @param {{id: string, title: string}[]} profiles
 * @returns {string}
 */
export function helpText(profiles) {
  const commands = [
    ['<profile> [flags]', 'measure, and write reports/<run>/README.md'],
    ...VERBS.map((verb) => [`${verb} ${COMMANDS[verb].words}`.trimEnd(), COMMANDS[verb].what]),
  ];
  return `ladderbench: drive the same k6 workload up a ladder of virtual users against each backend,
and write a report in which every number has its verdict, conditions and confidence interval.

${columns(commands.map(([words, what]) => [`./run-all.sh ${words}`, what]))}

Profiles (or a .json file of your own)
${columns(profiles.map(({ id, title }) => [id, title]))}

Flags of a profile
${flagLines(MEASURE, 'profile')}

Flags of --script
${flagLines(MEASURE, 'script')}

Flags of --resume
${flagLines(MEASURE, 'resume')}

\`./run-all.sh help report\` lists the flags of \`report\`; the same works for every command and profile.

Exit codes
${exitCodeLines()}

Examples
  ./run-all.sh quick
  ./run-all.sh ladder --workloads counters --repeats 5
  ./run-all.sh smoke --endpoint some-system=scheme://127.0.0.1:6379
  ./run-all.sh --script mine.js --endpoint shop=http://127.0.0.1:8080 --steps 1,20,100 --step-duration 10s
  ./run-all.sh compare latest:one latest:other --fail-on 'cpu>+5%'
`;
}

/**
 * @param {string} name of a command or a profile
 * @param {{id: string, title: string}[]} profiles
 * @returns {string}
 * @throws {BenchError} unknown
 */
export function helpOf(name, profiles) {
  const all = profiles.map(({ id, title }) => [id, { words: '', what: title }]);
  const known = { ...Object.fromEntries(all), ...COMMANDS };
  if (!Object.hasOwn(known, name))
    throw new BenchError(`no command or profile "${name}": ${suggest(name, Object.keys(known))}`);
  const { words, what } = known[name];
  const flags = Object.hasOwn(COMMANDS, name) ? flagLines(name) : flagLines(MEASURE, 'profile');
  return `./run-all.sh ${`${name} ${words}`.trimEnd()} [flags]\n  ${what}\n\nFlags\n${flags}\n\nExit codes\n${exitCodeLines()}\n`;
}

/** @param {string} command @param {Load} [load] flags that it takes, and none before it in LOADS; absent: all */
function flagLines(command, load) {
  const firstOf = (/** @type {string} */ name) => LOAD_NAMES.find((l) => loadsOf(name).includes(l));
  return columns(
    flagsOf(command)
      .filter((name) => load === undefined || firstOf(name) === load)
      .map((name) => {
        const { what, short } = BY_NAME[name];
        return [`${short ? `-${short}, ` : ''}${flagText(name)}`, what];
      }),
  );
}

function exitCodeLines() {
  return EXIT_MEANINGS.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`).join('\n');
}

/** The widest first column that its second one still stands beside. */
const MOST_BESIDE = 42;

/** @param {string[][]} rows */
function columns(rows) {
  const width = Math.min(MOST_BESIDE, Math.max(...rows.map(([first]) => first.length)));
  return rows
    .map(([first, second]) =>
      first.length > width
        ? `  ${first}\n  ${' '.repeat(width)}  ${second}`
        : `  ${first.padEnd(width)}  ${second}`,
    )
    .join('\n');
}
