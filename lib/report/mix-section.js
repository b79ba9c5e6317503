import { MISSING, percent, significant } from '../format.js';
import { groupBy, stepText } from './answers.js';

/**
 * @import { CellRecord, Plan } from '../types.d.ts'
 * @import { Row } from './rows.js'
 */

/**
 * What a mix was made of: counts and shares of its operations, and all of them together.
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @returns {{heads: string[], rows: {system: string, rung: string, total: string, rate: string, parts: string[]}[]} | null}
 *   null where the workload is no mix
 */
export function mixView(plan, own) {
  const { mix } = plan.workloads.find((w) => w.id === own[0].workload) ?? {};
  if (!mix) return null;
  const names = Object.keys(mix);
  const parts = own.filter((r) => names.includes(r.operation));
  return {
    heads: names.map((name) => `${name} (${percent(mix[name])} asked for)`),
    rows: groupBy(parts, (r) => `${r.system}\n${r.step.id}`).map((rows) => mixRow(plan, names, rows)),
  };
}

/**
 * @param {Plan} plan
 * @param {string[]} names
 * @param {Row[]} rows of one step of one system
 */
function mixRow(plan, names, rows) {
  const countOf = (/** @type {string} */ name) => rows.find((r) => r.operation === name)?.count ?? 0;
  const total = names.reduce((n, name) => n + countOf(name), 0);
  return {
    system: rows[0].title,
    rung: stepText(plan, rows[0].step.id),
    total: String(total),
    rate: wholeRate(rows, names),
    parts: names.map((name) =>
      total === 0 ? MISSING : `${countOf(name)} (${percent(countOf(name) / total)})`,
    ),
  };
}

/**
 * @param {Row[]} rows
 * @param {string[]} names
 * @returns {string} median over the usable repeats of the sum of the parts
 */
function wholeRate(rows, names) {
  if (rows.some((r) => r.ratePerSec === null)) return `n/a: ${rows.find((r) => r.failure)?.failure}`;
  const sums = rows[0].cells
    .filter((c) => c.status === 'ok' && names.every((name) => c.operations[name]))
    .map((c) => names.reduce((sum, name) => sum + c.operations[name].ratePerSec, 0))
    .sort((a, b) => a - b);
  const bound = rows.some((r) => r.codes.includes('generator_bound')) ? '≥ ' : '';
  return sums.length === 0 ? MISSING : `${bound}${significant(sums[sums.length >> 1])}`;
}
