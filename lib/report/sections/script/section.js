import { basename } from 'node:path';
import { loadText } from '../../../generator/script-scenarios.js';

/**
 * @import { ScriptOptions } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What was measured where a script of the user's own was the workload, and what such a script cannot tell.
 * @param {Pick<Run, 'plan' | 'measured'>} run
 * @returns {Section | null}
 */
export function section({ plan, measured }) {
  const { script } = plan.options;
  if (!script) return null;
  const left = [...new Set(measured.flatMap((r) => r.warnings))].filter((text) => !text.startsWith('--out'));
  return {
    title: 'The script',
    intro: [
      `\`${basename(script.path)}\` (SHA-256 ${script.sha256.slice(0, 16)}…${optionsText(script)}), by k6: each user calls ${functionText(script)} again and again. An iteration that throws, an HTTP request that fails and a check that does not hold are failures: where more than 0.1 % of an operation failed, nothing of that step is ranked.`,
    ],
    notes: [
      'What is stored was not looked at: a script has its own checks only.',
      "A user of k6 is no event loop of this suite: how full the client was is known within limits. Where k6 wanted at most half a CPU it did not set the figures; else they are bounds (≥). A script's own pauses (`sleep`) are part of its iterations: they hold throughput down, and bring ratios of it nearer to 1.",
      'CPU per operation is all the CPU of a window, divided by the count of each operation in turn.',
      ...left.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`),
    ],
  };
}

/** @param {ScriptOptions} script */
function functionText({ scenarios = [] }) {
  const replaced = scenarios.length > 0 ? loadText(scenarios) : '';
  return `${scenarios.length > 1 ? 'the function of a scenario' : 'its function'}${replaced && ` (${replaced})`}`;
}

/** @param {ScriptOptions} script */
function optionsText({ k6Options, variables }) {
  const given = variables.length > 0 ? `; variables given: ${variables.join(', ')}` : '';
  return `${given}${k6Options.length > 0 ? `; options of k6: \`${k6Options.join(' ')}\`` : ''}`;
}
