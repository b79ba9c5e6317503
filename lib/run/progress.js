import { duration, figureText, milliseconds, percent, perSecond } from '../format.js';
import { rowsOf } from '../record/figures.js';
import { createStartProgress } from './start-progress.js';

/**
 * @import { CellPlan, CellRecord, Plan } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

/**
 * One line for each cell, redrawn while it runs where stderr is a terminal.
 * @param {Plan} plan
 * @param {Output} output
 * @param {() => number} [now] epoch ms
 */
export function createProgress(plan, output, now = Date.now) {
  const started = now();
  const total = plan.blocks.reduce((sum, b) => sum + b.cells.length, 0);
  const width = Math.max(...plan.blocks.flatMap((b) => b.cells.map((c) => c.step.id.length)), 4);
  const names = Math.max(...plan.systems.map((s) => s.id.length), 6);
  let done = 0;

  const head = (/** @type {CellPlan} */ cell) =>
    `  ${cell.workload.padEnd(10)} ${cell.system.padEnd(names)}  ${cell.step.id.padEnd(width)} r${cell.repeat}`;
  const left = () => {
    const share = done / total;
    const elapsed = (now() - started) / 1000;
    const seconds = done === 0 ? plan.estimatedSec : elapsed / share - elapsed;
    return `${duration(Math.max(0, seconds))} left`;
  };

  return {
    ...createStartProgress(output, now),
    /** @param {CellPlan} cell @param {{ratePerSec: number | null, p95Ms: number | null} | null} live */
    running(cell, live) {
      const figures = live?.ratePerSec
        ? `${perSecond(live.ratePerSec).padStart(11)}  p95 ${milliseconds(live.p95Ms)}`
        : 'starting';
      output.draw(`${head(cell)}  running  ${figures}  ${left()}`);
    },
    /** @param {CellPlan} cell @param {CellRecord} record */
    ended(cell, record) {
      done++;
      output.say(`${head(cell)}  ${outcome(record, output)}  [${done}/${total}]`);
    },
    /** @param {string} text a line of its own */
    say(text) {
      output.say(text);
    },
    /** @param {number} n cells that an earlier invocation measured */
    skip(n) {
      done += n;
    },
  };
}

/**
 * @param {CellRecord} record
 * @param {Output} output
 * @returns {string}
 */
function outcome(record, output) {
  if (record.status !== 'ok') return output.paint('red', `${record.status}: ${record.reason}`);
  const codes = [...new Set(record.verdict.reasons.map((r) => r.code))];
  const label =
    record.verdict.status === 'VALID'
      ? output.paint('green', 'ok     ')
      : output.paint(
          record.verdict.status === 'INVALID' ? 'red' : 'yellow',
          record.verdict.status.toLowerCase(),
        );
  if (record.recovery) {
    const { acked, recovered, lost } = record.recovery;
    return `${label} acknowledged ${acked}  recovered ${recovered}  lost ${lost} (${percent(lost / Math.max(1, acked))})`;
  }
  const rows = rowsOf([record]).filter((r) => r.ratePerSec !== null);
  const figures = rows.map((r) => `${r.operation} ${figureText(r.ratePerSec, perSecond)}  `).join('');
  const p99s = rows.flatMap((r) => r.serviceMs.p99?.median ?? []);
  const p99 = p99s.length > 0 ? `p99 ≤ ${milliseconds(Math.max(...p99s))}  ` : '';
  return `${label} ${figures}${p99}${codes.join(', ')}`.trimEnd();
}
