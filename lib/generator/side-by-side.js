import { startChild } from '../process/child.js';
import { pinned } from '../process/placement.js';
import { freePort } from '../process/ports.js';
import { dieWithUs } from '../setup/die-with-us.js';
import { setOnly, watchedContainer } from './generator.js';
import { conditionsOf, HOST_NETWORK, startGeneratorContainer } from './in-container.js';
import { sideBySideCommand } from './k6.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Project } from '../engines/docker/project.js'
 * @import { GeneratorProcess } from './generator.js'
 */

/**
 * The one k6 that loads several systems at once, on the CPUs that are not theirs; it has all of each of them. In a
 * container it is on the machine's own network: from there the runner, whose orders it takes, is on loopback, and each
 * system has its own address without a published port between.
 * @param {object} call
 * @param {string} call.binary
 * @param {string} call.callFile absolute
 * @param {number} call.loops event loops, one a system
 * @param {number[]} call.cpus
 * @param {Plan} call.plan
 * @param {Project | null} call.project null: as a process of this machine
 * @param {string} call.folder its own, absolute
 * @param {string} call.runFolder absolute; written to
 * @param {string[]} call.stackFolders absolute
 * @param {string} call.logPath
 * @returns {Promise<GeneratorProcess>}
 */
export async function startSideBySide(call) {
  const { binary, callFile, loops, cpus, plan, project, folder, runFolder, stackFolders, logPath } = call;
  const { command, env } = sideBySideCommand({ binary, callFile, apiPort: await freePort(), loops });
  if (!project) {
    const child = await startChild(dieWithUs(pinned(command, cpus)), { cwd: folder, env, logPath });
    return { child, watched: { pgids: [child.pid] }, release: async () => {} };
  }
  const { child, container, release } = await startGeneratorContainer(
    { command: command.slice(1), env: setOnly(env) },
    {
      project,
      image: conditionsOf(plan).images.GENERATOR_IMAGE.ref,
      network: HOST_NETWORK,
      cpus: { held: cpus },
      readOnly: [...stackFolders, folder],
      writable: runFolder,
      ports: [],
      logPath,
    },
  );
  return { child, container, watched: await watchedContainer(project, container, child), release };
}
