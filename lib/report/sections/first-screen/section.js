import { matrixTable } from '../../matrix/index.js';
import { chooseOf } from './choose.js';
import { heroOf } from './hero.js';
import { killsTable } from './kills.js';
import { machineOf } from './machine.js';
import { trustOf } from './trust.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a person who has to choose reads first: who is ahead, on what, by how much, whether to believe it, when to
 * use which, and how to measure it again.
 * @param {Run} run
 * @returns {Section}
 */
export function section(run) {
  const { plan, matrices, answers } = run;
  const hero = heroOf(plan, matrices);
  return {
    intro: [answers.join(' '), ...partialOf(run)],
    tables: matrices.map((matrix) => ({
      ...matrixTable(plan, matrix),
      ...(matrices.length > 1 ? { caption: `**${matrix.title}**` } : {}),
    })),
    parts: [
      matrices.length === 0 ? killsTable(run, matrices) : null,
      hero ? { charts: [hero] } : null,
      { intro: [trustOf(run), ...chooseOf(plan, matrices), ...machineOf(run)] },
    ],
  };
}

/**
 * @param {Run} run
 * @returns {string[]} how much of a run that was broken off is there
 */
function partialOf({ plan, measured }) {
  const planned = plan.blocks.filter((b) => b.role === 'system').reduce((n, b) => n + b.cells.length, 0);
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  if (finished >= planned) return [];
  return [
    `> **Partial run**: ${finished} of ${planned} cells were measured. \`./run-all.sh --resume ${plan.runId}\` measures the rest.`,
  ];
}
