import { loadStacks } from '../config/stacks.js';
import { BenchError, EXIT, furtherLines } from '../errors.js';
import { createOutput } from '../output.js';
import { leaveOnSignals } from '../process/signals.js';
import { which } from '../process/tool.js';
import { isBuilt } from '../setup/builds.js';
import { askDocker } from './answers.js';
import { findBase, makeBase } from './base.js';
import { ensureImage } from './build.js';
import { imageRecipes } from './recipes.js';

/**
 * Builds every image that can be built here, one after another; one that fails does not keep the others.
 * @param {import('../output.js').Output} output
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
 * @param {import('../output.js').Output} output
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
