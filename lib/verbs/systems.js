import { provenLine, provenOf } from '../config/proven.js';
import { loadStacks, stackFolders } from '../config/stacks.js';
import { jsonText } from '../controls.js';
import { askDocker } from '../docker/answers.js';
import { obtainImage } from '../docker/images.js';
import { nativeAvailability } from '../engines/index.js';
import { installedVersion, provenanceOf } from '../engines/native.js';
import { EXIT } from '../errors.js';
import { table, terminalTable } from '../report/table.js';
import { isBuilt, stackBuilds } from '../setup/builds.js';

/** @import { Stack } from '../types.d.ts' */

/**
 * `systems`: what can run here, how, and what is missing for the rest.
 * @param {string[]} _words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function systemsVerb(_words, options, output) {
  const { stacks, problems } = loadStacks(stackFolders(options.stacks));
  for (const problem of problems) output.say(`error: ${problem}`);
  const answer = await askDocker();
  const rows = await Promise.all(stacks.filter((s) => !s.id.startsWith('_')).map((s) => rowOf(s, answer)));
  const told = table(
    ['system', 'how', 'workloads', 'program', 'tested with', 'what is missing'],
    rows.map((r) => [r.system, r.how, r.workloads.join(', '), r.takes, r.seen, r.missing]),
  );
  const data = { schemaVersion: 1, systems: rows.map(asData) };
  output.result(options.json ? jsonText(data) : `${terminalTable(told).join('\n')}\n`);
  return problems.length > 0 ? EXIT.usage : EXIT.ok;
}

/**
 * @param {Awaited<ReturnType<typeof rowOf>>} row
 * @returns {object} as lib/schema/systems.schema.json has it: what is not there is null, and no dash
 */
function asData({ how: _, missing, takes, ...row }) {
  const known = (/** @type {string} */ text) => (text === '–' ? null : text);
  return { ...row, missing: known(missing), takes: known(takes) };
}

/**
 * @param {Stack} stack
 * @param {Awaited<ReturnType<typeof askDocker>>} answer
 */
async function rowOf(stack, answer) {
  const native = nativeAvailability(stack);
  const docker = await imagesMissing(stack, answer);
  const ways = [...(native.how === '–' ? [] : [native.how]), ...(docker === null ? ['docker'] : [])];
  const origin = stack.manifest.origin === 'reference' ? ' (reference)' : '';
  const both = native.state === 'unavailable' && docker !== null;
  return {
    system: stack.id,
    state: ways.length > 0 && native.state === 'unavailable' ? 'ready' : native.state,
    ways,
    origin: stack.manifest.origin,
    how: ways.length === 0 ? '–' : `${ways.join(' · ')}${origin}`,
    missing: both
      ? [native.missing, ...(stack.manifest.docker ? [`or, in a container: ${docker}`] : [])].join('; ')
      : native.state === 'unavailable'
        ? '–'
        : native.missing,
    takes: native.state === 'ready' ? await takenOf(stack) : '–',
    workloads: Object.keys(stack.manifest.workloads),
    seen: stack.id === stack.base ? provenLine(provenOf(stack)) : `see ${stack.base}`,
  };
}

/**
 * @param {Stack} stack that could run natively
 * @returns {Promise<string>} which program it would take, and its version where that is here already
 */
async function takenOf(stack) {
  const built = stackBuilds(stack).every(isBuilt);
  const version = built ? await installedVersion(stack) : null;
  return (
    [version, provenanceOf(stack), ...(built ? [] : ['not built yet'])].filter(Boolean).join(', ') || '–'
  );
}

/**
 * @param {Stack} stack
 * @param {Awaited<ReturnType<typeof askDocker>>} answer
 * @returns {Promise<string | null>} null when it can run in containers now; nothing is pulled or built to find out
 */
async function imagesMissing(stack, answer) {
  if (!stack.manifest.docker) return 'it has no container';
  if ('problem' in answer) return answer.problem;
  for (const [variable, pinned] of Object.entries(stack.manifest.docker.images)) {
    const result = await obtainImage(variable, pinned);
    if ('problem' in result) return result.problem;
  }
  return null;
}
