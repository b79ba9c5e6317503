/**
 * The load of a step that is bound by a count: what one virtual user does, from warm-up to the last operation.
 * @import { Step } from '../../lib/types.d.ts'
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { connectOptions } from './client-pattern.js';
import { REST_SEC, STALLED_SEC, stagesOf, warmupOperationsOf } from './count-bound.js';
import { classOf } from './error-class.js';
import { seedOfIds } from './ids.js';
import { windowGroups } from './schedule.js';

/** A call of the burst drive ends by then, so that k6's own figures stay fresh and a dead system is noticed. */
const CALL_MS = 1000;
const SLICE = { burst: 1000, iteration: 50 };

/**
 * @typedef {object} Load
 * @property {Step} step
 * @property {'burst' | 'iteration'} drive
 * @property {any} client of the system
 * @property {any} templates of the burst module, by operation
 * @property {any} workload
 * @property {import('../types.d.ts').Target} target
 * @property {any} keys of this user
 * @property {any} context for the workload
 * @property {(op: string, ms: number) => void} outside notes time between two operations (iteration drive)
 */

/**
 * The keys of a step: by chance, or one for each operation of the measured stages and then of the warm-up.
 * @param {Step} step
 * @param {any} facts of the workload
 * @param {{seed: number, dataset: Record<string, number>}} profile
 * @param {number} stream
 */
export function keysOf(step, facts, profile, stream) {
  const space =
    facts.keys === 'each' ? (step.operations ?? 0) + warmupOperationsOf(step) : profile.dataset.keys;
  return burstModule.keys({
    seed: profile.seed,
    stream,
    space,
    documents: facts.documents === true,
    ids: seedOfIds(`${profile.seed}/${step.id}`),
  });
}

/**
 * @param {Load} load
 */
export async function performStep(load) {
  const opened = load.drive === 'iteration' ? load.client.open(load.target) : null;
  const connection =
    load.drive === 'burst'
      ? burstModule.connect({
          timeoutMs: 5000,
          ...load.client.burst(load.target),
          ...connectOptions(load.step.clientPattern),
        })
      : null;
  const { facts } = load.workload;
  for (const stage of stagesOf(load.step, windowGroups(facts, load.step).flat())) {
    const measured = stage.phase === 'measure';
    if (
      measured &&
      load.step.footprint &&
      stage.operation === facts.footprintBefore &&
      exec.vu.idInTest === 1
    )
      measure.note('footprint', await footprintOf(load));
    const phase = measure.phase({
      op: stage.operation,
      phase: stage.phase,
      parties: load.step.vus,
      operations: stage.count,
    });
    const window = phase.enter();
    const least = load.step.depth ?? 1;
    let answeredAt = measure.now();
    const progress = (/** @type {boolean} */ answered) => {
      const now = measure.now();
      if (answered) answeredAt = now;
      else if (now - answeredAt > STALLED_SEC * 1000)
        throw new Error(`${stage.operation}: no operation succeeded for ${STALLED_SEC} s`);
    };
    if (connection && facts.keys !== 'each')
      burstPhase(load, connection, stage.operation, window, phase, progress);
    for (;;) {
      const slice = phase.take(least, SLICE[load.drive]);
      if (slice.count === 0) break;
      const from = stage.from + slice.from;
      if (connection) burstSlice(load, connection, stage.operation, window, from, slice.count, progress);
      else await iterateSlice(load, opened, stage.operation, window, from, slice.count, progress);
    }
  }
  connection?.close();
  opened?.close();
}

/**
 * Operations without keys of their own are taken one by one inside the module: no user rests between two slices.
 * @param {Load} load
 * @param {any} connection
 * @param {string} operation
 * @param {any} window
 * @param {any} phase
 * @param {(answered: boolean) => void} progress
 */
function burstPhase(load, connection, operation, window, phase, progress) {
  while (phase.left() > 0) {
    const { acked } = connection.run({
      window,
      template: templateOf(load, operation),
      depth: load.step.depth ?? 1,
      keys: load.keys,
      phase,
      untilMs: measure.epochMs() + CALL_MS,
    });
    progress(acked > 0);
  }
}

/**
 * @param {Load} load
 * @param {string} operation
 */
function templateOf({ templates, context }, operation) {
  const { returns, ...unchecked } = templates[operation];
  return context.checksAnswers && returns !== undefined ? { ...unchecked, returns } : unchecked;
}

/**
 * @param {Load} load
 * @param {any} connection
 * @param {string} operation
 * @param {any} window
 * @param {number} from first key
 * @param {number} count
 * @param {(answered: boolean) => void} progress
 */
function burstSlice(load, connection, operation, window, from, count, progress) {
  const template = templateOf(load, operation);
  let done = 0;
  while (done < count) {
    const result = connection.run({
      window,
      template,
      depth: load.step.depth ?? 1,
      keys: load.keys,
      count: count - done,
      from: from + done,
      untilMs: measure.epochMs() + CALL_MS,
    });
    done += result.acked + result.failed + result.aborted;
    progress(result.acked > 0);
  }
}

/**
 * @param {Load} load
 * @param {any} opened
 * @param {string} operation
 * @param {any} window
 * @param {number} from first key
 * @param {number} count
 * @param {(answered: boolean) => void} progress
 */
async function iterateSlice(load, opened, operation, window, from, count, progress) {
  const each = load.workload.facts.keys === 'each';
  let endedAt = 0;
  for (let i = 0; i < count; i++) {
    const key = each ? from + i : load.keys.next();
    const startedAt = window.start();
    if (endedAt > 0) load.outside(operation, startedAt - endedAt);
    try {
      await load.workload.perform(opened, operation, key, load.context, load.keys);
      endedAt = measure.now();
      window.success(startedAt);
      progress(true);
    } catch (error) {
      endedAt = measure.now();
      window.failure(startedAt, classOf(error));
      progress(false);
    }
  }
}

/**
 * Everything is stored and the load rests: how large is it, before and after the system has compacted it? A system that
 * does not say is no reason to lose the cell.
 * @param {Load} load
 * @returns {Promise<import('../../lib/types.d.ts').FootprintNote>}
 */
async function footprintOf({ client, target, step }) {
  const opened = client.open(target);
  const reading = async () => {
    sleep(REST_SEC);
    const own = await opened.storedBytes();
    return { atMs: measure.epochMs(), ...own };
  };
  /** @type {import('../../lib/types.d.ts').FootprintNote} */
  const note = {
    documents: step.operations ?? 0,
    before: null,
    compaction: null,
    after: null,
    problem: null,
  };
  try {
    note.before = await reading();
    note.compaction = await opened.compact();
    if (note.compaction !== null) note.after = await reading();
  } catch (error) {
    note.problem = String(error);
  }
  opened.close();
  return note;
}
