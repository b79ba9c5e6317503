import { checkAll } from '../config/check.js';
import { stackFolders } from '../config/stacks.js';
import { EXIT } from '../errors.js';
import { plainLine } from '../format.js';

/**
 * `check`: validates every manifest and every profile and says all that is wrong at once.
 * @param {string[]} _words
 * @param {Record<string, any>} flags
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function checkVerb(_words, flags, output) {
  const { problems, stacks, profiles } = await checkAll({
    stackFolders: stackFolders(flags.stacks),
    workloadFolders: flags['workloads-folder'],
  });
  if (flags.json) output.result(`${JSON.stringify({ problems, stacks, profiles }, null, 2)}\n`);
  for (const problem of problems) output.say(`error: ${plainLine(problem, 2000)}`);
  const count =
    problems.length === 0
      ? 'no problem'
      : problems.length === 1
        ? '1 problem'
        : `${problems.length} problems`;
  output.say(`${stacks} stacks and ${profiles} profiles checked: ${count}`);
  return problems.length === 0 ? EXIT.ok : EXIT.usage;
}
