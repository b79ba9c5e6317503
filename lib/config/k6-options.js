import { BenchError } from '../errors.js';

/** Options of k6 that a user gives after `--`, read as k6 reads them. */

const SHORT = Object.freeze({
  ...{ a: 'address', c: 'config', d: 'duration', e: 'env', h: 'help', i: 'iterations', l: 'linger' },
  ...{ o: 'out', p: 'paused', q: 'quiet', s: 'stage', t: 'type', u: 'vus', v: 'verbose', w: 'throw' },
});
/** Those that take no value of their own. */
const SWITCHES = new Set([
  ...['help', 'linger', 'paused', 'quiet', 'verbose', 'throw', 'no-color', 'http-debug', 'no-usage-report'],
  ...['no-setup', 'no-teardown', 'no-thresholds', 'insecure-skip-tls-verify', 'discard-response-bodies'],
  ...['no-connection-reuse', 'no-vu-connection-reuse', 'include-system-env-vars', 'profiling-enabled'],
  'new-machine-readable-summary',
]);
/** Those that say what the ladder says, or what we need ourselves. */
const OURS = new Set([
  ...['vus', 'duration', 'iterations', 'stage', 'paused', 'address', 'quiet', 'log-format', 'log-output'],
  ...['summary-mode', 'summary-export', 'execution-segment', 'execution-segment-sequence', 'linger'],
  ...['no-setup', 'no-teardown', 'help'],
]);
/** What k6 takes as the name of a variable. */
const VARIABLE = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * @typedef {object} K6Option
 * @property {string} name without hyphens, the long one
 * @property {string | null} value
 * @property {string[]} words as they were given
 */

/**
 * @param {string[]} words
 * @returns {K6Option[]}
 * @throws {BenchError} one that is no option
 */
function parse(words) {
  /** @type {K6Option[]} */
  const options = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const [, long, longValue] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const found = long ? [{ name: long, value: longValue ?? null, words: [word] }] : ofLetters(word);
    const last = found.at(-1);
    if (!last) throw new BenchError(`"${word}" after "--" is not an option of k6`, { hint: '-- --rps 100' });
    if (last.value === null && !SWITCHES.has(last.name) && i + 1 < words.length) {
      last.value = words[++i];
      last.words.push(last.value);
    }
    options.push(...found);
  }
  return options;
}

/**
 * @param {string} word `-v`, `-i5`, `-e=A=1`, or several switches and at most one with a value
 * @returns {K6Option[]} none where it is something else
 */
function ofLetters(word) {
  if (!/^-[^-]/.test(word)) return [];
  const options = [];
  for (let i = 1; i < word.length; i++) {
    const name = SHORT[/** @type {keyof typeof SHORT} */ (word[i])] ?? word[i];
    const rest = word.slice(i + 1);
    if (!SWITCHES.has(name) || rest.startsWith('=')) {
      const value = rest === '' ? null : rest.replace(/^=/, '');
      return [...options, { name, value, words: [`-${word[i]}${rest}`] }];
    }
    options.push({ name, value: null, words: [`-${word[i]}`] });
  }
  return options;
}

/**
 * `-e NAME=value` is kept apart: values may be secrets, and stand in no plan, page or list of processes.
 * @param {string[]} words after `--`
 * @returns {{k6Options: string[], values: Record<string, string>}}
 * @throws {BenchError} one that the ladder sets itself
 */
export function readK6Options(words) {
  /** @type {Record<string, string>} */
  const values = {};
  const k6Options = parse(words).flatMap(({ name, value, words: own }) => {
    if (name === 'out') throw new BenchError(`write ${own[0]} before the "--": --out json=metrics.json`);
    if (OURS.has(name))
      throw new BenchError(`"${own[0]}" after "--": the ladder sets it, so k6 cannot take it again`, {
        hint: '--steps 1,20,100 --step-duration 10s',
      });
    if (name !== 'env') return own;
    const [, variable, text] = /^([^=]*)(?:=(.*))?$/s.exec(value ?? '') ?? [];
    if (!VARIABLE.test(variable ?? ''))
      throw new BenchError(`"-e ${variable}" after "--": k6 takes letters, digits and "_" as a name`, {
        hint: '-e NAME=value',
      });
    values[variable] = text ?? '';
    return [];
  });
  return { k6Options, values };
}

/**
 * @param {string[]} words after `--`
 * @param {string[]} names of options
 * @returns {string[]} without these
 */
export function withoutK6Options(words, names) {
  return parse(words).flatMap((option) => (names.includes(option.name) ? [] : option.words));
}
