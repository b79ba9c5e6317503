import { duration, significant } from '../format.js';

/**
 * @import { Comparison, SideBySideGroup, StartRecord } from '../types.d.ts'
 * @import { Output } from '../output.js'
 */

/**
 * @typedef {object} StartProgress
 * @property {(group: SideBySideGroup, start: number, what: string) => void} drawStart
 * @property {(group: SideBySideGroup, record: StartRecord, comparisons: Comparison[]) => void} startEnded
 */

/**
 * A line for each start: how many comparisons are decided so far.
 * @param {Output} output
 * @param {() => number} [now] epoch ms
 * @returns {StartProgress}
 */
export function createStartProgress(output, now = Date.now) {
  let began = now();
  const head = (/** @type {SideBySideGroup} */ group, /** @type {number} */ start) =>
    `  ${group.workload.padEnd(10)} side by side  start ${String(start).padStart(2)}`;
  return {
    drawStart(group, start, what) {
      began = now();
      output.draw(`${head(group, start)}  ${what}`);
    },
    startEnded(group, record, comparisons) {
      const took = duration((now() - began) / 1000);
      if (record.status !== 'ok') {
        output.say(
          `${head(group, record.start)}  ${output.paint('red', `${record.status}: ${record.reason}`)}`,
        );
        return;
      }
      const count = (/** @type {string} */ word) =>
        comparisons.filter((c) => c.kind !== 'same' && c.outcome === word).length;
      const words = ['winner', 'tie', 'inconclusive']
        .map((word) => [word, count(word)])
        .filter(([, n]) => Number(n) > 0)
        .map(([word, n]) => `${n} ${word}`);
      const wrong = record.systems.filter((s) => s.oracle && !s.oracle.ok);
      const label =
        wrong.length > 0
          ? output.paint('red', `wrong state: ${wrong.map((s) => s.system).join(', ')}`)
          : output.paint('green', 'ok');
      output.say(
        `${head(group, record.start)}  ${label}  ${words.join(', ') || trends(comparisons)}  (${took})`,
      );
    },
  };
}

/** Lines of a terminal hold no more of them. */
const FEW = 2;

/**
 * @param {Comparison[]} comparisons before the first look
 * @returns {string} what they have come to so far, the two nearest to the question
 */
function trends(comparisons) {
  const known = comparisons.filter((c) => c.kind !== 'same' && c.medians.a && c.medians.b);
  const texts = known
    .slice(0, FEW)
    .map(
      ({ cell, a, b, medians: rates }) =>
        `${cell}: ${a} ${significant(rates.a)}, ${b} ${significant(rates.b)} per CPU-second`,
    );
  return ['too few starts to decide', ...texts].join('; ');
}
