import { parseArgs } from 'node:util';
import { suggest } from './config/nearest.js';
import { BenchError, EXIT_MEANINGS } from './errors.js';

export const VERBS = Object.freeze(['systems', 'check', 'report', 'compare', 'clean']);

/** @type {Record<string, {type: 'string' | 'boolean', multiple?: boolean, short?: string}>} */
const FLAGS = {
  systems: { type: 'string' },
  workloads: { type: 'string' },
  engine: { type: 'string' },
  endpoint: { type: 'string', multiple: true },
  port: { type: 'string', multiple: true },
  stacks: { type: 'string', multiple: true },
  reports: { type: 'string' },
  repeats: { type: 'string' },
  duration: { type: 'string' },
  operations: { type: 'string' },
  starts: { type: 'string' },
  'until-decided': { type: 'boolean' },
  'max-minutes': { type: 'string' },
  resume: { type: 'string' },
  'generator-cpus': { type: 'string' },
  live: { type: 'boolean' },
  'no-live': { type: 'boolean' },
  'no-build': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  verify: { type: 'boolean' },
  pack: { type: 'boolean' },
  prune: { type: 'string' },
  force: { type: 'boolean' },
  format: { type: 'string' },
  'fail-on': { type: 'string' },
  cache: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

/**
 * @param {string[]} argv
 * @returns {{words: string[], flags: Record<string, any>}}
 * @throws {BenchError} an unknown flag with the nearest valid one, or a flag without its value
 */
export function readArguments(argv) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options: FLAGS, allowPositionals: true });
    return { words: positionals, flags: values };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const flag = /'(-[^']*)'/.exec(message)?.[1] ?? '';
      throw new BenchError(
        `unknown flag "${flag}": ${suggest(
          flag,
          Object.keys(FLAGS).map((f) => `--${f}`),
        )}`,
        {
          hint: '`./run-all.sh --help` lists them',
        },
      );
    }
    throw new BenchError(message.split('. ')[0], { hint: '`./run-all.sh --help` lists the flags' });
  }
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
        throw new BenchError(`unknown system "${name}" in --${flag}: ${suggest(name, known)}`);
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
 * @param {string[]} profiles
 * @returns {string}
 */
export function helpText(profiles) {
  return `ladderbench: the same k6 workload up a ladder of virtual users against each backend,
and a report whose every number carries its verdict, its conditions and its error bar.

  ./run-all.sh <profile> [flags]        measure, and write reports/<run>/README.md
  ./run-all.sh systems                  what can run here, how, and what is missing for the rest
  ./run-all.sh check                    validate every manifest and profile
  ./run-all.sh report <run> [--verify]  render a report again (--verify: recompute it from the raw files)
  ./run-all.sh report <run> --pack      put the data of an older run into one file, as new runs do
  ./run-all.sh report --prune N         remove all but the newest N runs of each profile
  ./run-all.sh compare <base> <new>     the same loads of two runs, or of two systems (<run>:<system>)
  ./run-all.sh clean [--cache]          remove what an interrupted run left behind (--cache: and the builds)

Profiles: ${profiles.join(', ')}; or the path of a .json file of your own

Flags
  --systems a,b@variant    only these systems; a name without a variant stands for all of them
                                                           (default: all that can run)
  --workloads x,y          only these workloads            (default: all)
  --engine auto|native|docker   how systems are started    (default: auto: docker where it can be had)
  --endpoint system=url    measure one that already runs   (repeatable)
  --port system=port       a fixed loopback port           (repeatable; default: a free one)
  --stacks folder          one more folder of stacks       (repeatable)
  --repeats N              instead of the profile's own    (fewer than 5 name no winner)
  --duration 90s|5m|30m    length of a soak                (default: the profile's own)
  --operations N           of each kind, in the steps that are bound by a count and not by a time
  --starts N               at most, where systems are compared side by side (default: the profile's own)
  --until-decided          go on until no comparison is open
  --max-minutes N          begin no start after that
  --generator-cpus N       hold the generator to N CPUs    (Linux, root)
  --reports folder         where runs are written          (default: reports)
  --resume run             measure what an interrupted run lacks
  --live                   the live view's containers stay up when the run is over
  --no-live                neither web dashboard nor InfluxDB
  --no-build               fetch and build nothing: fail where something is missing
  --dry-run                set up what is missing, print the plan and stop
  --json                   one JSON object on stdout; talk stays on stderr
  --fail-on 'throughput<-10%,p99>+15%'   of compare: exit 4 where one is crossed for certain
  --format md|csv|json|junit   of compare and report
  --force                  compare runs of different method versions; resume on another machine or commit

Exit codes
${EXIT_MEANINGS.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`).join('\n')}

Examples
  ./run-all.sh smoke
  ./run-all.sh ladder --workloads counters --repeats 5
  ./run-all.sh smoke --endpoint some-system=scheme://127.0.0.1:6379
`;
}
