import { duration, MISSING, percent, significant } from '../format.js';
import { chartsOf } from './charts/ladder.js';
import { comparisonsOf } from './comparisons.js';
import { groupBy } from './group-by.js';
import { isQuotable, rowsOf } from './rows.js';
import { absentAnswers, aloneAnswer, answersOf } from './sections/answers/section.js';
import { conditionsOf, conformanceRow, imageLines, systemRow } from './sections/conditions/section.js';
import { ceilingRows, costRow, observerView, oracleView, resourceRow } from './sections/cost/section.js';
import { countedSections } from './sections/counted/section.js';
import { deploymentViews } from './sections/deployment/section.js';
import { durabilityAnswers, durabilityView } from './sections/durability/section.js';
import { limitsOf } from './sections/limits/section.js';
import { methodOf, notShown } from './sections/method/section.js';
import { pagesOf } from './sections/pages/section.js';
import { soakView } from './sections/soak/section.js';
import { backgroundAnswers } from './sections/suite/background.js';
import { suiteViews } from './sections/suite/section.js';
import { targetsOf } from './sections/targets/section.js';
import { mixAnswers } from './sections/workload/mix.js';
import { workloadView } from './sections/workload/section.js';
import { isRung, stepText } from './steps.js';
import { rateText, verdictText } from './words.js';

/**
 * @import { CellRecord, ConformanceOutcome, LifecycleRecord, Plan } from '../types.d.ts'
 * @import { Row } from './rows.js'
 */

/**
 * What a run found, without the tables and charts that show it: all that the index of the runs needs.
 * @param {{plan: Plan, records: CellRecord[]}} run
 */
export function findingsOf({ plan, records }) {
  const place = (/** @type {CellRecord} */ r) => plan.systems.findIndex((s) => s.id === r.system);
  // The order of the tables is that of the plan, not the one in which the repeats happened to run.
  const measured = records.filter((r) => r.role === 'system').sort((a, b) => place(a) - place(b));
  const rows = rowsOf(measured);
  const comparisons = comparisonsOf(rows, plan.profile.seed);
  const kills = durabilityAnswers(plan, records);
  const compared =
    rows.length > 0 || kills.length === 0 ? answersOf(plan, rows, comparisons) : absentAnswers(plan);
  const own = [...mixAnswers(plan, rows), ...backgroundAnswers(plan, measured), ...kills];
  const nobody = compared.length === 0 && (rows.length > 0 || own.length === 0) ? [aloneAnswer(rows)] : [];
  const answers = [...compared, ...own, ...nobody];
  return {
    measured,
    rows,
    comparisons,
    answers,
    verdicts: verdictCounts([...measured, ...records.filter((r) => r.role === 'durability')]),
  };
}

/**
 * Everything that a report says, as text: the templates only loop and place. Pure.
 * @param {{plan: Plan, environment: any, records: CellRecord[], lifecycle?: LifecycleRecord[],
 *   conformance?: ConformanceOutcome[]}} run
 * @returns {any} the view model; see templates/report.hbs
 */
export function viewOf({ plan, environment, records, lifecycle = [], conformance = [] }) {
  const { measured, rows, comparisons, answers, verdicts } = findingsOf({ plan, records });
  const charts = chartsOf(plan, rows);
  const suites = suiteViews({ plan, rows, measured, lifecycle });
  const planned = plan.blocks.filter((b) => b.role === 'system').reduce((n, b) => n + b.cells.length, 0);
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  return {
    title: titleOf(plan, environment),
    profileTitle: profileTitle(plan),
    answers,
    partial: finished < planned ? { done: finished, planned, runId: plan.runId } : null,
    summary: summaryRows(plan, rows),
    charts: [...charts, ...suites.flatMap((s) => s.charts)],
    suites,
    limits: limitsOf(plan, measured, records),
    pages: pagesOf(plan, rows, comparisons),
    targets: targetsOf(plan, comparisons),
    workloads: groupBy(
      rows.filter((r) => r.operation !== ''),
      (r) => `${r.workload}\n${r.transport}`,
    ).map((own) => workloadView(plan, own, comparisons, charts)),
    counted: countedSections(plan, rows, comparisons, measured),
    deployment: deploymentViews({ plan, rows, comparisons, records, lifecycle }),
    soak: soakView(plan, measured),
    durability: durabilityView(plan, records),
    notes: plan.systems
      .filter((s) => (s.notes ?? []).length > 0)
      .map((s) => ({ title: s.title, lines: s.notes })),
    cost: rows.filter((r) => r.step.model === 'closed' && r.usable > 0).map((r) => costRow(plan, r)),
    resources: groupBy(
      measured.filter((r) => r.status === 'ok'),
      (r) => [r.workload, r.transport, r.system, r.step.id].join('\n'),
    ).map((cells) => resourceRow(plan, cells)),
    ceilings: ceilingRows(plan, records),
    observer: observerView(plan, records),
    oracle: oracleView(plan, measured),
    conditions: conditionsOf(plan, environment, measured),
    images: imageLines(plan),
    systems: plan.systems.map((s) => systemRow(s, records)),
    conformance: conformance.map((outcome) => conformanceRow(plan, outcome)),
    method: methodOf(plan),
    notShown: notShown(plan, records, rows),
    verdicts,
  };
}

/**
 * @param {Plan} plan
 * @returns {string} what the profile says of itself, and where the user asked for another count
 */
function profileTitle({ profile, options }) {
  return options.operations
    ? `${profile.title}. Here ${significant(options.operations)} of each kind (\`--operations\`)`
    : profile.title;
}

/**
 * @param {Plan} plan
 * @param {any} environment
 */
function titleOf(plan, environment) {
  const day = plan.runId.slice(0, 10);
  return `${plan.profileId} · ${day} · ${plan.engine}, ${plan.hostCores} cores, ${environment.host.os}`;
}

/**
 * The best rung of each system on each operation that may be quoted, else the best that may not.
 * @param {Plan} plan
 * @param {Row[]} rows
 */
function summaryRows(plan, rows) {
  const closed = rows
    .filter((r) => isRung(r.step) || r.operation === '')
    .filter((r) => !r.cells.some((c) => c.operations[r.operation]?.received));
  const several = (/** @type {string} */ workload) =>
    new Set(closed.filter((r) => r.workload === workload).map((r) => r.transport)).size > 1;
  const keyOf = (/** @type {Row} */ r) => [r.workload, r.transport, r.operation, r.system].join('\n');
  return groupBy(closed, keyOf).map((own) => {
    const rate = (/** @type {Row} */ r) => r.ratePerSec?.estimate ?? 0;
    // A lower bound, too: what a system does at least is more than what it does on a lower rung.
    const quotable = own.filter(isQuotable);
    const best = [...(quotable.length > 0 ? quotable : own)].sort((a, b) => rate(b) - rate(a))[0];
    return {
      workload: several(best.workload) ? `${best.workload} over ${best.transport}` : best.workload,
      operation: best.operation || MISSING,
      system: best.title,
      rung: stepText(plan, best.step.id),
      rate: rateText(best),
      p99: best.serviceMs ? significant(best.serviceMs.p99) : MISSING,
      errors: best.ratePerSec ? percent(best.errors / Math.max(1, best.errors + best.count)) : MISSING,
      cpu: significant(best.systemCpuUsPerOp),
      durability: plan.systems.find((s) => s.id === best.system)?.durability.policy ?? MISSING,
      verdict: verdictText(best),
    };
  });
}

/** @param {CellRecord[]} measured */
function verdictCounts(measured) {
  const count = (/** @type {(r: CellRecord) => boolean} */ test) => measured.filter(test).length;
  return {
    valid: count((r) => r.status === 'ok' && r.verdict.status === 'VALID'),
    degraded: count((r) => r.status === 'ok' && r.verdict.status === 'DEGRADED'),
    invalid: count((r) => r.status === 'ok' && r.verdict.status === 'INVALID'),
    failed: count((r) => r.status !== 'ok'),
    total: measured.length,
    duration: duration(measured.reduce((s, r) => s + (r.durationMs ?? 0), 0) / 1000),
  };
}
