import {
  figureText,
  MISSING,
  mebibytes,
  percent,
  ratioWithInterval,
  significant,
  wholeNumber,
} from '../../../format.js';
import { combine, poolOf, scaled, sumOf } from '../../../record/figure.js';
import { groupBy } from '../../group-by.js';
import { carriesItems } from '../../matrix/families.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorsText, findingText, pairText, rateText, verdictText } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Figure } from '../../../record/figure.js'
 * @import { Footprint, Row } from '../../../record/figures.js'
 * @import { CellRecord, Latency, Plan, ResourceUse } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Table } from '../../table.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a run by count shows beyond the tables of every workload: each operation with all its figures, what concurrency
 * does, how long it took in all, how large the data is, what the server used, and one line for each system.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'comparisons' | 'measured'>} run
 * @returns {Section[]} one for each workload that has steps by count
 */
export function section(run) {
  return sectionsFor(run, false);
}

/**
 * The same of workloads that have tables of deployment on the page.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'comparisons' | 'measured'>} run
 * @returns {Section[]}
 */
export function detailsSection(run) {
  return sectionsFor(run, true);
}

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'comparisons' | 'measured'>} run
 * @param {boolean} deployed
 * @returns {Section[]}
 */
function sectionsFor({ plan, rows, wholes, comparisons, measured }, deployed) {
  const own = plan.workloads.filter((w) => carriesItems(w) === deployed).map((w) => w.id);
  const counted = rows.filter(
    (r) => own.includes(r.workload) && r.operation !== '' && r.step.operations !== undefined,
  );
  return groupBy(counted, (r) => r.workload).map((own) => {
    const { workload } = own[0];
    const cells = measured.filter((r) => r.workload === workload && r.status === 'ok');
    const steps = wholes.filter((r) => r.workload === workload && r.tried.ran > 0);
    const first = groupBy(
      own.filter((r) => r.step.id === own[0].step.id),
      nameOf,
    );
    const shape = stepText(plan, own[0].step.id);
    const operations = groupBy(own, (r) => r.operation);
    return {
      title: `${plan.workloads.find((w) => w.id === workload)?.title ?? workload} by count`,
      intro: datasetText(cells).map((text) => `Dataset: ${text}.`),
      parts: [
        {
          title: 'Each operation',
          intro: [
            'Service times in ms. Who is ahead, and by how much, is a ratio of throughputs with its interval, and only where both figures are valid and the conditions equal.',
          ],
          tables: operations.flatMap((list) => operationTables(plan, list, comparisons)),
        },
        {
          title: 'Effect of concurrency',
          intro: ['Mean service time, how many times that of the fewest clients, and throughput.'],
          tables: operations.map(concurrencyTable),
        },
        footprintPart(steps),
        {
          title: `Total time, ${shape}`,
          tables: [
            table(first, [
              left('system', ([r]) => nameOf(r)),
              right('operations in all', (same) => wholeNumber((same[0].step.operations ?? 0) * same.length)),
              left('seconds for each kind', (same) =>
                same.map((r) => `${r.operation.toUpperCase()} ${figureText(secondsOf(r))}`).join(', '),
              ),
              right('seconds in all', (same) => figureText(sumOf(same.map(secondsOf)))),
            ]),
          ],
        },
        serverPart(plan, steps),
        {
          title: `Summary, ${shape}`,
          tables: [
            table(first, [
              left('system', ([r]) => nameOf(r)),
              right('mean service time, ms', meanText),
              right('op/s over all kinds', wholeRateText),
              right('errors', (same) => same.reduce((s, r) => s + r.counts.failed, 0)),
              left('verdict', (same) => [...new Set(same.map(verdictText))].join('; ')),
            ]),
          ],
        },
        { intro: ['The same figures as JSON: one file for each cell in `results/` of `data.tar.gz`.'] },
      ],
    };
  });
}

/**
 * @param {{title: string, transport: string}} of a row or a record
 * @returns {string} one system over one transport
 */
function nameOf({ title, transport }) {
  return `${title}, ${transport}`;
}

/**
 * @param {CellRecord[]} cells
 * @returns {string[]} one line for each size of the dataset
 */
function datasetText(cells) {
  const facts = cells.flatMap((c) => (c.dataset ? [c.dataset] : []));
  return groupBy(facts, (d) => d.sha256).map(
    ([d]) =>
      `${wholeNumber(d.documents)} documents, ${mebibytes(d.bytes)} MiB: mean ${significant(d.meanBytes, 4)} bytes ` +
      `(${d.minBytes} to ${d.maxBytes}), SHA-256 \`${d.sha256.slice(0, 16)}…\`, the same for each system`,
  );
}

/**
 * @param {Plan} plan
 * @param {Row[]} list rows of one operation
 * @param {Comparison[]} comparisons
 * @returns {Table[]} its figures, and its ratios where there are any
 */
function operationTables(plan, list, comparisons) {
  const [{ operation, workload }] = list;
  const mine = comparisons.filter((c) => c.workload === workload && c.operation === operation && c.ratio);
  const ms = (/** @type {string} */ head, /** @type {keyof Latency} */ key) =>
    right(head, (/** @type {Row} */ r) => figureText(r.serviceMs[key]));
  const figures = table(
    list,
    [
      left('system', nameOf),
      left('step', (r) => stepText(plan, r.step.id)),
      ms('mean', 'mean'),
      ms('median', 'p50'),
      ms('min', 'min'),
      ms('max', 'max'),
      ms('p95', 'p95'),
      ms('p99', 'p99'),
      ms('standard deviation', 'sd'),
      right('errors', errorsText),
      right('op/s', rateText),
      left('verdict', verdictText),
    ],
    `**${operation.toUpperCase()}**`,
  );
  if (mine.length === 0) return [figures];
  const ratios = table(mine, [
    left(`${operation.toUpperCase()}: systems`, (c) => pairText(plan, c.a, c.b)),
    left('step', (c) => stepText(plan, c.stepId)),
    right('throughput ratio (95 % CI)', (c) => ratioWithInterval(c.ratio)),
    right('p99 ratio (95 % CI)', (c) => ratioWithInterval(c.p99Ratio)),
    left('finding', (c) => findingText(plan, c)),
  ]);
  return [figures, ratios];
}

/**
 * One operation: systems down, connections across.
 * @param {Row[]} list rows of one operation
 */
function concurrencyTable(list) {
  const levels = [...new Set(list.map((r) => r.step.vus))].sort((a, b) => a - b);
  // Of several steps with as many clients the last: the first is the sequential one.
  const at = (/** @type {Row[]} */ own, /** @type {number} */ vus) =>
    own.filter((r) => r.step.vus === vus).pop();
  return table(groupBy(list, nameOf), [
    left(list[0].operation.toUpperCase(), ([r]) => nameOf(r)),
    ...levels.map((vus) =>
      right(vus === 1 ? '1 client' : `${vus} clients`, (/** @type {Row[]} */ own) => {
        const row = at(own, vus);
        const mean = row?.serviceMs.mean;
        if (!mean) return row?.failure ? `n/a: ${row.failure}` : MISSING;
        const alone = at(own, levels[0])?.serviceMs.mean;
        const times = alone && vus !== levels[0] ? `, × ${significant(mean.median / alone.median)}` : '';
        return `${figureText(mean)} ms${times}; ${rateText(row)}/s`;
      }),
    ),
  ]);
}

/** Of a server that somebody else runs, on this host or another. */
const NOT_OURS = 'n/a: not ours to see';

/**
 * @param {Row[]} steps all operations together
 * @returns {Section | null} null where no size was read
 */
function footprintPart(steps) {
  const own = steps.filter((r) => r.footprint);
  if (own.length === 0) return null;
  /** @typedef {(footprint: Footprint) => Figure | null} Read */
  const of = (/** @type {Row[]} */ same, /** @type {Read} */ read) =>
    poolOf(same.map(({ footprint }) => footprint && read(footprint)));
  const size = (/** @type {string} */ head, /** @type {Read} */ read) =>
    right(head, (/** @type {Row[]} */ same) => figureText(of(same, read), mebibytes));
  const onDisk = (/** @type {string} */ head, /** @type {Read} */ read) =>
    right(head, (/** @type {Row[]} */ same) =>
      same.every((r) => r.external) ? NOT_OURS : figureText(of(same, read), mebibytes),
    );
  return {
    title: 'How large the stored data is',
    intro: [
      "In MiB, all documents stored and the load at rest: by the system's own counter, and by what its data folder takes on disk, before and after compaction.",
    ],
    tables: [
      table(groupBy(own, nameOf), [
        left('system', ([r]) => nameOf(r)),
        size('raw documents', (f) => f.rawBytes),
        left('own counter', ([r]) => String(r.footprint?.counter)),
        size('own, before', (f) => f.before.ownBytes),
        size('own, after', (f) => f.after.ownBytes),
        onDisk('disk, before', (f) => f.before.diskBytes),
        onDisk('disk, after', (f) => f.after.diskBytes),
        left(
          'compaction',
          (same) => same.find((r) => r.footprint?.compaction)?.footprint?.compaction ?? 'nothing to compact',
        ),
        right('disk / raw', (same) => {
          const disk = of(same, (f) => f.after.diskBytes) ?? of(same, (f) => f.before.diskBytes);
          const raw = of(same, (f) => f.rawBytes);
          return disk?.median
            ? figureText(
                combine([disk, raw], (a, b) => a / b),
                percent,
              )
            : MISSING;
        }),
      ]),
    ],
    notes: [
      ...new Set(
        own.flatMap((r) => (r.footprint?.problems ?? []).map((p) => `Not read: ${nameOf(r)}: ${p}`)),
      ),
    ],
  };
}

/**
 * @param {Plan} plan
 * @param {Row[]} steps all operations together
 * @returns {Section}
 */
function serverPart(plan, steps) {
  const used =
    (
      /** @type {'system' | 'generator'} */ who,
      /** @type {keyof ResourceUse} */ key,
      /** @type {(value: number) => string} */ text = significant,
    ) =>
    (/** @type {Row} */ row) =>
      figureText(row.used[who][key], text);
  return {
    title: 'What the server used',
    intro: [
      "CPU over the measured windows of a step, and memory without page cache, of the server's processes.",
    ],
    tables: [
      table(steps, [
        left('system', nameOf),
        left('step', (r) => stepText(plan, r.step.id)),
        right('CPU, s', used('system', 'cpuSec')),
        right('cores', used('system', 'cpuCores')),
        right('memory steady, MiB', used('system', 'rssSteadyBytes', mebibytes)),
        right('memory peak, MiB', used('system', 'rssPeakBytes', mebibytes)),
        right('written, MiB', used('system', 'ioWriteBytes', mebibytes)),
        right('generator, cores', used('generator', 'cpuCores')),
      ]),
    ],
  };
}

/** @param {Row} row @returns {Figure | null} that all its operations took */
function secondsOf({ durationMs }) {
  return scaled(durationMs, 1 / 1000);
}

/** @param {Row[]} own the operations of one system in one step, as many of each kind */
function meanText(own) {
  const means = own.map((r) => r.serviceMs.mean);
  return figureText(scaled(sumOf(means), 1 / means.length));
}

/** @param {Row[]} own the operations of one system in one step */
function wholeRateText(own) {
  const rates = own.map((r) => r.ratePerSec);
  // As many operations of each kind: their rate together is the harmonic mean.
  const whole = combine(rates, (...perSec) => perSec.length / perSec.reduce((s, v) => s + 1 / v, 0));
  return figureText(whole);
}
