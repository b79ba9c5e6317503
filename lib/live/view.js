import { stepText } from '../config/step-text.js';
import { operationText } from '../figures/rows.js';
import { whyText } from '../judge/why.js';
import { earlierResults } from './history.js';
import { containerPoint, eventPoint, resultPoints, slicePoints, usePoints } from './points.js';
import { createDatabases, createWriter } from './writer.js';

/**
 * @import { CellPlan, CellRecord, Plan, ProcessSample, RawSlice, RecentMs, ResourceSample, SideBySideCell,
 *   PairedTrial, StartRecord } from '../types.d.ts'
 * @import { ShownRow } from './dashboard.js'
 * @import { EventWords, ShownLoad } from './points.js'
 */

/** How much time lies between two points of resource use at least. */
const USE_EVERY_MS = 900;

/**
 * What is shown of a piece of load, as soon as it is over; `uses`: of each system so far, where it is seen.
 * @typedef {(slice: RawSlice, more: {cell: SideBySideCell, seconds: number, recentMs: RecentMs[],
 *   uses: {name: string, use: ProcessSample | null}[]}) => void} ShowSlice
 */

/**
 * The runner's part of the live view: start and end of each cell and each trial, who used what, and the judged figures.
 * @typedef {object} LiveView
 * @property {(cell: CellPlan, containers: {name: string}[] | undefined) => void} started
 * @property {(cell: CellPlan, sample: ResourceSample, generatorCores: number) => void} sampled
 * @property {(cell: CellPlan, record: CellRecord) => void} ended
 * @property {(group: PairedTrial, start: number, sides: {name: string, system: string, containers?: {name: string}[]}[]) =>
 *   ShowSlice} startBegan
 * @property {(group: PairedTrial, record: StartRecord) => void} startEnded
 * @property {() => Promise<number>} close how many points did not reach the store
 */

/**
 * @param {object} options
 * @param {string | null} options.url of the database k6; null: there is none, and the page shows what it can
 * @param {Plan} options.plan
 * @param {string} options.reports folder of earlier runs, whose results are shown beside those of this one
 * @param {(rows: ShownRow[] | null) => void} options.page shows the systems of a trial; null: none is under way
 * @returns {Promise<LiveView>}
 */
export async function openLiveView({ url, plan, reports, page }) {
  if (url) await createDatabases(url, ['k6', 'cadvisor']);
  const writer = url ? createWriter(url) : { write: () => {}, close: async () => {}, lost: () => 0 };
  if (url) writer.write(earlierResults(reports));
  /** @type {ResourceSample | null} */
  let before = null;
  const titled = (/** @type {CellPlan} */ cell) => ({
    systems: cell.role === 'system' ? cell.system : 'a server that does nothing',
    load: stepText(plan, cell.step.id),
  });
  /** @param {ShownLoad} load @param {{name: string}[] | undefined} containers @param {EventWords} words */
  const begin = (load, containers, words) =>
    writer.write([
      eventPoint('start', load, plan, words),
      ...(containers ?? []).map(({ name }) => containerPoint(load, plan, name)),
    ]);
  return {
    started(cell, containers) {
      before = null;
      begin(cell, containers, { text: `${cell.step.model} load`, ...titled(cell) });
    },
    sampled(cell, sample, generatorCores) {
      if (before && sample.t - before.t < USE_EVERY_MS) return;
      if (before) writer.write(usePoints(cell, plan, { before, now: sample, generatorCores }));
      before = sample;
    },
    ended(cell, record) {
      writer.write([
        eventPoint('end', cell, plan, { text: outcomeOf(record), ...titled(cell) }),
        ...resultPoints(record, plan),
      ]);
    },
    startBegan(group, start, sides) {
      const labels = labelsOf(sides);
      const words = { text: 'side by side', systems: [...labels.values()].join(', ') };
      for (const { name, containers } of sides) {
        const load = shownLoad(group, { start, system: String(labels.get(name)), step: 'trial' });
        begin(load, containers, words);
      }
      return showSlices(group, start, labels, { plan, page, write: writer.write });
    },
    startEnded(group, record) {
      page(null);
      const { status, reason, start } = record;
      for (const system of group.systems) {
        const load = shownLoad(group, { start, system, step: 'trial' });
        writer.write([eventPoint('end', load, plan, { text: reason ?? status, systems: system })]);
      }
      writer.write(record.alone.flatMap((alone) => resultPoints(alone, plan)));
    },
    async close() {
      await writer.close();
      return writer.lost();
    },
  };
}

/**
 * @param {{name: string, system: string}[]} sides
 * @returns {Map<string, string>} what each is called: of two of one system the second is a copy
 */
function labelsOf(sides) {
  const named = [...sides].sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(
    named.map(({ name, system }, i) => [
      name,
      named.findIndex((other) => other.system === system) === i ? system : `${system} · copy`,
    ]),
  );
}

/**
 * @param {PairedTrial} group
 * @param {{start: number, system: string, step: string}} what
 * @returns {ShownLoad}
 */
function shownLoad({ workload, transport }, { start, system, step }) {
  return { system, workload, transport, step: { id: step }, repeat: start, role: 'system' };
}

/**
 * @param {PairedTrial} group
 * @param {number} start
 * @param {Map<string, string>} labels by side
 * @param {{plan: Plan, page: (rows: ShownRow[]) => void, write: ReturnType<typeof createWriter>['write']}} to
 * @returns {ShowSlice}
 */
function showSlices(group, start, labels, { plan, page, write }) {
  const generatorCores = Math.max(1, plan.sideBySide?.placement.generator.length ?? 1);
  /** @type {Map<string, {atMs: number, use: ProcessSample | null}>} */
  const before = new Map();
  return (slice, { cell, seconds, recentMs, uses }) => {
    const atMs = Date.now();
    const place = `${operationText(cell.operation)}, ${stepText(plan, cell.stepId)}`;
    const systems = slice.sides.map(({ name }) => String(labels.get(name)));
    const piece = { slice, seconds, users: cell.connections, generatorCores };
    slice.sides.forEach((side, i) => {
      const load = shownLoad(group, { start, system: systems[i], step: cell.stepId });
      const was = before.get(side.name) ?? { atMs, use: null };
      const now = uses.find((u) => u.name === side.name)?.use ?? null;
      const use = { before: was.use, now, seconds: (atMs - was.atMs) / 1000 };
      write([
        eventPoint('load', load, plan, { text: slice.kind, systems: systems.join(' and '), load: place }),
        ...slicePoints(load, plan, { side, recentMs: recentMs[i], use }, piece),
      ]);
    });
    for (const { name, use } of uses) before.set(name, { atMs, use });
    page(slice.sides.map((side, i) => rowOf(systems[i], place, side, { seconds, recentMs: recentMs[i] })));
  };
}

/**
 * @param {string} system
 * @param {string} load in words
 * @param {RawSlice['sides'][number]} side
 * @param {{seconds: number, recentMs: RecentMs}} piece
 * @returns {ShownRow}
 */
function rowOf(system, load, { threads, report }, { seconds, recentMs }) {
  const p99s = Object.values(recentMs).flatMap((ms) => ms?.p99 ?? []);
  return {
    system,
    load,
    ratePerSec: report.acked / seconds,
    failed: report.failed,
    p99Ms: p99s.length > 0 ? Math.max(...p99s) : null,
    cores: threads && threads.cpuSec / threads.seconds,
  };
}

/** @param {CellRecord} record */
function outcomeOf(record) {
  if (record.status !== 'ok') return `${record.status}: ${record.reason}`;
  const reasons = [...new Set(record.verdict.reasons.map(whyText))];
  return reasons.length > 0 ? `${record.verdict.status}: ${reasons.join(', ')}` : record.verdict.status;
}
