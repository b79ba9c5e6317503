import { figureText, MISSING, mebibytes, percent, significant, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { combine, poolOf, scaled, sumOf } from '../../../record/figure.js';
import { areSizesApart } from '../../../record/footprint.js';
import { leadsOf } from '../../../record/lead.js';
import { carriesItems } from '../../matrix/families.js';
import { leadsText } from '../../matrix/lead-words.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorsText, workloadTitleOf } from '../../words.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Footprint } from '../../../record/step-figures.js'
 * @import { CellRecord, Latency, Plan, ResourceUse } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Table } from '../../table.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What a run by count shows beyond the tables of every workload: each operation with all its figures, what concurrency
 * does, how long it took in all, how large the data is, what the server used, and one line for each system.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'measured'>} run
 * @returns {Section[]} one for each workload that has steps by count
 */
export function section(run) {
  return sectionsFor(run, false);
}

/**
 * The same of workloads that have tables of deployment on the page.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'measured'>} run
 * @returns {Section[]}
 */
export function detailsSection(run) {
  return sectionsFor(run, true);
}

/**
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'measured'>} run
 * @param {boolean} deployed
 * @returns {Section[]}
 */
function sectionsFor({ plan, rows, wholes, measured }, deployed) {
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
    const transports = new Set(own.map((r) => r.transport));
    return {
      title: `${workloadTitleOf(plan, workload)} by count`,
      intro: datasetText(cells).map((text) => `Dataset: ${text}.`),
      parts: [
        {
          title: `Each operation, ${shape}`,
          intro: [
            'Service times in ms, medians of the repeats; how many operations a second, and the same under more clients, stands above.',
          ],
          tables: groupBy(first.flat(), (r) => `${r.operation}\n${r.transport}`).map((list) =>
            operationTable(plan, list, transports.size > 1),
          ),
        },
        concurrencyPart(operations),
        footprintPart(plan, steps),
        {
          title: `Total time, ${shape}`,
          intro: ['Seconds for all operations of a kind, one kind after the other.'],
          tables: groupBy(first, ([r]) => r.transport).map((own) =>
            totalTable(plan, own, transports.size > 1),
          ),
        },
        serverPart(plan, steps),
        {
          title: `Summary, ${shape}`,
          tables: groupBy(first, ([r]) => r.transport).map((own) =>
            summaryTable(plan, own, transports.size > 1),
          ),
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
 * One line of a table of figures that are compared. @typedef {object} Metric
 * @property {string} name
 * @property {(system: string) => Figure | null} read
 * @property {(row: Row) => string} [text] of what nobody is ahead on
 * @property {'more' | 'less'} [better]
 */

/**
 * Metrics down, systems across, and in the last column the winner and by how much: a ratio with its interval, only
 * where both figures are valid and the conditions equal.
 * @param {Plan} plan
 * @param {string} head
 * @param {Row[]} rows one of each system, over one transport
 * @param {Metric[]} metrics
 * @returns {Table}
 */
function comparedTable(plan, head, rows, metrics) {
  return table(metrics, [
    left(head, ({ name }) => name),
    ...rows.map((row) =>
      right(row.title, (/** @type {Metric} */ { read, text }) =>
        text ? text(row) : row.failure === null ? figureText(read(row.system)) : `n/a: ${row.failure}`,
      ),
    ),
    ...(rows.length > 1
      ? [
          left('winner, improvement', (/** @type {Metric} */ { read, text, better = 'less' }) => ({
            markdown: text ? MISSING : leadsText(plan, leadsIn(rows, read, better)),
          })),
        ]
      : []),
  ]);
}

/**
 * @param {Row[]} rows
 * @param {Metric['read']} read
 * @param {'more' | 'less'} better
 */
function leadsIn(rows, read, better) {
  return leadsOf(
    rows.map((row) => ({ system: row.system, row, figure: row.usable ? read(row.system) : null })),
    better,
  );
}

/**
 * @param {Plan} plan
 * @param {Row[]} list rows of one operation over one transport, one of each system
 * @param {boolean} several whether the run has other transports
 */
function operationTable(plan, list, several) {
  const [{ operation, transport }] = list;
  const ms = (/** @type {string} */ name, /** @type {keyof Latency} */ key) => ({
    name,
    read: (/** @type {string} */ id) => list.find((r) => r.system === id)?.serviceMs[key] ?? null,
  });
  return comparedTable(plan, `${operation.toUpperCase()}${several ? ` over ${transport}` : ''}, ms`, list, [
    ms('mean', 'mean'),
    ms('median', 'p50'),
    ms('min', 'min'),
    ms('max', 'max'),
    ms('p95', 'p95'),
    ms('p99', 'p99'),
    ms('standard deviation', 'sd'),
    { name: 'errors', read: () => null, text: errorsText },
  ]);
}

/**
 * @param {Plan} plan
 * @param {Row[][]} systems the operations of each on one step, over one transport
 * @param {boolean} several
 */
function totalTable(plan, systems, several) {
  const [[{ transport, step }]] = systems;
  const kinds = [...new Set(systems.flat().map((r) => r.operation))];
  const of = (/** @type {string} */ id) => systems.find(([r]) => r.system === id) ?? [];
  const count = step.operations ?? 0;
  return comparedTable(
    plan,
    several ? `seconds over ${transport}` : 'seconds',
    systems.map(([r]) => r),
    [
      ...kinds.map((kind) => ({
        name: `${wholeNumber(count)} × ${kind.toUpperCase()}`,
        read: (/** @type {string} */ id) => {
          const row = of(id).find((r) => r.operation === kind);
          return row ? secondsOf(row) : null;
        },
      })),
      {
        name: `total, ${wholeNumber(count * kinds.length)} operations`,
        read: (id) => sumOf(of(id).map(secondsOf)),
      },
    ],
  );
}

/**
 * @param {Plan} plan
 * @param {Row[][]} systems the operations of each on one step, over one transport
 * @param {boolean} several
 */
function summaryTable(plan, systems, several) {
  const of = (/** @type {string} */ id) => systems.find(([r]) => r.system === id) ?? [];
  return comparedTable(
    plan,
    several ? `over ${systems[0][0].transport}` : '',
    systems.map(([r]) => r),
    [
      { name: 'mean service time over all kinds, ms', read: (id) => meanOf(of(id)) },
      { name: 'op/s over all kinds', read: (id) => wholeRateOf(of(id)), better: 'more' },
      {
        name: 'errors',
        read: () => null,
        text: ({ system }) => wholeNumber(of(system).reduce((s, r) => s + r.counts.failed, 0)),
      },
    ],
  );
}

/**
 * @param {Row[][]} operations rows of each
 * @returns {Section | null} null where there was only one number of clients
 */
function concurrencyPart(operations) {
  if (new Set(operations.flat().map((r) => r.step.vus)).size < 2) return null;
  return {
    title: 'Concurrency impact',
    intro: ['Mean service time in ms, and how many times that of the fewest clients.'],
    tables: operations.map(concurrencyTable),
  };
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
        return `${figureText(mean)}${times}`;
      }),
    ),
  ]);
}

/** Of a server that somebody else runs, on this host or another. */
const NOT_OURS = 'n/a: not ours to see';

/**
 * @param {Plan} plan
 * @param {Row[]} steps all operations together
 * @returns {Section | null} null where no size was read
 */
function footprintPart(plan, steps) {
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
    title: 'Storage footprint',
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
      ...new Set(
        groupBy(own, nameOf)
          .filter(
            (same) => !same.every((r) => r.external) && sizesOf(same).some(([a, b]) => areSizesApart(a, b)),
          )
          .flatMap(([{ system, title }]) => apartText(plan, system, title)),
      ),
    ],
  };
}

/**
 * @param {Row[]} same of one system, over one transport
 * @returns {(Figure | null)[][]} its own size and that on disk, before and after compaction
 */
function sizesOf(same) {
  return /** @type {const} */ (['before', 'after']).map((when) =>
    /** @type {const} */ (['ownBytes', 'diskBytes']).map((key) =>
      poolOf(same.map(({ footprint }) => footprint?.[when][key] ?? null)),
    ),
  );
}

/**
 * @param {Plan} plan
 * @param {string} id
 * @param {string} title
 * @returns {string[]} why its own size and that of its files are two things; none where its manifest does not say
 */
function apartText({ systems }, id, title) {
  const why = systems.find((s) => s.id === id)?.sizesApart;
  return why ? [`Own counter and disk of ${title} are more than a tenth apart: ${why}.`] : [];
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
    title: 'Resource utilization',
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
function meanOf(own) {
  return scaled(sumOf(own.map((r) => r.serviceMs.mean)), 1 / own.length);
}

/** @param {Row[]} own the operations of one system in one step */
function wholeRateOf(own) {
  // As many operations of each kind: their rate together is the harmonic mean.
  return combine(
    own.map((r) => r.ratePerSec),
    (...perSec) => perSec.length / perSec.reduce((s, v) => s + 1 / v, 0),
  );
}
