import { placeText, stepText } from '../config/step-text.js';
import { cellsOf, pairedTrials } from '../config/trials.js';
import { operationText, rowsOf } from '../figures/rows.js';
import { duration, figureText, milliseconds, percent, perSecond } from '../format.js';
import { whyText } from '../judge/why.js';
import { cellKey, cellSeconds, loadKey, startSeconds, trialSeconds } from '../plan/estimate.js';

/**
 * @import { CellPlan, CellRecord, Comparison, PairedTrial, Plan, StartRecord } from '../types.d.ts'
 * @import { Output } from '../output.js'
 * @import { Live } from '../generator/load.js'
 * @import { Agenda } from './conduct.js'
 * @import { Loaded } from './slices.js'
 */

const COLORS = Object.freeze(/** @type {const} */ ({ VALID: 'green', DEGRADED: 'yellow', INVALID: 'red' }));

/** What a start does. `sec`: how long its load went on in slices before this one, which began at `atMs` */
const BEFORE_LOADS = {
  ...{ head: '', text: 'bringing up and warming', load: '', n: 0, of: 0 },
  ...{ sec: 0, atMs: 0, dueMs: Number.POSITIVE_INFINITY },
};
/** How long nothing may come back until the line says so, seconds. */
const QUIET_SEC = 10;

/**
 * A line for each load of one system, and for each start of several. While they run another one says how it goes: redrawn
 * where stderr is a terminal, else now and then.
 * @typedef {object} Progress
 * @property {(cell: CellPlan, live: Live | null) => void} running
 * @property {(cell: CellPlan, record: CellRecord) => void} ended
 * @property {(cell: CellPlan, record: CellRecord, longer: CellPlan) => void} again its windows did not fit it: it runs once more
 * @property {(id: string) => void} skip a load that an earlier invocation measured
 * @property {(trial: PairedTrial, start: number) => void} skipStart the same of one of its starts
 * @property {(trial: PairedTrial, start: number, agenda: Agenda) => void} starting
 * @property {(trial: PairedTrial, ...slice: Parameters<NonNullable<Loaded['onLoad']>>) => void} loading
 * @property {(trial: PairedTrial, record: StartRecord, comparisons: Comparison[]) => void} started
 * @property {(text: string) => void} say a line of its own
 * @property {(text: string) => void} draw what goes on beside the loads
 */

/**
 * @param {Plan} plan
 * @param {Output} output
 * @param {import('../plan/estimate.js').Seen} [seen] how long loads took before; those of this run are added
 * @param {() => number} [now] epoch ms
 * @returns {Progress}
 */
export function createProgress(plan, output, seen = new Map(), now = Date.now) {
  const cells = cellsOf(plan);
  const places = new Map(cells.map((c) => [c.id, placeText(plan, c)]));
  const width = Math.max(0, ...[...places.values()].map((text) => text.length));
  const names = Math.max(...plan.systems.map((s) => s.id.length), 6);
  const since = (/** @type {number} */ ms) => (now() - ms) / 1000;
  let heard = { cell: '', ended: 0, atMs: 0 };
  let under = { ...BEFORE_LOADS };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const head = (/** @type {CellPlan} */ cell) =>
    `  ${cell.system.padEnd(names)}  ${String(places.get(cell.id)).padEnd(width)}  repeat ${cell.repeat}`;
  const headOf = (/** @type {PairedTrial} */ trial, /** @type {number} */ start) =>
    `  ${trial.workload.padEnd(10)} side by side  start ${String(start).padStart(2)}`;
  /** @type {Map<string, number>} */
  const over = new Map();
  /**
   * What goes on, and since when. `ahead`: until one more load is over, since it is told every second while loads run
   * @type {{seconds: () => number, atMs: number, ahead: {allSec: number, ownSec: number} | null}}
   */
  let on = { seconds: () => 0, atMs: 0, ahead: null };
  const begin = (seconds = () => 0) => {
    on = { seconds, atMs: now(), ahead: null };
  };
  const left = () => {
    on.ahead ??= { allSec: secondsAhead(plan, seen, over), ownSec: on.seconds() };
    // What runs may not be among what is counted: starts of which the estimate has no more, or before what was resumed.
    const ownSec = Math.min(on.ahead.ownSec, since(on.atMs));
    return `${duration(Math.max(0, on.ahead.allSec - ownSec))} left`;
  };
  const tell = () => {
    const lateSec = since(under.dueMs);
    const waits = lateSec < QUIET_SEC ? '' : `, waiting for answers for ${duration(lateSec)}`;
    output.draw(`${under.head}  ${left()}  ${under.text}${waits}`);
  };
  return {
    running(cell, live) {
      const isNew = heard.cell !== cell.id;
      if (isNew) begin(() => cellSeconds(cell, plan, { seen }));
      const ended = live?.ended ?? 0;
      if (isNew || ended !== heard.ended) heard = { cell: cell.id, ended, atMs: now() };
      // What a script does is not counted by us.
      const text = live && !plan.options.script ? liveText(live, since(heard.atMs)) : 'running';
      output.draw(`${head(cell)}  ${left()}  ${text}`);
    },
    ended(cell, record) {
      if (heard.cell === cell.id) seen.set(cellKey(cell), since(on.atMs));
      over.set(cell.id, 1);
      begin();
      const ended = cells.filter(({ id }) => over.has(id)).length;
      output.say(`${head(cell)}  ${outcome(record, output)}  [${ended}/${cells.length}]`);
    },
    again(cell, record, longer) {
      heard.cell = '';
      seen.set(cellKey(cell), cellSeconds(longer, plan));
      const forSec = duration(Number(longer.step.durationSec));
      output.say(`${head(cell)}  ${outcome(record, output)}: again, for ${forSec}`);
    },
    starting(trial, start, { pairs, alone }) {
      const of = pairs.length + alone.length;
      under = { ...BEFORE_LOADS, head: headOf(trial, start), of };
      begin(() => startSeconds(trial, start, plan, { seen }));
      timer = setInterval(tell, 1000).unref();
      tell();
    },
    loading(trial, cell, systems, seconds) {
      const load = loadKey(trial, cell.id, systems);
      if (seconds === Number.POSITIVE_INFINITY) {
        under.sec = since(under.atMs) + (systems.length > 1 ? under.sec : 0);
        seen.set(load, under.sec);
        on.ahead = null;
      } else if (load !== under.load) {
        const what = `${operationText(cell.operation)}, ${stepText(plan, cell.stepId)}: ${systems.join(' and ')}`;
        const n = under.n + 1;
        under = { ...under, load, n, sec: 0, text: `load ${n} of ${under.of}: ${what}` };
      }
      under = { ...under, atMs: now(), dueMs: now() + seconds * 1000 };
      tell();
    },
    started(trial, record, comparisons) {
      clearInterval(timer);
      over.set(loadKey(trial, '', []), record.start);
      const took = duration(since(on.atMs));
      begin();
      output.say(`${headOf(trial, record.start)}  ${startOutcome(record, comparisons, took, output)}`);
    },
    say: (text) => output.say(text),
    draw: (text) => output.draw(`${text}  ${left()}`),
    skip: (id) => over.set(id, 1),
    skipStart: (trial, start) => over.set(loadKey(trial, '', []), start),
  };
}

/**
 * @param {Live} live
 * @param {number} quietSec since an operation ended
 * @returns {string}
 */
function liveText(live, quietSec) {
  if (quietSec >= QUIET_SEC) return `no operation has ended for ${duration(quietSec)}`;
  if (!live.ratePerSec) return 'starting';
  return `${perSecond(live.ratePerSec).padStart(11)}  p95 ${milliseconds(live.p95Ms)}`;
}

/**
 * @param {Plan} plan
 * @param {import('../plan/estimate.js').Seen} seen
 * @param {Map<string, number>} over what is not ahead any more: by its id a load of one system, how many starts of a trial
 * @returns {number} seconds, as loads took before or are estimated
 */
function secondsAhead(plan, seen, over) {
  const cells = cellsOf(plan);
  const own = cells.filter(({ id }) => !over.has(id));
  const ofOne = own.reduce((sum, cell) => sum + cellSeconds(cell, plan, { seen }), 0);
  // Those of several systems come first, and may be fewer than they were likely to be.
  const trials = own.length < cells.length ? [] : pairedTrials(plan);
  const secondsOf = (/** @type {PairedTrial} */ trial) =>
    trialSeconds(trial, plan, { seen, after: over.get(loadKey(trial, '', [])) });
  return trials.reduce((sum, trial) => sum + secondsOf(trial), ofOne);
}

/**
 * @param {StartRecord} record
 * @param {Comparison[]} comparisons so far
 * @param {string} took
 * @param {Output} output
 * @returns {string} how many comparisons are decided so far
 */
function startOutcome(record, comparisons, took, output) {
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
  return `${label}  ${words.join(' · ') || 'too few starts to decide'}  (${took})`;
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
