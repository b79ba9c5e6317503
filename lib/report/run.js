import { duration } from '../format.js';
import { comparisonsIn } from '../record/comparisons.js';
import { rowsOf, wholesOf } from '../record/figures.js';
import { lifecyclesOf } from '../record/lifecycle-figures.js';
import { faultsOf, killsOf } from '../record/recoveries.js';
import { soaksOf } from '../record/soaks.js';
import { matricesOf } from './matrix/index.js';
import { priceAnswers } from './sections/cost/prices.js';
import { failedAnswers, peerAnswers } from './sections/first-screen/others.js';
import { answerOf } from './sections/first-screen/verdict.js';
import { refusedAnswers, rivallessAnswers } from './sections/gaps/answer.js';
import { durabilityAnswers, faultAnswers } from './sections/losses/answer.js';
import { backgroundAnswers } from './sections/time/background.js';
import { soakAnswers } from './sections/time/soak.js';
import { asksOfTime } from './words.js';

/**
 * @import { SideBySideSummary } from '../record/side-by-side.js'
 * @import { CellRecord, Comparison, ConformanceOutcome, LifecycleRecord, Plan, Sample } from '../types.d.ts'
 * @import { Row } from '../record/figures.js'
 * @import { Lifecycle } from '../record/lifecycle-figures.js'
 * @import { FaultFigures } from '../record/recoveries.js'
 * @import { Kill } from '../record/recoveries.js'
 * @import { Soaked } from '../record/soaks.js'
 */

/** Roles of systems whose figures are no rows: they were killed, or met a fault. */
const APART = new Set(['durability', 'chaos']);

/**
 * What every section of the report is made from: the files of a run, and what they say in sum.
 * @typedef {object} Run
 * @property {Plan} plan
 * @property {any} environment
 * @property {Sample[]} records of all roles
 * @property {Lifecycle[]} lifecycle
 * @property {ConformanceOutcome[]} conformance
 * @property {SideBySideSummary[]} sideBySide
 * @property {CellRecord[]} measured records of the systems in trials of their own, in the order of the plan
 * @property {Row[]} rows of single operations, whoever else was up
 * @property {Row[]} wholes of all operations of a step together
 * @property {Row[]} beside of what was measured beside the systems: null responders, the observer, counted syncs
 * @property {Kill[]} kills
 * @property {FaultFigures[]} faults
 * @property {Soaked[]} soaks
 * @property {import('./known-losses.js').KnownLoss[]} knownLosses of runs beside this one, newest first
 * @property {boolean} asksOfTime whether nothing was asked but if a system is the same after a while
 * @property {Comparison[]} comparisons
 * @property {import('./matrix/index.js').Matrix[]} matrices what a chooser asks, one for each set of systems
 * @property {string[]} answers Markdown, a sentence or two each: the first one is the headline
 * @property {ReturnType<typeof verdictCounts>} verdicts
 */

/**
 * What a run found, without the tables and charts that show it: all that the index of the runs needs.
 * @param {{plan: Plan, records: Sample[], sideBySide?: SideBySideSummary[], lifecycle?: Lifecycle[]}} run
 */
export function findingsOf({ plan, records, sideBySide = [], lifecycle = [] }) {
  const place = new Map(plan.systems.map((s, i) => [s.id, i]));
  const placeOf = (/** @type {CellRecord} */ r) => place.get(r.system) ?? -1;
  const trialOf = (/** @type {Sample} */ r) => r.paired ?? -1;
  // The order of the tables is that of the plan, not the one in which the repeats happened to run.
  const samples = records
    .filter((r) => r.role === 'system')
    .sort((a, b) => trialOf(a) - trialOf(b) || placeOf(a) - placeOf(b));
  const measured = samples.filter((r) => r.paired === undefined);
  const rows = rowsOf(samples);
  const wholes = wholesOf(samples);
  const kills = killsOf(records);
  const faults = faultsOf(records);
  const soaks = soaksOf(measured);
  const ofTime = asksOfTime(plan.profile.steps);
  const beside = rowsOf(records.filter(({ role }) => role !== 'system' && !APART.has(role)));
  const comparisons = comparisonsIn({ rows, wholes, beside, sideBySide });
  const answers = [
    ...refusedAnswers(plan, sideBySide, comparisons),
    ...backgroundAnswers(plan, wholes),
    ...durabilityAnswers(kills),
    ...faultAnswers(faults),
    ...(ofTime ? soakAnswers(soaks) : []),
  ];
  const matrices = ofTime
    ? []
    : matricesOf({ plan, rows, wholes, faults, lifecycle, sideBySide, beside, comparisons });
  // What a background load or a kill did is the answer of a run of one system, what faults cost that of any.
  const several = faults.length === 0 && matrices.some(({ systems }) => systems.length > 1);
  const said = [
    ...failedAnswers(plan, rows),
    ...(answers.length > 0 && !several ? [] : answerOf(plan, matrices)),
    ...rivallessAnswers(plan, sideBySide, records),
    ...priceAnswers(plan, comparisons),
    ...answers,
    ...peerAnswers(plan),
  ];
  return {
    measured,
    rows,
    wholes,
    beside,
    comparisons,
    kills,
    faults,
    soaks,
    asksOfTime: ofTime,
    matrices,
    answers: said.length > 0 ? said : ['**Nothing was measured that could be compared.**'],
    verdicts: verdictCounts([...measured, ...records.filter((r) => APART.has(r.role))]),
  };
}

/**
 * @param {Pick<Run, 'plan' | 'environment' | 'records'> & Partial<Pick<Run, 'conformance' | 'sideBySide'>> &
 *   {lifecycle?: LifecycleRecord[], knownLosses?: Run['knownLosses']}} files of a run, and what is known of runs beside it
 * @returns {Run}
 */
export function runOf({ lifecycle = [], conformance = [], sideBySide = [], knownLosses = [], ...files }) {
  const lives = lifecyclesOf(lifecycle);
  return {
    ...files,
    lifecycle: lives,
    conformance,
    sideBySide,
    knownLosses,
    ...findingsOf({ ...files, sideBySide, lifecycle: lives }),
  };
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
