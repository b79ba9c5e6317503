import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../config/declared.js';
import { suggest } from '../config/nearest.js';
import { BenchError, EXIT } from '../errors.js';
import { ROOT } from '../paths.js';
import { writeFileAtomic } from '../store.js';

/** Where files are that one can begin with. */
const FOLDERS = ['data/examples', 'workloads'].map((folder) => join(ROOT, 'k6', folder));

/**
 * `new-workload NAME --like EXAMPLE`: a workload of one's own, as a file that runs as it is and is then changed.
 * @param {string[]} words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 * @throws {BenchError} a name that cannot be one, or is taken
 */
export async function newWorkloadVerb([name = ''], options, output) {
  const files = FOLDERS.flatMap((folder) =>
    namesIn(folder, '.json').map((id) => ({ id, path: join(folder, `${id}.json`) })),
  );
  const ids = files.map(({ id }) => id);
  const like = options.like ?? ids[0];
  const model = files.find(({ id }) => id === like);
  if (!model) throw new BenchError(`unknown workload "${like}" in --like: ${suggest(like, ids)}`);
  const bare = name.replace(/\.json$/, '');
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(bare))
    throw new BenchError(name === '' ? 'which name?' : `"${name}" is no name of a workload`, {
      hint: 'small letters, digits and hyphens: `./run-all.sh new-workload mine --like sessions`',
    });
  const file = `${bare}.json`;
  if (existsSync(file)) throw new BenchError(`${file} is there already`, { hint: 'choose another name' });
  if (options.dryRun) {
    output.say(`would write ${file}, like ${like}`);
    return EXIT.ok;
  }
  writeFileAtomic(file, readFileSync(model.path, 'utf8'));
  output.result(`${file}\n`);
  output.say(`written like ${like}; docs/workloads.md has what it may say. Then:`);
  output.say(`  ./run-all.sh check ${file}`);
  output.say(`  ./run-all.sh load --workload ${file}`);
  return EXIT.ok;
}
