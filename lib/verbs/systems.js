import { loadStacks, stackFolders } from '../config/stacks.js';
import { nativeAvailability } from '../engines/index.js';
import { EXIT } from '../errors.js';

/**
 * `systems`: what can run here, how, and what is missing for the rest.
 * @param {string[]} _words
 * @param {Record<string, any>} flags
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function systemsVerb(_words, flags, output) {
  const { stacks, problems } = loadStacks(stackFolders(flags.stacks));
  for (const problem of problems) output.say(`error: ${problem}`);
  const rows = stacks
    .filter((s) => !s.id.startsWith('_'))
    .map((s) => {
      const { state, how, missing } = nativeAvailability(s);
      const origin = s.manifest.origin === 'reference' ? ' (reference)' : '';
      return {
        system: s.id,
        state,
        how: how === '–' ? how : `${how}${origin}`,
        missing,
        workloads: Object.keys(s.manifest.workloads),
      };
    });
  if (flags.json) {
    output.result(`${JSON.stringify({ systems: rows }, null, 2)}\n`);
    return problems.length > 0 ? EXIT.usage : EXIT.ok;
  }
  const width = (/** @type {'system' | 'how'} */ key) =>
    Math.max(key.length, ...rows.map((r) => r[key].length));
  const line = (
    /** @type {string} */ a,
    /** @type {string} */ b,
    /** @type {string} */ c,
    /** @type {string} */ d,
  ) => output.result(`${a.padEnd(width('system'))}  ${b.padEnd(width('how'))}  ${c.padEnd(20)}  ${d}\n`);
  line('system', 'how', 'workloads', 'what is missing');
  for (const r of rows) line(r.system, r.how, r.workloads.join(', '), r.missing);
  return problems.length > 0 ? EXIT.usage : EXIT.ok;
}
