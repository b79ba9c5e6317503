import { profileIds } from '../config/profiles.js';
import { BenchError, EXIT } from '../errors.js';
import { FLAGS, flagsOf, MEASURE, VERBS } from '../options.js';

/**
 * `completion bash|zsh`: a script for `source <(./run-all.sh completion bash)`.
 * @param {string[]} words
 * @param {import('../options.js').Options} _options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function completionVerb([shell], _options, output) {
  if (shell !== 'bash' && shell !== 'zsh')
    throw new BenchError(shell ? `no completion for "${shell}"` : 'completion for which shell?', {
      hint: 'bash or zsh',
    });
  output.result(
    shell === 'bash' ? bashCompletion() : `autoload -U +X bashcompinit && bashcompinit\n${bashCompletion()}`,
  );
  return EXIT.ok;
}

/** Flags whose value is a folder. */
const FOLDERS = Object.freeze(['stacks', 'workloads-folder', 'reports']);

/** Flags whose value is a file. */
const FILES = Object.freeze(['script', 'workload']);

function bashCompletion() {
  const words = [...profileIds(), ...VERBS].join(' ');
  const cases = [...VERBS, MEASURE].map((verb) => {
    const known = flagsOf(verb).map((f) => `--${f}`);
    return `    ${verb === MEASURE ? '*' : verb}) flags="${known.join(' ')}" ;;`;
  });
  const values = Object.entries(FLAGS).flatMap(([flag, { choices }]) =>
    choices
      ? `    --${flag}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "\${current}")); return ;;`
      : [],
  );
  // Those of which nothing is known beforehand: the first case that fits is taken.
  const taking = Object.entries(FLAGS).flatMap(([f, { type }]) => (type === 'string' ? `--${f}` : []));
  return `_ladderbench() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" verb="\${COMP_WORDS[1]}" flags
  COMPREPLY=()
  case "\${previous}" in
${values.join('\n')}
    ${FOLDERS.map((f) => `--${f}`).join('|')}) COMPREPLY=($(compgen -d -- "\${current}")); return ;;
    ${FILES.map((f) => `--${f}`).join('|')}) COMPREPLY=($(compgen -f -- "\${current}")); return ;;
    ${taking.join('|')}) return ;;
  esac
  case "\${verb}" in
${cases.join('\n')}
  esac
  if ((COMP_CWORD == 1)) && [[ "\${current}" != -* ]]; then
    COMPREPLY=($(compgen -W "${words}" -- "\${current}"))
  elif [[ "\${verb}" == completion && "\${current}" != -* ]]; then
    COMPREPLY=($(compgen -W "bash zsh" -- "\${current}"))
  elif [[ "\${verb}" == help && "\${current}" != -* ]]; then
    COMPREPLY=($(compgen -W "${VERBS.join(' ')}" -- "\${current}"))
  elif [[ "\${verb}" =~ ^(report|compare)$ && "\${current}" != -* ]]; then
    COMPREPLY=($(compgen -W "latest $(ls "$(dirname "\${COMP_WORDS[0]}")/reports" 2>/dev/null)" -- "\${current}"))
  else
    COMPREPLY=($(compgen -W "\${flags}" -- "\${current}"))
  fi
}
complete -F _ladderbench run-all.sh ./run-all.sh
`;
}
