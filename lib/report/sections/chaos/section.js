import { figureText, mebibytes, percent, significant, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { RESTORED } from '../../../record/faults.js';
import { faultText } from '../../matrix/faults.js';
import { left, right, table } from '../../table.js';
import { counted, listed } from '../../words.js';

/**
 * @import { FaultFigures } from '../../../record/faults.js'
 * @import { Run } from '../../run.js'
 * @import { Table } from '../../table.js'
 * @import { Section } from '../../view.js'
 */

/** What each fault is, in words. */
const WHAT = Object.freeze({
  kill: 'SIGKILL, then started again on the same data',
  pause: 'SIGSTOP for a while',
  memory: 'held to the memory that it uses at that moment',
  'disk-full':
    'its disk, a file system in user space (FUSE), takes not one byte more than it holds; no real disk is filled',
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
  const several = new Set(faults.map((f) => f.workload)).size > 1;
  return {
    title: 'Faults under load',
    intro: [
      `Each system meets each fault on fresh data, in the midst of a load at the same rate for all: a share of what the slowest one can do. The load goes on all the while; what could not be sent waits, and its time counts. ${kinds.map((k) => `**${k}**: ${WHAT[k]}`).join('. ')}.`,
      `First success: from the beginning of the fault until an operation that was sent after it was acknowledged, to 50 ms. p99 back: from the end of the fault (kill: from its beginning) until the first second with p99 within ${RESTORED.factor}× of before (or ${RESTORED.floorMs} ms more), the rate and no more than 1 % errors. Lost: acknowledged and not there at the end. Twice: there more often than sent. Counts are those of all repeats together; each repeat is a start of its own.${faults.some((f) => f.ended > 0) ? ' Ended in it: the system ended by itself, or the kernel ended it, and it was started again when the fault was over.' : ''}`,
    ],
    parts: [
      ...groupBy(faults, faultText).map((own) => ({ tables: [faultTable(own, several)] })),
      ...proxyCosts(faults, several),
    ],
  };
}

/**
 * @param {FaultFigures[]} faults of one kind
 * @param {boolean} several whether the run has other workloads
 * @returns {Table}
 */
function faultTable(faults, several) {
  return table(
    faults,
    [
      left('system', (f) => nameOf(f, several)),
      of('op/s before', (f) => figureText(f.perSec)),
      of('p99 before, ms', (f) => figureText(f.beforeP99Ms)),
      of('p99 in it, ms', (f) => figureText(f.duringP99Ms)),
      of('first success, ms', (f) => withInterval(f.firstSuccessMs)),
      of('p99 back, ms', restoredText),
      of('lost of acknowledged', (f) => `${wholeNumber(f.lost)} of ${wholeNumber(f.acked)}`),
      ...(faults.some((f) => f.twice > 0) ? [of('twice', (f) => wholeNumber(f.twice))] : []),
      ...(faults.some((f) => f.ended > 0) ? [of('ended in it', (f) => `${f.ended} of ${f.usable}`)] : []),
      of('errors', errorsText),
      of('memory before → after, MiB', memoryText),
    ],
    `**${faultText(faults[0])}**, ${counted(Math.max(...faults.map((f) => f.usable)), 'repeat')}`,
  );
}

/**
 * @param {string} head
 * @param {(f: FaultFigures) => string | number} text
 * @returns {import('../../table.js').Column<FaultFigures>} of the usable repeats; why there is none
 */
function of(head, text) {
  return right(head, (f) => (f.failure === null ? text(f) : `n/a: ${f.failure}`));
}

/** @param {FaultFigures['restoredMs']} figure */
function withInterval(figure) {
  if (!figure) return 'never';
  const { low, high, n } = figure;
  return n > 1 ? `${figureText(figure)} (${significant(low)}–${significant(high)})` : figureText(figure);
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
 * @param {boolean} several whether the run has other workloads
 * @returns {{tables: Table[]}[]} none where nothing stood there
 */
function proxyCosts(faults, several) {
  const costs = groupBy(
    faults.filter((f) => f.failure === null),
    (f) => `${f.workload}\n${f.system}`,
  ).flatMap((own) => {
    const through = own.find((f) => f.kind && NETWORK.has(f.kind));
    const direct = own.find((f) => f.kind && !NETWORK.has(f.kind));
    return through && direct ? [{ through, direct }] : [];
  });
  if (costs.length === 0) return [];
  const columns = [
    left('system', (/** @type {(typeof costs)[number]} */ { direct }) => nameOf(direct, several)),
    right('p50 without it, ms', ({ direct }) => figureText(direct.beforeP50Ms)),
    right('p50 with it, ms', ({ through }) => figureText(through.beforeP50Ms)),
  ];
  const what =
    '**Toxiproxy**, which stands between load and server for the faults of the network: before the fault, each at its own rate';
  return [{ tables: [table(costs, columns, what)] }];
}

/**
 * @param {FaultFigures} fault
 * @param {boolean} several whether the run has other workloads
 */
function nameOf({ title, workload }, several) {
  return several ? `${title}, ${workload}` : title;
}

/**
 * What the faults cost in sum; the matrix has the rest.
 * @param {FaultFigures[]} faults
 * @returns {string[]} Markdown: who lost what it had acknowledged, and who was away the longest
 */
export function faultAnswers(faults) {
  const usable = faults.filter((f) => f.failure === null);
  if (usable.length === 0) return [];
  return [...lossAnswers(usable), ...slowestAnswers(usable)];
}

/** Who loses less than this is not named in one breath with who loses more. */
const FEW = 0.01;

/** What was done to a system, as a sentence begins. @type {Readonly<Record<string, string>>} */
const AFTER = Object.freeze({
  kill: 'Killed',
  pause: 'Paused',
  memory: 'Short of memory',
  'disk-full': 'On a full disk',
  'slow-network': 'Behind a slow network',
  partition: 'Cut off',
});

/** @param {FaultFigures[]} usable */
function lossAnswers(usable) {
  const names = (/** @type {FaultFigures[]} */ own) => listed([...new Set(own.map((f) => `**${f.title}**`))]);
  const guilty = new Set(usable.filter((f) => f.lost > 0 || f.twice > 0).map((f) => f.title));
  const innocent = usable.filter((f) => !guilty.has(f.title));
  const acked = innocent.reduce((n, f) => n + f.acked, 0);
  const said = groupBy(
    usable.filter((f) => f.lost > 0).sort((x, y) => y.lost / y.acked - x.lost / x.acked),
    (f) => `${f.kind}\n${f.lost === f.acked}\n${f.lost / f.acked < FEW}`,
  ).map((own) => {
    const most = Math.max(...own.map((f) => f.lost / f.acked));
    const share = most === 1 ? 'all' : `${own.length > 1 ? 'up to ' : ''}${percent(most)}`;
    return `${AFTER[own[0].kind ?? 'kill']}, ${names(own)} lost ${share} of all that was acknowledged during the load`;
  });
  const twice = groupBy(
    usable.filter((f) => f.twice > 0),
    (f) => String(f.kind),
  ).map(
    (own) =>
      `${AFTER[own[0].kind ?? 'kill']}, ${names(own)} stored ${wholeNumber(own.reduce((n, f) => n + f.twice, 0))} twice`,
  );
  const rest =
    innocent.length > 0
      ? [`${names(innocent)} lost nothing in any fault (${wholeNumber(acked)} acknowledged writes)`]
      : [];
  return [...said, ...twice, ...rest].map((text) => `${text}.`);
}

/**
 * @param {FaultFigures[]} faults of one system
 * @returns {string} in how many of their repeats p99 was not back in time
 */
function timesText(faults) {
  const of = (/** @type {'notRestored' | 'usable'} */ key) => faults.reduce((n, f) => n + f[key], 0);
  return `${of('notRestored')} of ${of('usable')} times`;
}

/** @param {FaultFigures[]} usable */
function slowestAnswers(usable) {
  const late = usable.filter((f) => f.notRestored > 0);
  const back = usable.filter((f) => f.notRestored === 0 && f.restoredMs);
  const msOf = (/** @type {FaultFigures} */ f) => Number(f.restoredMs?.median);
  const slowest = back.reduce((a, b) => (a && msOf(a) >= msOf(b) ? a : b), back[0]);
  const never = groupBy(late, (f) => String(f.kind)).map(
    (own) =>
      `${own[0].kind} (${groupBy(own, (f) => f.title)
        .map((same) => `${same[0].title} ${timesText(same)}`)
        .join('; ')})`,
  );
  return [
    ...(never.length > 0 ? [`p99 was not back in time after ${never.join(', ')}.`] : []),
    ...(slowest
      ? [
          `The longest median time until p99 was back${never.length > 0 ? ', where it came back' : ''}: ${figureText(slowest.restoredMs)} ms (${slowest.title}, ${faultText(slowest)}).`,
        ]
      : []),
  ];
}
