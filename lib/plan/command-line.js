import { FLAGS } from '../args.js';
import { withoutUserinfo } from '../format.js';
import { shellWord } from '../process/shell.js';

/** @import { RunOptions } from '../types.d.ts' */

/** Of this one call: they are no part of what is measured. */
const ONCE = new Set(['dry-run', 'json', 'resume', 'force', 'help', 'version', 'render-only']);
/** What a run that goes on is told again. */
const RESUMED = new Set(['reports', 'stacks', 'workloads-folder', 'out', 'no-build']);
/** What names a system or a workload that is not of this checkout. */
const OUTSIDE = new Set(['stacks', 'workloads-folder']);

/**
 * What was typed, as a shell takes it again. A value that may be secret is a variable of the shell, which refuses the
 * command where it is not set.
 * @param {string | undefined} profile its word
 * @param {Record<string, any>} flags
 * @param {{systems: string[], variables: string[], k6Options: string[]}} run `systems` that are measured, whoever can be
 *   had elsewhere; none of a script
 * @returns {NonNullable<RunOptions['again']>}
 */
export function commandLines(profile, flags, { systems, variables, k6Options }) {
  const given = Object.keys(FLAGS).flatMap((name) =>
    ONCE.has(name) || flags[name] === undefined
      ? []
      : [flags[name]].flat().map((value) => ({ name, text: flagText(name, value) })),
  );
  const only = (/** @type {Set<string>} */ names) =>
    given.filter(({ name }) => names.has(name)).map(({ text }) => text);
  const values = variables.map((name) => `-e "${name}=\${${name}:?}"`);
  const k6 = [...values, ...k6Options.map(shellWord)];
  const word = profile === undefined ? [] : [shellWord(profile)];
  const first = profile === undefined ? ['script', 'steps', 'step-duration'] : [];
  const rest = given.filter(({ name }) => !first.includes(name)).map(({ text }) => text);
  const isChosen = flags.systems !== undefined || systems.length === 0;
  const after = (/** @type {string[]} */ words) => (words.length > 0 ? ['--', ...words] : []);
  return {
    measure: [
      ...[...word, ...only(new Set(first))],
      ...[...(isChosen ? [] : [`--systems ${systems.join(',')}`]), ...rest, ...after(k6)],
    ].join(' '),
    resume: [...only(RESUMED), ...after(values)].join(' '),
    profile: [...word, ...only(OUTSIDE)].join(' '),
  };
}

/**
 * @param {string} name
 * @param {string | true} value
 * @returns {string}
 */
function flagText(name, value) {
  if (value === true) return `--${name}`;
  // A process has another id the next time: who listens there is asked.
  if (name === 'watch') return `--watch ${shellWord(value.split('=', 1)[0])}`;
  if (name === 'endpoint') return `--endpoint ${shellWord(withoutUserinfo(value))}`;
  const [, output, place] = (name === 'out' && /^([\w-]+)=(\w+:\/\/.*|[^/]*@.*)$/s.exec(value)) || [];
  if (output !== undefined && place)
    return `--out "${output}=\${${output.toUpperCase().replaceAll('-', '_')}:?}"`;
  return `--${name} ${shellWord(value)}`;
}
