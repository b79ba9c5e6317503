import { backgroundsOf } from '../figures/backgrounds.js';
import { comparisonsIn } from '../figures/comparisons.js';
import { lifecyclesOf } from '../figures/lifecycles.js';
import { faultsOf, killsOf } from '../figures/recoveries.js';
import { rowsOf, wholesOf } from '../figures/rows.js';
import { readRun } from '../figures/run.js';
import { soaksOf } from '../figures/soaks.js';
import { readConformance, readEnvironment } from '../record/run-folder.js';
import { matricesOf } from './matrix/index.js';
import { plainlySaid } from './said.js';
import { priceAnswers } from './sections/cost/prices.js';
import { answerOf, failedAnswers } from './sections/first-screen/verdict.js';
import { refusedAnswers, rivallessAnswers } from './sections/gaps/answer.js';
import { durabilityAnswers, faultAnswers } from './sections/losses/answer.js';
import { backgroundAnswers } from './sections/time/background.js';
import { soakAnswers } from './sections/time/soak.js';
import { namedToday } from './systems.js';
import { asksOfTime } from './words.js';

/**
 * @import { SideBySideSummary } from '../figures/side-by-side.js'
 * @import { CellRecord, Comparison, ConformanceOutcome, LifecycleRecord, Plan } from '../types.d.ts'
 * @import { BusySystem } from '../figures/backgrounds.js'
 * @import { Row } from '../figures/rows.js'
 * @import { Lifecycle } from '../figures/lifecycles.js'
 * @import { FaultFigures } from '../figures/recoveries.js'
 * @import { Kill } from '../figures/recoveries.js'
 * @import { Beside } from './beside.js'
 * @import { Soaked } from '../figures/soaks.js'
 */

/**
 * What every section of the report is made from: the files of a run, and what they say in sum.
 * @typedef {object} RunAlone
 * @property {Plan} plan
 * @property {any} environment
 * @property {CellRecord[]} records of all roles
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
 * @property {BusySystem[]} backgrounds what work in the background did to each system
 * @property {boolean} asksOfTime whether nothing was asked but if a system is the same after a while
 * @property {Comparison[]} comparisons
 * @property {import('./matrix/index.js').Matrix[]} matrices what a chooser asks, one for each set of systems
 * @property {string[]} answers Markdown, a sentence or two each: the first one is the headline
 * @property {ReturnType<typeof verdictCounts>} verdicts
 */

/** @typedef {RunAlone & Beside} Run */

/**
 * A run as its files in a folder have it.
 * @param {string} data
 * @param {Partial<Beside>} [beside]
 * @returns {Run}
 */
export function runIn(data, beside = {}) {
  const { plan, records, lifecycle, sideBySide } = readRun(data);
  const files = plainlySaid({
    ...{ plan: namedToday(plan), records, lifecycle, sideBySide },
    environment: readEnvironment(data),
    conformance: readConformance(data, plan),
  });
  return runOf({ ...files, ...beside });
}

/**
 * @param {Pick<Run, 'plan' | 'environment' | 'records'> & Partial<Pick<Run, 'conformance' | 'sideBySide'>> &
 *   {lifecycle?: LifecycleRecord[]} & Partial<Beside>} files of a run, and what stands beside them
 * @returns {Run}
 */
export function runOf({ conformance = [], sideBySide = [], knownLosses = [], note = null, ...files }) {
  const { plan, records } = files;
  const lifecycle = lifecyclesOf(files.lifecycle ?? []);
  const placeOf = (/** @type {CellRecord} */ r) => plan.systems.findIndex((s) => s.id === r.system);
  const trialOf = (/** @type {CellRecord} */ r) => r.paired ?? -1;
  /** @param {CellRecord['role'][]} roles */
  const inRole = (...roles) => records.filter((r) => roles.includes(r.role));
  // The order of the tables is that of the plan, not the one in which the repeats happened to run.
  const samples = inRole('system').sort((a, b) => trialOf(a) - trialOf(b) || placeOf(a) - placeOf(b));
  const measured = samples.filter((r) => r.paired === undefined);
  const [rows, wholes] = [rowsOf(samples, plan.workloads), wholesOf(samples)];
  const [kills, faults, soaks] = [killsOf(records), faultsOf(records), soaksOf(measured)];
  const beside = rowsOf(inRole('calibration', 'observer', 'syscalls'), plan.workloads);
  const comparisons = comparisonsIn({ rows, wholes, beside, sideBySide });
  const run = {
    ...{ ...files, lifecycle, conformance, sideBySide, knownLosses, note, measured, rows, wholes, beside },
    ...{ kills, faults, soaks, backgrounds: backgroundsOf(wholes) },
    ...{ asksOfTime: asksOfTime(plan.profile.steps), comparisons },
    // Figures of systems that were killed, or met a fault, are no rows.
    verdicts: verdictCounts([...measured, ...inRole('durability', 'chaos')]),
  };
  const matrices = run.asksOfTime ? [] : matricesOf(run);
  return { ...run, matrices, answers: answersOf({ ...run, matrices }) };
}

/** @param {Omit<Run, 'answers'>} run @returns {string[]} the most important one first */
function answersOf({ plan, rows, sideBySide, kills, faults, comparisons, matrices, ...run }) {
  const answers = [
    ...refusedAnswers(plan, sideBySide, comparisons),
    ...durabilityAnswers(kills),
    ...faultAnswers(faults),
    ...(run.asksOfTime ? soakAnswers(run.soaks) : []),
  ];
  // What a background load or a kill did is the answer of a run of one system, what faults cost that of any.
  const several = faults.length === 0 && matrices.some(({ systems }) => systems.length > 1);
  const costs = backgroundAnswers(plan, run.backgrounds);
  const said = [
    ...failedAnswers(plan, rows),
    ...costs,
    ...(answers.length + costs.length > 0 && !several ? [] : answerOf(plan, matrices)),
    ...rivallessAnswers(plan, sideBySide, run.records),
    ...priceAnswers(plan, comparisons),
    ...answers,
  ];
  return said.length > 0 ? said : ['**Nothing was measured that could be compared.**'];
}

/** @param {CellRecord[]} measured */
function verdictCounts(measured) {
  const ended = measured.filter((r) => r.status === 'ok');
  const count = (/** @type {string} */ status) => ended.filter((r) => r.verdict.status === status).length;
  return {
    ...{ valid: count('VALID'), degraded: count('DEGRADED'), invalid: count('INVALID') },
    ...{ failed: measured.length - ended.length, total: measured.length },
    seconds: measured.reduce((s, r) => s + (r.durationMs ?? 0), 0) / 1000,
  };
}
