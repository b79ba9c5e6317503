import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadStacks } from '../lib/config/stacks.js';
import { askDocker } from '../lib/docker/answers.js';
import { findBase, OFFLINE_BASE, SUITE } from '../lib/docker/base.js';
import { ensureImage } from '../lib/docker/build.js';
import { docker } from '../lib/docker/cli.js';
import { BenchError, EXIT, furtherLines } from '../lib/errors.js';
import { createOutput } from '../lib/output.js';
import { removeNow } from '../lib/process/child.js';
import { leaveOnSignals } from '../lib/process/signals.js';
import { temporaryFolder } from '../lib/process/temporary.js';
import { lastLine, runTool, which } from '../lib/process/tool.js';
import { isBuilt } from '../lib/setup/builds.js';
import { howToInstall, obtainNeed } from '../lib/setup/needs.js';
import { imageRecipes } from './image-recipes.js';

/** What scripts/offline-images.sh does. */

const MIRROR = 'http://deb.debian.org/debian';

const DEBOOTSTRAP = { binary: 'debootstrap', debian: 'debootstrap' };

/**
 * Makes a base image from Debian's packages alone. Needs root, as debootstrap does.
 * @returns {Promise<string>} its reference
 * @throws {BenchError}
 */
async function makeBase() {
  const need = await obtainNeed(DEBOOTSTRAP);
  if ('problem' in need) {
    throw new BenchError(`debootstrap is missing: ${need.problem}`, { hint: howToInstall(DEBOOTSTRAP) });
  }
  if (process.getuid?.() !== 0) {
    throw new BenchError('a base image is made by debootstrap, which needs root', {
      hint: 'run it with sudo',
    });
  }
  const folder = temporaryFolder('base');
  try {
    const root = join(folder, 'root');
    mkdirSync(root);
    // A base that was unpacked and not installed keeps its scripts below its own root.
    const own = join(dirname(dirname(dirname(need.found.path))), 'usr/share/debootstrap');
    const env = Object.keys(need.found.env).length > 0 ? { DEBOOTSTRAP_DIR: own } : {};
    const made = await runTool(
      [need.found.path, '--variant=minbase', '--include=ca-certificates', SUITE, root, MIRROR],
      { env: { ...env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }, timeoutMs: 10 * 60_000 },
    );
    if (!made.ok) throw new BenchError(`debootstrap failed: ${lastLine(made.stdout || made.stderr)}`);
    await importRoot(root, folder);
  } finally {
    removeNow(folder);
  }
  return OFFLINE_BASE;
}

/**
 * @param {string} root
 * @param {string} folder
 */
async function importRoot(root, folder) {
  const archive = join(folder, 'root.tar');
  const packed = await runTool(['tar', '--numeric-owner', '-C', root, '-cf', archive, '.'], {
    timeoutMs: 300_000,
  });
  if (!packed.ok) throw new BenchError(`tar failed: ${lastLine(packed.stderr)}`);
  const loaded = await docker(['import', archive, OFFLINE_BASE], { timeoutMs: 300_000 });
  if (!loaded.ok) throw new BenchError(`docker import failed: ${lastLine(loaded.stderr)}`);
}

/**
 * Builds every image that can be built here, one after another; one that fails does not keep the others.
 * @param {import('../lib/output.js').Output} output
 * @returns {Promise<number>} exit code
 */
async function buildAll(output) {
  const answer = await askDocker();
  if ('problem' in answer) throw new BenchError(answer.problem, { hint: answer.hint });
  const { stacks, problems } = loadStacks();
  if (problems.length > 0) throw new BenchError(problems[0], { detail: problems.slice(1) });
  const base = (await findBase()) ?? (await announced(output, 'base image', makeBase));
  let failed = 0;
  for (const recipe of imageRecipes(stacks)) {
    const lacking = recipe.builds.find((b) => !isBuilt(b) && which(b.command[0]) === null);
    if (lacking) {
      output.say(`not built: ${recipe.name} (${lacking.command[0]} is not on PATH)`);
      continue;
    }
    try {
      const announce = () => output.task(recipe.name, 'building, once');
      const { ref } = await ensureImage(recipe, base, { announce });
      output.result(`${recipe.variable}=${ref}\n`);
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      failed++;
      output.say(`error: ${error.message}`);
      for (const line of furtherLines(error)) output.say(`    ${line}`);
    }
  }
  output.say('From a registry only (no Dockerfile here): Grafana, and the systems that are not listed');
  return failed > 0 ? EXIT.systemFailed : EXIT.ok;
}

/**
 * @param {import('../lib/output.js').Output} output
 * @param {string} what
 * @param {() => Promise<string>} make
 */
async function announced(output, what, make) {
  const done = output.task(what, 'debootstrap, about 1 minute, once');
  const ref = await make();
  done(ref);
  return ref;
}

leaveOnSignals();
const output = createOutput();
try {
  process.exitCode = await buildAll(output);
} catch (error) {
  if (!(error instanceof BenchError)) throw error;
  output.say(`error: ${error.message}`);
  for (const line of furtherLines(error)) output.say(`    ${line}`);
  if (error.hint) output.say(`hint: ${error.hint}`);
  process.exitCode = error.exitCode;
}
