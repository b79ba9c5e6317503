import { absentSubject } from '../../../config/step-text.js';
import { singleTrials } from '../../../config/trials.js';
import { unsteadyOf } from '../../../figures/steadiness.js';
import { groupBy } from '../../../group-by.js';
import { gravestText, RULES } from '../../../judge/method.js';
import { isLoopback } from '../../../plan/watch.js';
import { phrase, templateBeside } from '../../template.js';

/**
 * @import { CellRecord, Comparison, Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/** Windows that are named where several were not steady. */
const NAMED = 5;

/**
 * What a reader may not take from this page, from the verdicts and from what was left out.
 * @param {Run} run
 * @returns {Written}
 */
export function section({ plan, records, rows, comparisons, sideBySide }) {
  const codes = [...new Set(rows.flatMap((r) => r.codes))].sort();
  return write(plan, {
    plan,
    ...{ rows: rows.length, repeated: singleTrials(plan).length > 0 },
    reasons: codes.map((code) => ({
      ...{ code, text: RULES[code].text, hit: rows.filter((r) => r.codes.includes(code)).length },
    })),
    failed: records
      .filter((r) => r.status !== 'ok')
      .map((r) => ({ ...r, log: tellingLines(r.logTail).map((line) => line.replaceAll('`', "'")) })),
    outputs: outputsLost(records),
    unsteady: groupBy(unsteadyOf(records), ({ kind }) => kind),
    named: NAMED,
    refusals: refusalsOf(comparisons),
    starts: sideBySide.filter(({ starts }) => starts > 0),
    absent: plan.absent.map((absent) => ({ subject: absentSubject(plan, absent), reason: absent.reason })),
    addressed: plan.systems
      .filter((s) => s.engine === 'external')
      .map((s) => ({
        ...{ ...s, local: s.endpoint && isLoopback(s.endpoint) },
        processes: records.find((r) => r.system === s.id && r.processes)?.processes ?? null,
      })),
    open: plan.profile.steps.some((s) => s.model === 'open'),
    ...untestedOf(plan, records),
  });
}

/** @param {CellRecord[]} records @returns {string[]} Markdown: what `--out` names and did not take all, once each */
export function outputsLost(records) {
  const all = records.flatMap((r) => r.lostOutputs ?? []);
  return [...new Set(all.map((lost) => phrase('lostOutputText', lost)))];
}

/** @param {CellRecord[]} records @returns {string[]} thresholds of a script that nothing was for, once each */
export function gatesUnseen(records) {
  return [...new Set(records.flatMap((r) => r.unseen ?? []).map((gate) => phrase('unseenText', gate)))];
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {{killed: boolean, told: string[], unknown: string[]}} systems whose declared durability was not tested
 */
function untestedOf(plan, records) {
  const killed = new Set(records.filter((r) => r.recovery).map((r) => r.system));
  const others = plan.systems.filter((s) => s.role === 'system' && !killed.has(s.id));
  const isKnown = (/** @type {Plan['systems'][number]} */ { id, engine }) =>
    engine !== 'external' ||
    records.some((r) => r.system === id && (r.parity?.durability ?? 'unknown') !== 'unknown');
  const [told, unknown] = [true, false].map((is) =>
    others.filter((s) => isKnown(s) === is).map(({ title }) => title),
  );
  return { killed: killed.size > 0, told, unknown };
}

/** What a line of a log holds that says what went wrong; the last line is often advice. */
const COMPLAINT = /error|fatal|panic|fail|cannot|can't|denied|refused|already|no such|invalid/i;
/** A heading such as "Fatal error!" says less than the line below it. */
const HEADING_WORDS = 3;

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
 * @param {Comparison[]} comparisons
 * @returns {Comparison[][]} what was not compared: one list for each reason
 */
function refusalsOf(comparisons) {
  const across = comparisons.filter((c) => c.metric === 'throughput' && !c.paired);
  const refused = across.filter(({ outcome }) => outcome === 'not comparable');
  return groupBy(refused, ({ why }) => gravestText(why));
}
