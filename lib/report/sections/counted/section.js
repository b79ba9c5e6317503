import { MISSING, mebibytes, percent, significant, wholeNumber } from '../../../format.js';
import { median } from '../../../stats/summary.js';
import { groupBy } from '../../group-by.js';
import { stepText } from '../../steps.js';
import { rateText, verdictText } from '../../words.js';
import { comparisonRow } from '../workload/section.js';

/**
 * @import { CellRecord, Comparison, Footprint, Plan } from '../../../types.d.ts'
 * @import { Row } from '../../rows.js'
 */

/**
 * What a run by count shows beyond the tables of every workload: each operation with all its figures, what concurrency
 * does, how long it took in all, how large the data is, what the server used, and one line for each system.
 * @param {Plan} plan
 * @param {Row[]} rows
 * @param {Comparison[]} comparisons
 * @param {CellRecord[]} measured
 * @returns {object[]} one section for each workload that has steps by count
 */
export function countedSections(plan, rows, comparisons, measured) {
  const counted = rows.filter((r) => r.operation !== '' && r.step.operations !== undefined);
  return groupBy(counted, (r) => r.workload).map((own) => {
    const { workload } = own[0];
    const cells = measured.filter((r) => r.workload === workload && r.status === 'ok');
    const first = own.filter((r) => r.step.id === own[0].step.id);
    return {
      title: plan.workloads.find((w) => w.id === workload)?.title ?? workload,
      dataset: datasetText(cells),
      operations: groupBy(own, (r) => r.operation).map((list) => operationTable(plan, list, comparisons)),
      concurrency: groupBy(own, (r) => r.operation).map((list) => concurrencyTable(list)),
      footprints: footprintRows(cells),
      footprintProblems: footprintProblems(cells),
      totalTitle: stepText(plan, first[0].step.id),
      total: groupBy(first, nameOf).map(totalRow),
      resources: groupBy(cells, (c) => `${nameOf(c)}\n${c.step.id}`).map((same) => serverRow(plan, same)),
      overall: groupBy(first, nameOf).map(overallRow),
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
 */
function operationTable(plan, list, comparisons) {
  const [{ operation, workload }] = list;
  const mine = comparisons.filter((c) => c.workload === workload && c.operation === operation && c.ratio);
  return {
    operation: operation.toUpperCase(),
    rows: list.map((row) => {
      const s = row.serviceMs;
      return {
        system: nameOf(row),
        rung: stepText(plan, row.step.id),
        mean: significant(s?.mean),
        median: significant(s?.p50),
        min: significant(s?.min),
        max: significant(s?.max),
        p95: significant(s?.p95),
        p99: significant(s?.p99),
        sd: significant(s?.sd),
        errors: row.ratePerSec ? String(row.errors) : MISSING,
        rate: rateText(row),
        verdict: verdictText(row),
      };
    }),
    improvements: mine.map((c) => comparisonRow(plan, c)),
  };
}

/**
 * One operation: systems down, connections across.
 * @param {Row[]} list rows of one operation
 */
function concurrencyTable(list) {
  const levels = [...new Set(list.map((r) => r.step.vus))].sort((a, b) => a - b);
  return {
    operation: list[0].operation.toUpperCase(),
    heads: levels.map((n) => (n === 1 ? '1 client' : `${n} clients`)),
    rows: groupBy(list, nameOf).map((own) => {
      // Of several steps with as many clients the last: the first is the sequential one.
      const at = (/** @type {number} */ vus) => own.filter((r) => r.step.vus === vus).pop();
      const alone = at(levels[0])?.serviceMs?.mean;
      return {
        system: nameOf(own[0]),
        cells: levels.map((vus) => {
          const row = at(vus);
          if (!row?.serviceMs) return row?.failure ? `n/a: ${row.failure}` : MISSING;
          const mean = row.serviceMs.mean;
          const times = alone && vus !== levels[0] ? `, × ${significant(mean / alone)}` : '';
          return `${significant(mean)} ms${times}; ${rateText(row)}/s`;
        }),
      };
    }),
  };
}

/** Of a server that somebody else runs, on this host or another. */
const NOT_OURS = 'n/a: not ours to see';

/**
 * @param {CellRecord[]} cells
 */
function footprintRows(cells) {
  const own = cells.filter((c) => c.footprint);
  return groupBy(own, (c) => nameOf(c)).map((same) => {
    const prints = same.map((c) => /** @type {Footprint} */ (c.footprint));
    const of = (/** @type {(f: Footprint) => number | null | undefined} */ read) => {
      const values = prints.map(read).filter((v) => v !== null && v !== undefined);
      return values.length > 0 ? median(values) : null;
    };
    const raw = of((f) => f.rawBytes) ?? 0;
    const disk = of((f) => f.after?.diskBytes) ?? of((f) => f.before.diskBytes);
    const compacted = prints.find((f) => f.compaction)?.compaction;
    const external = same.every((c) => c.engine === 'external');
    return {
      system: nameOf(same[0]),
      raw: mebibytes(raw),
      counter: prints[0].counter,
      ownBefore: mebibytes(of((f) => f.before.ownBytes)),
      ownAfter: mebibytes(of((f) => f.after?.ownBytes)),
      diskBefore: external ? NOT_OURS : mebibytes(of((f) => f.before.diskBytes)),
      diskAfter: external ? NOT_OURS : mebibytes(of((f) => f.after?.diskBytes)),
      compaction: compacted ?? 'nothing to compact',
      ratio: disk ? percent(disk / raw) : MISSING,
    };
  });
}

/**
 * @param {CellRecord[]} cells
 * @returns {string[]}
 */
function footprintProblems(cells) {
  const failed = cells.filter((c) => c.footprint?.problem);
  return groupBy(failed, (c) => `${c.system} ${c.footprint?.problem}`).map(
    ([c]) => `${nameOf(c)}: ${c.footprint?.problem}`,
  );
}

/**
 * @param {Row[]} own the operations of one system in one step
 */
function totalRow(own) {
  const secondsOf = (/** @type {Row} */ row) =>
    row.durationMs === null || row.usable === 0 ? null : row.durationMs / 1000;
  const all = own.map(secondsOf);
  const sum = all.includes(null) ? null : all.reduce((/** @type {number} */ s, v) => s + (v ?? 0), 0);
  return {
    system: nameOf(own[0]),
    operations: own.map((row, i) => `${row.operation.toUpperCase()} ${significant(all[i])}`).join(', '),
    total: significant(sum),
    count: wholeNumber((own[0].step.operations ?? 0) * own.length),
  };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} cells repeats
 */
function serverRow(plan, cells) {
  const of = (/** @type {(c: CellRecord) => number | null | undefined} */ read) => {
    const values = cells.map(read).filter((v) => v !== null && v !== undefined);
    return values.length > 0 ? median(values) : null;
  };
  return {
    system: nameOf(cells[0]),
    rung: stepText(plan, cells[0].step.id),
    cpuSec: significant(of((c) => c.resources.system?.cpuSec)),
    cores: significant(of((c) => c.resources.system?.cpuCores)),
    rssSteady: mebibytes(of((c) => c.resources.system?.rssSteadyBytes)),
    rssPeak: mebibytes(of((c) => c.resources.system?.rssPeakBytes)),
    written: mebibytes(of((c) => c.resources.system?.ioWriteBytes)),
    generatorCores: significant(of((c) => c.resources.generator?.cpuCores)),
  };
}

/**
 * @param {Row[]} own the operations of one system in one step
 */
function overallRow(own) {
  const means = own.flatMap((r) => (r.serviceMs ? [r.serviceMs.mean] : []));
  const whole = means.length === own.length;
  const perSec = own.flatMap((r) => (r.ratePerSec ? [r.ratePerSec.estimate] : []));
  const bound = own.some((r) => r.codes.includes('generator_bound')) ? '≥ ' : '';
  return {
    system: nameOf(own[0]),
    mean: whole ? significant(means.reduce((s, v) => s + v, 0) / means.length) : MISSING,
    // As many operations of each kind: their rate together is the harmonic mean.
    rate: whole ? `${bound}${significant(perSec.length / perSec.reduce((s, v) => s + 1 / v, 0))}` : MISSING,
    errors: String(own.reduce((s, r) => s + r.errors, 0)),
    verdict: [...new Set(own.map(verdictText))].join('; '),
  };
}
