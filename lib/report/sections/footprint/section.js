import { figureText, MISSING, mebibytes, percent, significant, wholeNumber } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { combine, poolOf } from '../../../record/figure.js';
import { areSizesApart } from '../../../record/footprint.js';
import { left, right, table } from '../../table.js';
import { workloadTitleOf } from '../../words.js';

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
 * How large the data is of which a run by count is made, and what it takes on disk.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'measured'>} run
 * @returns {Section[]} one for each workload that has steps by count
 */
export function section({ plan, rows, wholes, measured }) {
  const counted = rows.filter((r) => r.operation !== '' && r.step.operations !== undefined);
  return groupBy(counted, (r) => r.workload).flatMap(([{ workload }]) => {
    const cells = measured.filter((r) => r.workload === workload && r.status === 'ok');
    const steps = wholes.filter((r) => r.workload === workload && r.tried.ran > 0);
    const intro = datasetText(cells).map((text) => `Dataset: ${text}.`);
    const footprint = footprintPart(plan, steps);
    if (intro.length === 0 && footprint === null) return [];
    return [{ title: `${workloadTitleOf(plan, workload)}: stored data`, intro, parts: [footprint] }];
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
