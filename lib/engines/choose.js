import { askDocker } from '../docker/answers.js';
import { dockerConditions } from '../docker/conditions.js';
import { prepareImages } from '../docker/prepare.js';
import { BenchError } from '../errors.js';
import { abandonedProjects, removeProjects } from './docker/project.js';
import { nativeAvailability } from './index.js';

/**
 * @import { DockerConditions, Stack } from '../types.d.ts'
 * @import { Output } from '../output.js'
 * @import { DockerEngine } from '../docker/answers.js'
 */

/**
 * @typedef {{name: 'native', why: string | null}
 *   | {name: 'docker', engine: DockerEngine, conditions: DockerConditions, problems: Map<string, string>}} Choice
 *   `why`: what speaks against Docker, null where native was asked for; `problems`: by system
 */

/**
 * One engine for all systems of a run. `auto` takes Docker where an engine answers and no system that could run
 * natively would be lost by it.
 * @param {string} wanted `auto`, `docker` or `native`
 * @param {Stack[]} stacks that are not reached by URL
 * @param {Output} output
 * @param {{build: boolean, here?: boolean, dry?: boolean}} options `here`: of ours nothing comes from a release; `dry`: nothing
 *   is fetched, built or removed to find out
 * @returns {Promise<Choice>}
 * @throws {BenchError} when Docker was asked for and is not available
 */
export async function chooseEngine(wanted, stacks, output, { build, here = false, dry = false }) {
  if (wanted === 'native' || stacks.length === 0) return { name: 'native', why: null };
  const insist = wanted === 'docker';
  const answer = await askDocker();
  if ('problem' in answer) {
    if (insist) throw new BenchError(`--engine docker: ${answer.problem}`, { hint: answer.hint });
    return { name: 'native', why: answer.problem };
  }
  const { engine } = answer;
  if (!dry) await removeProjects(await abandonedProjects());
  const means = { build: build && !dry, here, socket: engine.socket };
  const { images, problems, problem } = await prepareImages(stacks, output, means);
  if (problem && insist) {
    throw new BenchError(`--engine docker: ${problem}`, {
      hint: 'scripts/offline-images.sh builds what can be built here',
    });
  }
  const lost = insist ? null : (problem ?? firstLoss(stacks, problems));
  if (lost) return { name: 'native', why: lost };
  return { name: 'docker', engine, conditions: dockerConditions(engine, images), problems };
}

/**
 * @param {Stack[]} stacks
 * @param {Map<string, string>} problems
 * @returns {string | null} a system that runs natively and not in a container
 */
function firstLoss(stacks, problems) {
  const lost = stacks.find((s) => problems.has(s.id) && nativeAvailability(s).state !== 'unavailable');
  return lost ? `${lost.id}: ${problems.get(lost.id)}` : null;
}
