import { MISSING, mebibytes, percent, ratioWithInterval, significant, wholeNumber } from '../../../format.js';
import { median } from '../../../stats/summary.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorsText, findingText, pairText, rateText, verdictText } from '../../words.js';

/**
 * @import { CellRecord, Comparison, Footprint, Plan } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 * @import { Run } from '../../run.js'
 * @import { Table } from '../../table.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a run by count shows beyond the tables of every workload: each operation with all its figures, what concurrency
 * does, how long it took in all, how large the data is, what the server used, and one line for each system.
 * @param {Pick<Run, 'plan' | 'rows' | 'comparisons' | 'measured'>} run
 * @returns {Section[]} one for each workload that has steps by count
 */
export function section({ plan, rows, comparisons, measured }) {
  const counted = rows.filter((r) => r.operation !== '' && r.step.operations !== undefined);
  return groupBy(counted, (r) => r.workload).map((own) => {
    const { workload } = own[0];
    const cells = measured.filter((r) => r.workload === workload && r.status === 'ok');
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
          title: 'What concurrency does',
          intro: ['Mean service time, how many times that of the fewest clients, and throughput.'],
          tables: operations.map(concurrencyTable),
        },
        footprintPart(cells),
        {
          title: `Total time, ${shape}`,
          tables: [
            table(first, [
              left('system', ([r]) => nameOf(r)),
              right('operations in all', (same) => wholeNumber((same[0].step.operations ?? 0) * same.length)),
              left('seconds for each kind', (same) =>
                same.map((r) => `${r.operation.toUpperCase()} ${significant(secondsOf(r))}`).join(', '),
              ),
              right('seconds in all', (same) => significant(totalSeconds(same))),
            ]),
          ],
        },
        serverPart(plan, cells),
        {
          title: `In sum, ${shape}`,
          tables: [
            table(first, [
              left('system', ([r]) => nameOf(r)),
              right('mean service time, ms', meanText),
              right('op/s over all kinds', wholeRateText),
              right('errors', (same) => same.reduce((s, r) => s + r.errors, 0)),
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
  const ms = (/** @type {string} */ head, /** @type {keyof NonNullable<Row['serviceMs']>} */ key) =>
    right(head, (/** @type {Row} */ r) => significant(r.serviceMs?.[key]));
  const figures = table(
    list,
    [
      left('system', nameOf),
      left('rung', (r) => stepText(plan, r.step.id)),
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
    left('rung', (c) => stepText(plan, c.stepId)),
    right('improvement, throughput (95 % CI)', (c) => ratioWithInterval(c.ratio, c.pairs)),
    right('improvement, p99 (95 % CI)', (c) => ratioWithInterval(c.p99Ratio, c.pairs)),
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
        if (!row?.serviceMs) return row?.failure ? `n/a: ${row.failure}` : MISSING;
        const { mean } = row.serviceMs;
        const alone = at(own, levels[0])?.serviceMs?.mean;
        const times = alone && vus !== levels[0] ? `, × ${significant(mean / alone)}` : '';
        return `${significant(mean)} ms${times}; ${rateText(row)}/s`;
      }),
    ),
  ]);
}

/** Of a server that somebody else runs, on this host or another. */
const NOT_OURS = 'n/a: not ours to see';

/**
 * @param {CellRecord[]} cells
 * @returns {Section | null} null where no size was read
 */
function footprintPart(cells) {
  const own = cells.filter((c) => c.footprint);
  if (own.length === 0) return null;
  const of =
    (/** @type {(f: Footprint) => number | null | undefined} */ read) => (/** @type {CellRecord[]} */ same) =>
      middleOf(same, (c) => c.footprint && read(c.footprint));
  const [raw, before, after] = [
    of((f) => f.rawBytes),
    of((f) => f.before.diskBytes),
    of((f) => f.after?.diskBytes),
  ];
  const onDisk =
    (/** @type {(same: CellRecord[]) => number | null} */ read) => (/** @type {CellRecord[]} */ same) =>
      same.every((c) => c.engine === 'external') ? NOT_OURS : mebibytes(read(same));
  const own0 = of((f) => f.before.ownBytes);
  const own1 = of((f) => f.after?.ownBytes);
  return {
    title: 'How large the stored data is',
    intro: [
      "In MiB, all documents stored and the load at rest: by the system's own counter, and by what its data folder takes on disk, before and after compaction.",
    ],
    tables: [
      table(groupBy(own, nameOf), [
        left('system', ([c]) => nameOf(c)),
        right('raw documents', (same) => mebibytes(raw(same))),
        left('own counter', ([c]) => String(c.footprint?.counter)),
        right('own, before', (same) => mebibytes(own0(same))),
        right('own, after', (same) => mebibytes(own1(same))),
        right('disk, before', onDisk(before)),
        right('disk, after', onDisk(after)),
        left(
          'compaction',
          (same) => same.find((c) => c.footprint?.compaction)?.footprint?.compaction ?? 'nothing to compact',
        ),
        right('disk / raw', (same) => {
          const disk = after(same) ?? before(same);
          return disk ? percent(disk / (raw(same) ?? 0)) : MISSING;
        }),
      ]),
    ],
    notes: groupBy(
      own.filter((c) => c.footprint?.problem),
      (c) => `${c.system} ${c.footprint?.problem}`,
    ).map(([c]) => `Not read: ${nameOf(c)}: ${c.footprint?.problem}`),
  };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} cells
 * @returns {Section}
 */
function serverPart(plan, cells) {
  const of =
    (
      /** @type {(c: CellRecord) => number | null | undefined} */ read,
      /** @type {(value: number | null) => string} */ text,
    ) =>
    (/** @type {CellRecord[]} */ same) =>
      text(middleOf(same, read));
  return {
    title: 'What the server used',
    intro: [
      "CPU over the measured windows of a step, and memory without page cache, of the server's processes.",
    ],
    tables: [
      table(
        groupBy(cells, (c) => `${nameOf(c)}\n${c.step.id}`),
        [
          left('system', ([c]) => nameOf(c)),
          left('rung', ([c]) => stepText(plan, c.step.id)),
          right(
            'CPU, s',
            of((c) => c.resources.system?.cpuSec, significant),
          ),
          right(
            'cores',
            of((c) => c.resources.system?.cpuCores, significant),
          ),
          right(
            'memory steady, MiB',
            of((c) => c.resources.system?.rssSteadyBytes, mebibytes),
          ),
          right(
            'memory peak, MiB',
            of((c) => c.resources.system?.rssPeakBytes, mebibytes),
          ),
          right(
            'written, MiB',
            of((c) => c.resources.system?.ioWriteBytes, mebibytes),
          ),
          right(
            'generator, cores',
            of((c) => c.resources.generator?.cpuCores, significant),
          ),
        ],
      ),
    ],
  };
}

/**
 * @param {CellRecord[]} cells repeats
 * @param {(cell: CellRecord) => number | null | undefined} read
 * @returns {number | null}
 */
function middleOf(cells, read) {
  const values = cells.map(read).filter((v) => v !== null && v !== undefined);
  return values.length > 0 ? median(values) : null;
}

/** @param {Row} row @returns {number | null} that all its operations took */
function secondsOf(row) {
  return row.durationMs === null || row.usable === 0 ? null : row.durationMs / 1000;
}

/** @param {Row[]} own the operations of one system in one step */
function totalSeconds(own) {
  const all = own.map(secondsOf);
  return all.includes(null) ? null : all.reduce((/** @type {number} */ s, v) => s + (v ?? 0), 0);
}

/** @param {Row[]} own the operations of one system in one step */
function meanText(own) {
  const means = own.flatMap((r) => r.serviceMs?.mean ?? []);
  return means.length === own.length ? significant(means.reduce((s, v) => s + v, 0) / means.length) : MISSING;
}

/** @param {Row[]} own the operations of one system in one step */
function wholeRateText(own) {
  if (own.some((r) => !r.serviceMs)) return MISSING;
  const perSec = own.flatMap((r) => r.ratePerSec?.estimate ?? []);
  const bound = own.some((r) => r.codes.includes('generator_bound')) ? '≥ ' : '';
  // As many operations of each kind: their rate together is the harmonic mean.
  return `${bound}${significant(perSec.length / perSec.reduce((s, v) => s + 1 / v, 0))}`;
}
