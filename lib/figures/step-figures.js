import { byKey, figureOver, withoutBusy } from './figure.js';

/**
 * What belongs to a step and not to one of its operations: resources, work beside the load, syncs, sizes.
 * @import { BackgroundResult, CellRecord, OperationResult, ReasonCode, ResourceUse } from '../types.d.ts'
 * @import { Figure } from './figure.js'
 */

/**
 * @typedef {object} Footprint
 * @property {string} counter the system's own
 * @property {string | null} compaction what was done
 * @property {string[]} problems
 * @property {Figure | null} rawBytes of the documents themselves
 * @property {Record<'ownBytes' | 'diskBytes', Figure | null>} before compaction
 * @property {Record<'ownBytes' | 'diskBytes', Figure | null>} after
 */

/**
 * @typedef {object} Background
 * @property {string} title
 * @property {number} targetPerSec
 * @property {Figure | null} achievedRatio
 * @property {Record<'p50' | 'p90' | 'p99' | 'max', Figure | null>} latencyMs
 * @property {Figure | null} mostLag
 * @property {Figure | null} drainMs
 */

/** @type {readonly (keyof ResourceUse)[]} */
const RESOURCES = [
  'cpuSec',
  'cpuCores',
  'rssPeakBytes',
  'rssSteadyBytes',
  'ioReadBytes',
  'ioWriteBytes',
  'threadsPeak',
  'processes',
  'netRxBytes',
  'netTxBytes',
];

/**
 * @param {CellRecord[]} cells repeats
 * @param {CellRecord[]} shown those of them in which the row's own operation, or any of all, may be
 * @param {string} operation
 * @param {ReasonCode[]} why
 */
export function stepFiguresOf(cells, shown, operation, why) {
  const ofBytes = withoutBusy(why);
  const used = (/** @type {'system' | 'generator'} */ who) =>
    byKey(RESOURCES, (key) =>
      figureOver(shown, (c) => c.resources[who]?.[key], key.endsWith('Bytes') ? ofBytes : why),
    );
  return {
    used: { system: used('system'), generator: used('generator') },
    hostBusyRatio: figureOver(shown, (c) => c.resources.host?.busyRatio, why),
    background: backgroundOf(shown, why),
    // A tracer slows a system down: how fast it was then is no figure, how often it synced is one.
    syncs: syncsOf(
      cells.filter((c) => c.status === 'ok'),
      operation,
      why,
    ),
    footprint: footprintOf(cells, shown, ofBytes),
  };
}

/**
 * @param {CellRecord[]} usable
 * @param {ReasonCode[]} why
 * @returns {Background | null}
 */
function backgroundOf(usable, why) {
  const first = usable.find((c) => c.background)?.background;
  if (!first) return null;
  const of = (/** @type {(b: BackgroundResult) => number | undefined} */ read) =>
    figureOver(usable, (c) => c.background && read(c.background), why);
  return {
    title: first.title,
    targetPerSec: first.targetPerSec,
    achievedRatio: of((b) => b.ratePerSec / b.targetPerSec),
    latencyMs: byKey(/** @type {const} */ (['p50', 'p90', 'p99', 'max']), (key) =>
      of((b) => b.latencyMs?.[key]),
    ),
    mostLag: of((b) => b.mostLag),
    drainMs: of((b) => b.drainMs),
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {string} operation
 * @param {ReasonCode[]} why
 * @returns {{perOp: Figure | null, timeRatio: Figure | null} | null}
 */
function syncsOf(cells, operation, why) {
  const counted = cells.filter((c) => c.syncs && c.operations[operation]);
  if (counted.length === 0) return null;
  const of = (/** @type {(syncs: NonNullable<CellRecord['syncs']>, o: OperationResult) => number} */ read) =>
    figureOver(counted, (c) => c.syncs && read(c.syncs, c.operations[operation]), why);
  return {
    perOp: of(({ calls }, o) => Object.values(calls).reduce((sum, n) => sum + n, 0) / o.count),
    timeRatio: of(({ ms }, o) => ms / o.durationMs),
  };
}

/**
 * @param {CellRecord[]} cells
 * @param {CellRecord[]} shown
 * @param {ReasonCode[]} why
 * @returns {Footprint | null}
 */
function footprintOf(cells, shown, why) {
  const prints = cells.flatMap((c) => c.footprint ?? []);
  if (prints.length === 0) return null;
  const of = (/** @type {(f: NonNullable<CellRecord['footprint']>) => number | null | undefined} */ read) =>
    figureOver(shown, (c) => c.footprint && read(c.footprint), why);
  return {
    counter: prints[0].counter,
    compaction: prints.find((f) => f.compaction)?.compaction ?? null,
    problems: [...new Set(prints.flatMap((f) => f.problem ?? []))],
    rawBytes: of((f) => f.rawBytes),
    before: { ownBytes: of((f) => f.before.ownBytes), diskBytes: of((f) => f.before.diskBytes) },
    after: { ownBytes: of((f) => f.after?.ownBytes), diskBytes: of((f) => f.after?.diskBytes) },
  };
}
