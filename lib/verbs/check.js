import { checkAll } from '../config/check.js';
import { readDataWorkload } from '../config/data-workloads.js';
import { isJsonFile, readDeclared } from '../config/declared.js';
import { loadProfile } from '../config/profiles.js';
import { stackFolders } from '../config/stacks.js';
import { jsonText, plainLine } from '../controls.js';
import { EXIT } from '../errors.js';

/**
 * `check`: validates every manifest and every profile and says all that is wrong at once.
 * @param {string[]} words a profile of one's own, and nothing else then
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 * @throws {BenchError} with all that is wrong in the one of one's own
 */
export async function checkVerb([file], options, output) {
  if (file !== undefined) {
    // A workload has what a profile cannot have.
    if (isJsonFile(file) && readDeclared(file)?.operations) readDataWorkload(file);
    else loadProfile(file);
    if (options.json) output.result(jsonText({ problems: [], profiles: 1 }));
    output.say(`${file}: no problem`);
    return EXIT.ok;
  }
  const { problems, stacks, profiles } = await checkAll({
    stackFolders: stackFolders(options.stacks),
    workloadFolders: options.workloadsFolder,
  });
  if (options.json) output.result(jsonText({ problems, stacks, profiles }));
  for (const problem of problems) output.say(`error: ${plainLine(problem, 2000)}`);
  const count = problems.length;
  output.say(
    `${stacks} stacks and ${profiles} profiles checked: ${count || 'no'} problem${count > 1 ? 's' : ''}`,
  );
  return count === 0 ? EXIT.ok : EXIT.usage;
}
