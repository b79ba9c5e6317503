import { verdictOf } from '../judge/verdict.js';
import { earlierResults } from './history.js';
import { containerPoint, eventPoint, resultPoints, usePoints } from './points.js';
import { createDatabases, createWriter } from './writer.js';

/** @import { CellPlan, CellRecord, Plan, ResourceSample } from '../types.d.ts' */

/** How much time lies between two points of resource use at least. */
const USE_EVERY_MS = 900;

/**
 * The runner's part of the live view: start and end of each cell, who used what, and the judged figures.
 * @typedef {object} LiveView
 * @property {(cell: CellPlan, containers: string[]) => void} started
 * @property {(cell: CellPlan, sample: ResourceSample, generatorCores: number) => void} sampled
 * @property {(cell: CellPlan, record: CellRecord) => void} ended
 * @property {() => Promise<number>} close how many points did not reach the store
 */

/**
 * @param {{url: string, plan: Plan, reports: string}} options `url`: of the database k6; `reports`: folder of earlier
 *   runs, whose results are shown beside those of this one
 * @returns {Promise<LiveView>}
 */
export async function openLiveView({ url, plan, reports }) {
  await createDatabases(url, ['k6', 'cadvisor']);
  const writer = createWriter(url);
  writer.write(earlierResults(reports));
  /** @type {ResourceSample | null} */
  let before = null;
  return {
    started(cell, containers) {
      before = null;
      writer.write([
        eventPoint('start', cell, plan, loadOf(cell)),
        ...containers.map((name) => containerPoint(cell, plan, name)),
      ]);
    },
    sampled(cell, sample, generatorCores) {
      if (before && sample.t - before.t < USE_EVERY_MS) return;
      if (before) writer.write(usePoints(cell, plan, { before, now: sample, generatorCores }));
      before = sample;
    },
    ended(cell, record) {
      writer.write([
        eventPoint('end', cell, plan, outcomeOf(record)),
        ...resultPoints(record, plan.profileId, (op) => verdictOf(record, op)),
      ]);
    },
    async close() {
      await writer.close();
      return writer.lost();
    },
  };
}

/** @param {CellPlan} cell */
function loadOf({ step }) {
  const depth = step.depth && step.depth > 1 ? `, pipeline ${step.depth}` : '';
  return `${step.model} load, ${step.vus} virtual users${depth}`;
}

/** @param {CellRecord} record */
function outcomeOf(record) {
  if (record.status !== 'ok') return `${record.status}: ${record.reason}`;
  const codes = [...new Set(record.verdict.reasons.map((r) => r.code))];
  return codes.length > 0 ? `${record.verdict.status}: ${codes.join(', ')}` : record.verdict.status;
}
