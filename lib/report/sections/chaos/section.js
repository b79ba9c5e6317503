import { figureText, mebibytes, wholeNumber } from '../../../format.js';
import { RESTORED } from '../../../record/faults.js';
import { left, right, table } from '../../table.js';

/**
 * @import { FaultFigures } from '../../../record/faults.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** What each fault is, in words. */
const WHAT = Object.freeze({
  kill: 'SIGKILL, then started again on the same data',
  pause: 'SIGSTOP for a while',
  memory: 'held to the memory that it uses at that moment',
  'disk-full': 'its disk takes not one byte more',
  'slow-network': 'a round trip of 20 ± 6 ms more, and 1 % of what is sent loses its connection',
  partition: 'nothing passes either way; connections stay, and what waited goes on',
});
const NETWORK = new Set(['slow-network', 'partition']);

/**
 * @param {Pick<Run, 'faults'>} run
 * @returns {Section | null} null where no system met a fault
 */
export function section({ faults }) {
  if (faults.length === 0) return null;
  const kinds = [...new Set(faults.flatMap((f) => f.kind ?? []))];
  return {
    title: 'Faults under load',
    intro: [
      `Each system meets each fault on fresh data, in the midst of a load at the same rate for all: a share of what the slowest one can do. The load goes on all the while; what could not be sent waits, and its time counts. ${kinds.map((k) => `**${k}**: ${WHAT[k]}`).join('. ')}.`,
      `First success: from the beginning of the fault until an operation that was sent after it was acknowledged, to 50 ms. p99 back: from the end of the fault (kill: from its beginning) until the first second with p99 within ${RESTORED.factor}× of before (or ${RESTORED.floorMs} ms more), the rate and no more than 1 % errors. Lost: acknowledged and not there at the end. Twice: there more often than sent. Counts are those of all repeats together; each repeat is a start of its own.${faults.some((f) => f.ended > 0) ? ' Ended in it: the system ended by itself, or the kernel ended it, and it was started again when the fault was over.' : ''}`,
    ],
    tables: [
      table(faults, [
        left('fault', (f) => faultText(f)),
        left('workload', (f) => f.workload),
        left('system', (f) => f.title),
        right('repeats', (f) => f.usable),
        of('op/s before', (f) => figureText(f.perSec)),
        of('p99 before, ms', (f) => figureText(f.beforeP99Ms)),
        of('p99 in it, ms', (f) => figureText(f.duringP99Ms)),
        of('first success, ms', (f) => withInterval(f.firstSuccessMs)),
        of('p99 back, ms', restoredText),
        of('acknowledged', (f) => wholeNumber(f.acked)),
        of('lost', (f) => wholeNumber(f.lost)),
        of('twice', (f) => wholeNumber(f.twice)),
        ...(faults.some((f) => f.ended > 0) ? [of('ended in it', (f) => `${f.ended} of ${f.usable}`)] : []),
        of('errors', errorsText),
        of('memory before → after, MiB', memoryText),
      ]),
    ],
    notes: proxyCosts(faults),
  };
}

/**
 * @param {string} head
 * @param {(f: FaultFigures) => string | number} text
 * @returns {import('../../table.js').Column<FaultFigures>} of the usable repeats; why there is none
 */
function of(head, text) {
  return right(head, (f) => (f.failure === null ? text(f) : `n/a: ${f.failure}`));
}

/** @param {FaultFigures} f */
function faultText({ kind, step }) {
  return step.fault?.forSec === undefined ? `${kind}` : `${kind}, ${step.fault.forSec} s`;
}

/** @param {FaultFigures['restoredMs']} figure */
function withInterval(figure) {
  if (!figure) return 'never';
  const { low, high, n } = figure;
  return n > 1 ? `${figureText(figure)} (${wholeNumber(low)}–${wholeNumber(high)})` : figureText(figure);
}

/** @param {FaultFigures} f */
function restoredText({ restoredMs, notRestored, usable, watchedMs }) {
  const late = `not within ${wholeNumber(watchedMs)}`;
  if (restoredMs === null) return late;
  const text = withInterval(restoredMs);
  return notRestored === 0 ? text : `${text}; ${notRestored} of ${usable} ${late}`;
}

/** @param {FaultFigures} f */
function errorsText({ errors }) {
  const kinds = Object.entries(errors).map(([kind, n]) => `${kind} ${wholeNumber(n)}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
}

/** @param {FaultFigures} f */
function memoryText({ rssBeforeBytes, rssAfterBytes }) {
  if (!rssBeforeBytes || !rssAfterBytes) return 'n/a';
  return `${mebibytes(rssBeforeBytes.median)} → ${mebibytes(rssAfterBytes.median)}`;
}

/**
 * What stands between load and server costs something before it does anything.
 * @param {FaultFigures[]} faults
 * @returns {string[]}
 */
function proxyCosts(faults) {
  const systems = [...new Set(faults.map((f) => `${f.workload}\n${f.system}`))];
  const said = systems.flatMap((key) => {
    const own = faults.filter((f) => `${f.workload}\n${f.system}` === key && f.failure === null);
    const through = own.find((f) => f.kind && NETWORK.has(f.kind));
    const direct = own.find((f) => f.kind && !NETWORK.has(f.kind));
    return through && direct
      ? [
          `${direct.title} (${direct.workload}) ${figureText(direct.beforeP50Ms)} ms without and ${figureText(through.beforeP50Ms)} ms with it`,
        ]
      : [];
  });
  if (said.length === 0) return [];
  return [
    `Faults of the network are made by Toxiproxy between load and server. What it costs with no fault on, p50 before the fault: ${said.join('; ')}.`,
  ];
}

/**
 * One sentence for each fault: when each system was itself again, and what it had lost.
 * @param {FaultFigures[]} faults
 * @returns {string[]}
 */
export function faultAnswers(faults) {
  const usable = faults.filter((f) => f.failure === null);
  const keys = [...new Set(usable.map((f) => `${f.workload}\n${f.step.id}`))];
  return keys.map((key) => {
    const own = usable.filter((f) => `${f.workload}\n${f.step.id}` === key);
    const said = own.map((f) => {
      const lost =
        f.lost === 0 ? 'lost nothing' : `**lost ${wholeNumber(f.lost)} of ${wholeNumber(f.acked)}**`;
      const twice = f.twice === 0 ? '' : `, **stored ${wholeNumber(f.twice)} twice**`;
      const ended = f.ended === 0 ? '' : `, ended ${f.ended} of ${f.usable} times`;
      return `${f.title} p99 back: ${restoredText(f)} ms, ${lost}${twice}${ended}`;
    });
    return `**${faultText(own[0])} (${own[0].workload}):** ${said.join('; ')}.`;
  });
}
