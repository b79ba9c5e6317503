import { withoutUserinfo } from '../controls.js';
import { FLAGS } from '../options.js';
import { shellWord } from '../process/shell.js';

/** @import { RunOptions } from '../types.d.ts' */

/**
 * What was typed, as a shell takes it again. A value that may be secret is a variable of the shell, which refuses the
 * command where it is not set.
 * @param {string | undefined} profile its word
 * @param {import('../options.js').Given[]} typed
 * @param {{systems: string[], variables: string[], k6Options: string[]}} run `systems` that are measured, whoever can be
 *   had elsewhere; none of a script
 * @returns {NonNullable<RunOptions['again']>}
 */
export function commandLines(profile, typed, { systems, variables, k6Options }) {
  const given = typed
    .map(({ name, value }, i) => ({
      name,
      // Both scripts stand after the flag.
      text:
        name === 'compare-scripts' && typed[i - 1]?.name === name
          ? shellWord(String(value))
          : flagText(name, value),
      again: FLAGS[/** @type {keyof typeof FLAGS} */ (name)].again,
    }))
    .filter(({ again }) => again !== 'never');
  const only = (/** @type {(flag: (typeof given)[number]) => boolean} */ chosen) =>
    given.filter(chosen).map(({ text }) => text);
  const values = variables.map((name) => `-e "${name}=\${${name}:?}"`);
  const k6 = [...values, ...k6Options.map(shellWord)];
  const word = profile === undefined ? [] : [shellWord(profile)];
  const first = profile === undefined ? ['script', 'compare-scripts', 'steps', 'rate', 'step-duration'] : [];
  const isChosen = systems.length === 0 || given.some(({ name }) => name === 'systems');
  const after = (/** @type {string[]} */ words) => (words.length > 0 ? ['--', ...words] : []);
  return {
    measure: [
      ...[...word, ...only(({ name }) => first.includes(name))],
      ...(isChosen ? [] : [`--systems ${systems.join(',')}`]),
      ...[...only(({ name, again }) => again !== 'place' && !first.includes(name)), ...after(k6)],
    ].join(' '),
    resume: [...only(({ again }) => again !== undefined), ...after(values)].join(' '),
    profile: [...word, ...only(({ again }) => again === 'outside')].join(' '),
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
