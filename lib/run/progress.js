import { placeText, stepText } from '../config/step-text.js';
import { cellsOf, pairedTrials, singleTrials } from '../config/trials.js';
import { duration, figureText, milliseconds, percent, perSecond, significant } from '../format.js';
import { whyText } from '../judge/why.js';
import { cellSeconds, startSeconds, trialSeconds } from '../plan/estimate.js';
import { operationText, rowsOf } from '../record/figures.js';

/**
 * @import { CellPlan, CellRecord, Comparison, PairedTrial, Plan, StartRecord } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

const COLORS = Object.freeze(/** @type {const} */ ({ VALID: 'green', DEGRADED: 'yellow', INVALID: 'red' }));

/**
 * A line for each load of one system, and for each start of several, redrawn while it runs where stderr is a terminal.
 * @typedef {object} Progress
 * @property {(cell: CellPlan, live: {ratePerSec: number | null, p95Ms: number | null} | null) => void} running
 * @property {(cell: CellPlan, record: CellRecord) => void} ended
 * @property {(done: {step: CellPlan['step'], workload: string}[]) => void} skip what an earlier invocation measured
 * @property {(trial: PairedTrial, start: number) => void} skipStart the same of one of its starts
 * @property {(trial: PairedTrial, start: number) => void} starting
 * @property {(trial: PairedTrial, record: StartRecord, comparisons: Comparison[]) => void} started
 * @property {(text: string) => void} say a line of its own
 */

/**
 * @param {Plan} plan
 * @param {Output} output
 * @param {() => number} [now] epoch ms
 * @returns {Progress}
 */
export function createProgress(plan, output, now = Date.now) {
  const cells = cellsOf(plan);
  const places = new Map(cells.map((c) => [c.id, placeText(plan, c)]));
  const width = Math.max(0, ...[...places.values()].map((text) => text.length));
  const names = Math.max(...plan.systems.map((s) => s.id.length), 6);
  const clock = clockOf(plan, now);
  let [done, beganMs] = [0, 0];
  const head = (/** @type {CellPlan} */ cell) =>
    `  ${cell.system.padEnd(names)}  ${String(places.get(cell.id)).padEnd(width)}  repeat ${cell.repeat}`;
  const headOf = (/** @type {PairedTrial} */ trial, /** @type {number} */ start) =>
    `  ${trial.workload.padEnd(10)} side by side  start ${String(start).padStart(2)}`;
  return {
    running(cell, live) {
      const figures = live?.ratePerSec
        ? `${perSecond(live.ratePerSec).padStart(11)}  p95 ${milliseconds(live.p95Ms)}`
        : 'starting';
      output.draw(`${head(cell)}  running  ${figures}  ${clock.left()}`);
    },
    ended(cell, record) {
      done++;
      clock.passed('single', cellSeconds(cell, plan));
      output.say(`${head(cell)}  ${outcome(record, output)}  [${done}/${cells.length}]`);
    },
    starting(trial, start) {
      beganMs = now();
      output.draw(`${headOf(trial, start)}  running  ${clock.left()}`);
    },
    started(trial, record, comparisons) {
      const took = duration((now() - beganMs) / 1000);
      clock.passed('paired', startSeconds(trial, record.start));
      output.say(`${headOf(trial, record.start)}  ${startOutcome(plan, record, comparisons, took, output)}`);
    },
    say: (text) => output.say(text),
    skip(own) {
      done += own.length;
      for (const cell of own) clock.passed('single', cellSeconds(cell, plan), false);
    },
    skipStart: (trial, start) => clock.passed('paired', startSeconds(trial, start), false),
  };
}

/**
 * How long a run goes on: as long as its trials are estimated, at the pace of those that are over.
 * @param {Plan} plan
 * @param {() => number} now epoch ms
 */
function clockOf(plan, now) {
  const secondsOf = (/** @type {Plan['trials']} */ trials) =>
    trials.reduce((sum, trial) => sum + trialSeconds(trial, plan), 0);
  const ahead = { paired: secondsOf(pairedTrials(plan)), single: secondsOf(singleTrials(plan)) };
  const firstMs = now();
  let doneSec = 0;
  return {
    /** @param {keyof typeof ahead} kind @param {number} seconds as estimated; of an earlier invocation: `isNew` false */
    passed: (kind, seconds, isNew = true) => {
      // Those of several systems come first, and may be fewer than they were likely to be.
      if (kind === 'single') ahead.paired = 0;
      ahead[kind] = Math.max(0, ahead[kind] - seconds);
      if (isNew) doneSec += seconds;
    },
    left: () => {
      const pace = doneSec > 0 ? (now() - firstMs) / 1000 / doneSec : 1;
      return `${duration((ahead.paired + ahead.single) * pace)} left`;
    },
  };
}

/**
 * @param {Plan} plan
 * @param {StartRecord} record
 * @param {Comparison[]} comparisons so far
 * @param {string} took
 * @param {Output} output
 * @returns {string} how many comparisons are decided so far
 */
function startOutcome(plan, record, comparisons, took, output) {
  if (record.status !== 'ok') return output.paint('red', `${record.status}: ${record.reason}`);
  const words = ['winner', 'tie', 'inconclusive'].flatMap((word) => {
    const n = comparisons.filter((c) => c.kind !== 'same' && c.outcome === word).length;
    return n > 0 ? [`${n} ${word}${n > 1 && word !== 'inconclusive' ? 's' : ''}`] : [];
  });
  const wrong = record.systems.filter((s) => s.oracle && !s.oracle.ok);
  const label =
    wrong.length > 0
      ? output.paint('red', `wrong state: ${wrong.map((s) => s.system).join(', ')}`)
      : output.paint('green', 'ok');
  return `${label}  ${words.join(' · ') || trends(plan, comparisons)}  (${took})`;
}

/**
 * @param {CellRecord} record
 * @param {Output} output
 * @returns {string}
 */
function outcome(record, output) {
  if (record.status !== 'ok') return output.paint('red', `${record.status}: ${record.reason}`);
  const reasons = [...new Set(record.verdict.reasons.map(whyText))];
  const { status } = record.verdict;
  const label = output.paint(COLORS[status], status.toLowerCase().padEnd(8));
  if (record.recovery) {
    const { acked, recovered, lost } = record.recovery;
    return `${label} acknowledged ${acked}  recovered ${recovered}  lost ${lost} (${percent(lost / Math.max(1, acked))})`;
  }
  const rows = rowsOf([record]).filter((r) => r.ratePerSec !== null);
  const figures = rows.map((r) => `${r.operation} ${figureText(r.ratePerSec, perSecond)}  `).join('');
  const p99s = rows.flatMap((r) => r.serviceMs.p99?.median ?? []);
  const p99 = p99s.length > 0 ? `p99 ≤ ${milliseconds(Math.max(...p99s))}  ` : '';
  return `${label} ${figures}${p99}${reasons.join(', ')}`.trimEnd();
}

/** Lines of a terminal hold no more of them. */
const FEW = 2;

/**
 * @param {Plan} plan
 * @param {Comparison[]} comparisons before the first look
 * @returns {string} what they have come to so far, the two nearest to the question
 */
function trends(plan, comparisons) {
  const known = comparisons.filter((c) => c.kind !== 'same' && c.medians.a && c.medians.b);
  const texts = known.slice(0, FEW).map(({ load, a, b, medians: rates }) => {
    const place = load ? `${operationText(load.operation)}, ${stepText(plan, load.step)}` : 'all loads';
    return `${place}: ${a} ${significant(rates.a)}, ${b} ${significant(rates.b)} operations per CPU-second`;
  });
  return ['too few starts to decide', ...texts].join('; ');
}
