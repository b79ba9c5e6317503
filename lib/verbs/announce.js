import { absentSubject, placeText } from '../config/step-text.js';
import { cellsOf, pairedTrials } from '../config/trials.js';
import { jsonText } from '../controls.js';
import { firstTables } from '../report/sections/first-screen/section.js';
import { gatesUnseen, outputsLost } from '../report/sections/gaps/section.js';
import { terminalTable } from '../report/table.js';
import { phrase } from '../report/template.js';
import { counted } from '../report/words.js';

/**
 * What the terminal says before a run, and at its end.
 * @import { CellRecord, Plan } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

/**
 * @param {Plan} plan
 * @param {Output} output
 */
export function announce(plan, output) {
  const cells = cellsOf(plan).length;
  const systems = plan.systems.filter((s) => s.role === 'system');
  output.say(`ladderbench · profile ${plan.profileId} · engine ${plan.engine}`);
  const amount = cells > 0 ? [counted(plan.repeats, 'repeat'), counted(cells, 'measurement')] : [];
  output.say(
    `Plan: ${[counted(systems.length, 'system'), counted(plan.workloads.length, 'workload'), ...amount, phrase('howLongText', { ...plan, mostSec: plan.estimatedMostSec })].join(' · ')}`,
  );
  output.say(`  systems: ${systems.map((s) => s.id).join(', ')}`);
  const most = plan.sideBySide?.untilDecided
    ? 'starts until every comparison is decided'
    : `at most ${counted(plan.sideBySide?.maxStarts ?? 0, 'start')}`;
  for (const { workload, transport, cells: loads } of pairedTrials(plan))
    output.say(`  side by side: ${workload} over ${transport}, ${counted(loads.length, 'load')}, ${most}`);
  if (plan.notSideBySide) output.say(`  not side by side: ${plan.notSideBySide}`);
  for (const a of plan.absent)
    output.say(`  ${a.system ? 'not here' : 'left out'}: ${absentSubject(plan, a)} (${a.reason})`);
}

/** @param {Plan} plan */
export function listOfCells(plan) {
  return cellsOf(plan)
    .map((c) => `${c.system}  ${placeText(plan, c)}  repeat ${c.repeat}\n`)
    .join('');
}

/**
 * @param {{path: string, view: any, plan: Plan, records: CellRecord[], exitCode: number, json: boolean}} end
 * @param {Output} output
 */
export function conclude({ path, view, plan, records, exitCode, json }, output) {
  const v = view.verdicts;
  output.say();
  for (const table of firstTables(view)) {
    for (const line of terminalTable(table)) output.say(`  ${line}`);
    output.say();
  }
  for (const answer of view.answers) output.say(answer.replaceAll('**', ''));
  const reasons = records.flatMap((r) => r.verdict.reasons);
  const crossed = reasons.flatMap((r) => (r.code === 'script_threshold' && r.measured ? [r.measured] : []));
  for (const text of new Set(crossed)) output.say(`Crossed: ${text}`);
  for (const text of [...gatesUnseen(records), ...outputsLost(records)]) output.say(text.replaceAll('`', ''));
  const starts = view.sideBySide.reduce((/** @type {number} */ n, /** @type {any} */ g) => n + g.starts, 0);
  const verdicts = ['valid', 'degraded', 'invalid', 'failed'].flatMap((word) =>
    v[word] > 0 ? [`${v[word]} ${word}`] : [],
  );
  const done = [
    ...(starts > 0 ? [`${counted(starts, 'start')} side by side`] : []),
    ...(v.total > 0 ? [`${counted(v.total, 'measurement')}: ${verdicts.join(' · ')}`] : []),
  ];
  output.say(`Report: ${path}   ${done.join('; ')}   exit ${exitCode}`);
  if (json) {
    const cells = records.map(({ cell, status, reason, verdict, operations }) => ({
      cell,
      status,
      reason,
      verdict,
      operations: Object.fromEntries(
        Object.entries(operations).map(([op, o]) => [
          op,
          { ratePerSec: o.ratePerSec, p99Ms: o.serviceMs?.p99 ?? null },
        ]),
      ),
    }));
    output.result(jsonText({ run: plan.runId, report: path, exitCode, answers: view.answers, cells }));
  } else {
    output.result(`${path}\n`);
  }
}
