import { parseArgs } from 'node:util';
import { suggest } from './config/nearest.js';
import { BenchError, EXIT_MEANINGS } from './errors.js';
import { withoutUserinfo } from './format.js';

/**
 * Every command but `<profile>`: how it is written, and what it does.
 * @type {Readonly<Record<string, {words: string, what: string}>>}
 */
const COMMANDS = Object.freeze({
  systems: { words: '', what: 'what can run here, how, and what is missing for the rest' },
  profiles: { words: '', what: 'the profiles, and the question that each one answers' },
  new: { words: '<name>', what: 'the folder of a system of your own, like one that is here' },
  check: { words: '[file]', what: 'validate every manifest and profile, or one profile of your own' },
  report: { words: '<run>', what: 'render a report again, verify it, or give its figures to other programs' },
  compare: { words: '<base> <new>', what: 'the same loads of two runs, or of two systems (<run>:<system>)' },
  clean: { words: '', what: 'remove what an interrupted run left behind' },
  completion: { words: 'bash|zsh', what: 'completion for a shell: source <(./run-all.sh completion bash)' },
  help: { words: '[command]', what: 'this, or the flags of one command' },
});

export const VERBS = Object.freeze(Object.keys(COMMANDS));

/** The command that `<profile>` and `--resume` stand for. */
export const MEASURE = 'measure';

/**
 * @typedef {object} Flag
 * @property {'string' | 'boolean'} type
 * @property {string} [value] how its value is written
 * @property {string} what
 * @property {string[]} [of] commands that know it; absent: measuring
 * @property {boolean} [multiple]
 * @property {string} [short]
 */

/** @type {Readonly<Record<string, Flag>>} */
export const FLAGS = Object.freeze({
  systems: {
    ...{ type: 'string', value: 'a,b@variant' },
    what: 'only these systems; a name without a variant stands for all of them (default: all that can run)',
  },
  workloads: { type: 'string', value: 'x,y', what: 'only these workloads (default: all)' },
  engine: {
    ...{ type: 'string', value: 'auto|native|docker' },
    what: 'how systems are started (default: auto: docker where it can be had)',
  },
  endpoint: {
    ...{ type: 'string', value: 'system=url', multiple: true },
    what: 'measure one that already runs; name:system=url gives it a name of its own (repeatable)',
  },
  watch: {
    ...{ type: 'string', value: 'system[=pid,…]', multiple: true },
    what: 'of one given by its address on this machine: measure CPU and memory of who listens there, or of these processes',
  },
  port: {
    ...{ type: 'string', value: 'system=port', multiple: true },
    what: 'a fixed loopback port (repeatable; default: a free one)',
  },
  stacks: {
    ...{ type: 'string', value: 'folder', multiple: true, of: [MEASURE, 'systems', 'check', 'new'] },
    what: 'one more folder of stacks (repeatable)',
  },
  'workloads-folder': {
    ...{ type: 'string', value: 'folder', multiple: true, of: [MEASURE, 'check'] },
    what: 'workloads of your own, outside the tree (repeatable)',
  },
  like: { type: 'string', value: 'system', of: ['new'], what: 'the system that is copied' },
  script: {
    ...{ type: 'string', value: 'mine.js' },
    what: 'in place of a profile: a k6 script of your own is the workload; options of k6 follow a "--"',
  },
  steps: { type: 'string', value: '1,20,100', what: 'users of each step of --script' },
  'step-duration': { type: 'string', value: '10s', what: 'how long each step of --script is measured' },
  repeats: {
    ...{ type: 'string', value: 'N' },
    what: "instead of the profile's own (fewer than 5 name no winner)",
  },
  duration: {
    ...{ type: 'string', value: '90s|5m|30m' },
    what: "length of a soak (default: the profile's own)",
  },
  operations: {
    ...{ type: 'string', value: 'N' },
    what: 'of each kind, in the steps that are bound by a count and not by a time',
  },
  starts: {
    ...{ type: 'string', value: 'N' },
    what: "at most, where systems are compared side by side (default: the profile's own)",
  },
  'until-decided': {
    type: 'boolean',
    what: 'go on until no comparison is open, and each is known to 5 %',
  },
  'max-minutes': { type: 'string', value: 'N', what: 'begin no start after that' },
  resume: { type: 'string', value: 'run', what: 'measure what an interrupted run lacks' },
  generators: {
    ...{ type: 'string', value: 'N' },
    what: 'share the load among N k6 processes, judged as one (docs/scale-out.md)',
  },
  on: {
    ...{ type: 'string', value: 'local|kubernetes' },
    what: 'where --generators run (default: local, on this machine; kubernetes: as pods, by the k6 operator)',
  },
  'render-only': {
    type: 'boolean',
    what: 'with --on kubernetes: print the manifests for the k6 operator, and measure nothing',
  },
  namespace: { type: 'string', value: 'name', what: 'of --on kubernetes (default: that of the context)' },
  context: { type: 'string', value: 'name', what: "of --on kubernetes (default: kubectl's current one)" },
  'generator-cpus': { type: 'string', value: 'N', what: 'hold the generator to N CPUs (Linux, root)' },
  out: {
    ...{ type: 'string', value: 'name=place', multiple: true },
    what: 'one more output of k6, beside ours: json=file, csv=file, experimental-prometheus-rw, opentelemetry … (repeatable)',
  },
  live: { type: 'boolean', what: "the live view's containers stay up when the run is over" },
  'no-live': { type: 'boolean', what: 'neither web dashboard nor InfluxDB' },
  build: { type: 'boolean', what: 'build our programs here, and take none from a release' },
  'no-build': { type: 'boolean', what: 'fetch and build nothing: fail where something is missing' },
  reports: {
    ...{ type: 'string', value: 'folder', of: [MEASURE, 'report', 'compare'] },
    what: 'where runs are written (default: reports)',
  },
  verify: {
    ...{ type: 'boolean', of: ['report'] },
    what: 'check every file and recompute every record from the raw files first',
  },
  pack: {
    type: 'boolean',
    of: ['report'],
    what: 'put the data of an older run into one file, as new runs do',
  },
  prune: {
    ...{ type: 'string', value: 'N', of: ['report'] },
    what: 'without a run: remove all but the newest N runs of each profile',
  },
  format: {
    ...{ type: 'string', value: 'md|html|csv|json|junit', of: ['report', 'compare'] },
    what: 'what to print; html is of `report` alone: its page as one file',
  },
  'fail-on': {
    ...{ type: 'string', value: "'throughput<-10%,p99>+15%'", of: ['compare'] },
    what: 'exit 4 where one of these limits is crossed for certain',
  },
  force: {
    ...{ type: 'boolean', of: [MEASURE] },
    what: 'resume on another machine or commit',
  },
  cache: { type: 'boolean', of: ['clean'], what: 'and the builds' },
  'dry-run': {
    ...{ type: 'boolean', of: [MEASURE, ...VERBS] },
    what: 'say what would be fetched, built, measured, written or removed, and change nothing',
  },
  json: {
    ...{ type: 'boolean', of: [MEASURE, 'systems', 'profiles', 'check', 'report', 'compare'] },
    what: 'one JSON object on stdout; talk stays on stderr',
  },
  help: { type: 'boolean', short: 'h', of: [MEASURE, ...VERBS], what: 'this' },
  version: { type: 'boolean', of: [MEASURE, ...VERBS], what: 'the version' },
});

/** @param {string} command @returns {string[]} the flags that it knows */
export function flagsOf(command) {
  return Object.keys(FLAGS).filter((name) => (FLAGS[name].of ?? [MEASURE]).includes(command));
}

/** What people bring along from k6 and other tools, and how the same is done here. */
const ELSEWHERE = Object.freeze({
  '--vus':
    'the ladder of users is the profile: `./run-all.sh profiles` lists them, and a .json file of your own has its own steps (profiles/smoke.json is an example); a script of your own has --steps 1,20,100',
  '-u': 'the ladder of users is the profile: `./run-all.sh profiles` lists them; a script of your own has --steps 1,20,100',
  '--iterations': '--operations N sets how many, in the steps that end by a count (profile documents)',
  '-i': '--operations N sets how many, in the steps that end by a count (profile documents)',
  '--stage': 'a profile lists its steps: a .json file of your own works as well as a name',
  '-s': 'a profile lists its steps: a .json file of your own works as well as a name',
  '--rps': 'steps of the open model set rates: profile load, or a .json file of your own',
  '-d': 'how long a step lasts is in the profile; --duration sets the length of a soak, --step-duration that of the steps of --script',
  '-e': 'settings of a system are in its stack.json; variables of the environment reach ladderbench, and the script of --script, as they are: set them before the command, or give -e NAME=value after "--"',
  '--env': 'variables of the environment reach ladderbench as they are: set them before the command',
  '-o': 'it is --out; figures are in the report: `./run-all.sh report latest --format csv|json|junit|html`',
});

/**
 * @param {string[]} argv
 * @returns {{words: string[], flags: Record<string, any>}} `flags.k6`: what follows a "--"
 * @throws {BenchError} a flag that is unknown, or that the command does not know, or one without its value
 */
export function readArguments(argv) {
  const end = argv.indexOf('--');
  const { values, positionals } = parsed(end < 0 ? argv : argv.slice(0, end));
  const k6 = end < 0 ? {} : { k6: argv.slice(end + 1) };
  const command = VERBS.includes(positionals[0]) ? positionals[0] : MEASURE;
  for (const flag of Object.keys(values)) demandKnown(flag, command);
  return { words: positionals, flags: { ...values, ...k6 } };
}

/** @param {string[]} argv */
function parsed(argv) {
  const options = Object.fromEntries(
    Object.entries(FLAGS).map(([name, { type, multiple = false, short }]) => [
      name,
      { type, multiple, ...(short ? { short } : {}) },
    ]),
  );
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw unknownFlag(/'(-[^' =,]*)/.exec(message)?.[1] ?? '');
    throw new BenchError(message.split('. ')[0], { hint: '`./run-all.sh help` lists the flags' });
  }
}

/** @param {string} flag */
function unknownFlag(flag) {
  if (Object.hasOwn(ELSEWHERE, flag))
    return new BenchError(`"${flag}" is k6's: ${ELSEWHERE[/** @type {keyof typeof ELSEWHERE} */ (flag)]}`);
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
  const of = (FLAGS[flag].of ?? [MEASURE]).map((c) => (c === MEASURE ? '<profile>' : c));
  const own = command === MEASURE ? 'a profile' : `"${command}"`;
  throw new BenchError(`--${flag} is no flag of ${own}: it is one of ${of.join(', ')}`, {
    hint: `\`./run-all.sh help${command === MEASURE ? '' : ` ${command}`}\` lists those that are`,
  });
}

/**
 * @param {string | undefined} text `a,b`
 * @param {string} flag
 * @param {string[]} known
 * @returns {string[] | null} null when the flag was not given
 * @throws {BenchError} naming the unknown one
 */
export function listOf(text, flag, known) {
  if (text === undefined) return null;
  const names = text
    .split(',')
    .map((n) => n.trim())
    .filter(Boolean);
  if (names.length === 0) throw new BenchError(`--${flag} is empty`, { hint: `known: ${known.join(', ')}` });
  for (const name of names) {
    if (!known.includes(name))
      throw new BenchError(`unknown name "${name}" in --${flag}: ${suggest(name, known)}`);
  }
  return [...new Set(names)];
}

/**
 * @param {string | undefined} word
 * @param {string} flag
 * @param {readonly string[]} known
 * @returns {string | null} null when the flag was not given
 * @throws {BenchError} naming the nearest one
 */
export function choiceOf(word, flag, known) {
  if (word === undefined) return null;
  if (known.includes(word)) return word;
  throw new BenchError(`unknown --${flag} "${word}": ${suggest(word, [...known])}`);
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
      const name = at > 0 ? text.slice(0, at) : text;
      if (!known.includes(name))
        throw new BenchError(
          `unknown system "${withoutUserinfo(name)}" in --${flag}: ${suggest(withoutUserinfo(name), known)}`,
        );
      if (at <= 0 || at === text.length - 1) throw new BenchError(`--${flag} ${text}: write ${name}=VALUE`);
      return [name, text.slice(at + 1)];
    }),
  );
}

/**
 * @param {string | undefined} text
 * @param {string} flag
 * @param {{min: number, max: number, integer?: boolean}} range
 * @returns {number | null} null when the flag was not given
 */
export function numberOf(text, flag, { min, max, integer = false }) {
  if (text === undefined) return null;
  // Decimal digits and nothing else: 0x10, 1e3 and a blank are numbers to JavaScript, and slips to a person.
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max) || (integer && !Number.isInteger(value))) {
    throw new BenchError(
      `--${flag} ${text}: needs ${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`,
    );
  }
  return value;
}

/**
 * @param {string | undefined} text `90s`, `5m`, `2h`
 * @param {string} flag
 * @param {{min: number, max: number}} range seconds
 * @returns {number | null} seconds; null when the flag was not given
 */
export function secondsOf(text, flag, { min, max }) {
  if (text === undefined) return null;
  const match = /^(\d+)([smh])$/.exec(text);
  const seconds = match
    ? Number(match[1]) * { s: 1, m: 60, h: 3600 }[/** @type {'s' | 'm' | 'h'} */ (match[2])]
    : 0;
  if (seconds >= min && seconds <= max) return seconds;
  throw new BenchError(`--${flag} ${text}: needs a duration such as 90s, 5m or 2h, at least ${min}s`);
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
  return `ladderbench: the same k6 workload up a ladder of virtual users against each backend,
and a report whose every number carries its verdict, its conditions and its error bar.

${columns(commands.map(([words, what]) => [`./run-all.sh ${words}`, what]))}

Profiles (or the path of a .json file of your own)
${columns(profiles.map(({ id, title }) => [id, title]))}

Flags of a profile
${flagLines(MEASURE)}

\`./run-all.sh help report\` lists the flags of report, and so on.

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
 * @param {string} verb
 * @returns {string}
 * @throws {BenchError} unknown
 */
export function helpOf(verb) {
  if (!Object.hasOwn(COMMANDS, verb))
    throw new BenchError(`no command "${verb}": ${suggest(verb, [...VERBS])}`, {
      hint: '`./run-all.sh help` is about all of them, and about profiles',
    });
  const { words, what } = COMMANDS[verb];
  return `./run-all.sh ${`${verb} ${words}`.trimEnd()} [flags]\n  ${what}\n\nFlags\n${flagLines(verb)}\n\nExit codes\n${exitCodeLines()}\n`;
}

/** @param {string} command */
function flagLines(command) {
  return columns(
    flagsOf(command).map((name) => {
      const { value, what, short } = FLAGS[name];
      return [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, what];
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
