import { percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS, REASONS } from '../../../judge/method.js';
import { isLoopback } from '../../../plan/watch.js';
import { absentSubject } from '../../../record/absent.js';
import { unsteadyOf } from '../../../record/steadiness.js';
import { stepText } from '../../steps.js';
import { counted, listed } from '../../words.js';

/**
 * @import { CellRecord, Plan } from '../../../types.d.ts'
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a reader may not take from this page, from the verdicts and from what was left out.
 * @param {Run} run
 * @returns {Section}
 */
export function section(run) {
  return { title: 'What this run does not show', notes: notShown(run) };
}

/** @param {CellRecord[]} records @returns {string[]} what `--out` names and did not take all, once each */
export function outputsLost(records) {
  const lines = records.flatMap((r) => r.warnings.filter((text) => text.startsWith('--out ')));
  return [...new Set(lines.map((text) => text.replace(/ \([^()]*\)$/, '')))];
}

/**
 * @param {Pick<Run, 'plan' | 'records' | 'rows' | 'comparisons'>} run
 * @returns {string[]} Markdown list items
 */
function notShown({ plan, records, rows, comparisons }) {
  const items = [];
  const codes = [...new Set(rows.flatMap((r) => r.codes))].sort();
  for (const code of codes) {
    const hit = rows.filter((r) => r.codes.includes(code)).length;
    items.push(`**${code.replaceAll('_', '-')}** (${hit} of ${rows.length} rows): ${REASONS[code].text}.`);
  }
  for (const record of records.filter((r) => r.status !== 'ok')) {
    items.push(`\`${record.cell}\` ${record.status}: ${record.reason}.${tailText(record)}`);
  }
  items.push(...outputsLost(records).map((text) => `${text.replace(/^(--out [\w-]+)/, '`$1`')}.`));
  items.push(...unsteady(records), ...refusals(plan, comparisons));
  for (const absent of plan.absent)
    items.push(`\`${absentSubject(absent)}\` was not measured: ${absent.reason}.`);
  if (plan.repeats < MIN_REPEATS) {
    items.push(
      `${plan.repeats} of the ${MIN_REPEATS} repeats that a ranking needs: run again with \`--repeats ${MIN_REPEATS}\`.`,
    );
  }
  for (const { id, title, endpoint } of plan.systems.filter((s) => s.engine === 'external')) {
    const processes = records.find((r) => r.system === id && r.processes)?.processes;
    const seen = processes
      ? `its CPU and memory are those of ${listed(processes.map((name) => `\`${name}\``))} on this machine, and of what it started`
      : `neither its CPU nor its memory was seen${endpoint && isLoopback(endpoint) ? ` (\`--watch ${id}\` measures them)` : ''}`;
    items.push(`${title} was given by its address: it was not started afresh for each repeat, and ${seen}.`);
  }
  if (plan.engine === 'native') {
    items.push(
      'Generator and system share one host and its loopback: no network was crossed, and each takes CPU from the other.',
    );
  }
  if (!plan.profile.steps.some((s) => s.model === 'open')) {
    items.push(
      'No open-model step in this profile: the response time under a given arrival rate, queueing included, is not shown (the profile `load` has it).',
    );
  }
  return [...items, ...untested(plan, records)];
}

/** @param {CellRecord} record @returns {string | undefined} */
function policyIn({ parity }) {
  return parity?.durability === undefined ? undefined : String(parity.durability);
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {string[]} systems whose declared durability was not tested
 */
function untested(plan, records) {
  const killed = new Set(records.filter((r) => r.recovery).map((r) => r.system));
  const others = plan.systems.filter((s) => s.role === 'system' && !killed.has(s.id));
  const isKnown = (/** @type {Plan['systems'][number]} */ { id, engine }) =>
    engine !== 'external' ||
    records.some((r) => r.system === id && ![undefined, 'unknown'].includes(policyIn(r)));
  const told = others.filter(isKnown).map((s) => s.title);
  const unknown = others.filter((s) => !isKnown(s)).map((s) => s.title);
  const of = (/** @type {string[]} */ titles) => (killed.size > 0 ? ` of ${titles.join('; ')}` : '');
  return [
    ...(told.length > 0
      ? [
          `Durability${of(told)} was declared, not tested: no process was killed to count lost acknowledgements.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [`What an acknowledgement of ${unknown.join('; ')} means is not known, and was not tested.`]
      : []),
  ];
}

/**
 * @param {CellRecord[]} records
 * @returns {string[]} windows whose throughput was not the same from beginning to end
 */
function unsteady(records) {
  const found = unsteadyOf(records);
  return /** @type {const} */ (['collapsed', 'drifting']).flatMap((kind) => {
    const own = found.filter((f) => f.kind === kind);
    if (own.length === 0) return [];
    const shown = own.slice(0, 5).map(({ cell, operation, change, second }) => {
      const since = second ? `, from second ${second} on` : '';
      return `\`${cell}\` ${operation} (${percent(change).replace('-', '−')}${since})`;
    });
    const more = own.length > shown.length ? ` and ${own.length - shown.length} more` : '';
    return [`**Throughput ${kind}** within ${own.length} windows: ${shown.join(', ')}${more}.`];
  });
}

/** What a line of a log holds that says what went wrong; the last line is often advice. */
const COMPLAINT = /error|fatal|panic|fail|cannot|can't|denied|refused|already|no such|invalid/i;
/** A heading such as "Fatal error!" says less than the line below it. */
const HEADING_WORDS = 3;

/** @param {CellRecord} record */
function tailText({ logTail }) {
  const lines = tellingLines(logTail);
  if (lines.length === 0) return '';
  const shown = lines.map((line) => `\`${line.replaceAll('`', "'")}\``).join(' … ');
  return lines.length === 1 ? ` Last log line: ${shown}` : ` From its log: ${shown}`;
}

/**
 * @param {string[]} log last lines of a program that failed
 * @returns {string[]} the first that complains, and the last
 */
export function tellingLines(log) {
  const first = log.findIndex((line) => COMPLAINT.test(line));
  const isHeading = first >= 0 && log[first].trim().split(/\s+/).length <= HEADING_WORDS;
  const telling = first < 0 ? [] : log.slice(first, first + (isHeading ? 2 : 1));
  return [...new Set([...telling, ...log.slice(-1)])];
}

/**
 * What was not compared, and why: one line for each reason.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {string[]}
 */
function refusals(plan, comparisons) {
  const refused = comparisons.filter((c) => c.ratio === null);
  return groupBy(refused, (c) => c.why ?? '').map((same) => {
    const steps = [...new Set(same.map((c) => stepText(plan, c.stepId)))].join('; ');
    return `Not compared: ${same[0].why}: ${counted(same.length, 'comparison')} (${steps})`;
  });
}
