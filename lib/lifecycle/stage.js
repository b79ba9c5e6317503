import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { coldStartsOf, SETTLE_SEC, settledStarts } from '../plan/estimate.js';
import { interleave } from '../plan/order.js';
import { storeRecord } from '../record/records.js';
import { ceilingFile, lifecycleId, recordFiles } from '../record/run-folder.js';
import { writeJson } from '../store.js';
import { ceilingOf } from './programs.js';
import { runtimeOf } from './size.js';
import { coldStart, idleMemory } from './startup.js';

/** @import { LifecycleRaw, Plan, SingleTrial, Stack } from '../types.d.ts' */

/**
 * @typedef {{plan: Plan, heldOf: (system: string) => {stack: Stack}, runFolder: string, signal: AbortSignal,
 *   progress: Record<'say' | 'draw', (text: string) => void>}} Stage
 */

/**
 * Before any load: start-up in turns, idle memory and size.
 * @param {Stage} stage
 * @param {() => Promise<unknown>} meanwhile what else can be done while systems idle
 */
export async function measureLifecycle(stage, meanwhile) {
  const { plan, runFolder, signal, heldOf, progress } = stage;
  const isOpen = (/** @type {{system: string}} */ { system }) =>
    !existsSync(join(runFolder, recordFiles(lifecycleId(system)).meta));
  const open = (plan.lifecycle ?? []).filter(isOpen);
  // Of a run that goes on, what an end between two files left out.
  for (const one of plan.lifecycle ?? [])
    if (!isOpen(one)) storeRecord(runFolder, lifecycleId(one.system), plan);
  /** @type {Map<string, LifecycleRaw>} */
  const raws = new Map(open.map(({ system, unavailable }) => [system, emptyRaw(system, unavailable)]));
  const own = open.filter((o) => o.unavailable === null).map((o) => heldOf(o.system).stack);
  if (own.length > 0) progress.say(`  start-up, idle memory and size of ${own.map((s) => s.id).join(', ')}`);
  const rawOf = (/** @type {string} */ id) => /** @type {LifecycleRaw} */ (raws.get(id));
  const ids = own.map((s) => s.id);
  for (const id of interleave(ids, coldStartsOf(plan.profile), plan.orderSeed).flat())
    await startOnce(stage, rawOf(id), async ({ startMs }) => {
      rawOf(id).startMs.push(Math.round(startMs * 100) / 100);
    });
  // To idle, none needs the machine for itself.
  const idling = async () => {
    for (let n = 0; n < settledStarts(plan.repeats); n++)
      await Promise.all(
        ids.map((id) =>
          startOnce(stage, rawOf(id), async ({ pgids }) => {
            const idle = signal.aborted ? null : await idleMemory(pgids, SETTLE_SEC);
            if (idle) rawOf(id).idle.push(idle);
          }),
        ),
      );
  };
  await Promise.all([idling(), meanwhile()]);
  for (const stack of own)
    await orFailed(rawOf(stack.id), signal, async () => {
      rawOf(stack.id).runtime = runtimeOf(stack);
    });
  if (signal.aborted) return;
  for (const [system, raw] of raws) {
    writeJson(join(runFolder, recordFiles(lifecycleId(system)).meta), raw);
    storeRecord(runFolder, lifecycleId(system), plan);
    progress.say(
      `  ${system}: ${raw.status === 'ok' ? `${raw.startMs.length} cold starts` : `${raw.status}: ${raw.reason}`}`,
    );
  }
}

/**
 * @param {Stage} stage
 * @param {LifecycleRaw} raw of the system
 * @param {Parameters<typeof coldStart>[2]} look
 */
async function startOnce({ plan, heldOf, signal, progress }, raw, look) {
  if (signal.aborted || raw.status !== 'ok') return;
  progress.draw(`  start-up of ${raw.system}: ${raw.startMs.length} of ${coldStartsOf(plan.profile)}`);
  await orFailed(raw, signal, () => coldStart(heldOf(raw.system).stack, signal, look));
}

/**
 * @param {LifecycleRaw} raw
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} measure
 */
async function orFailed(raw, signal, measure) {
  if (signal.aborted || raw.status !== 'ok') return;
  try {
    await measure();
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    if (signal.aborted) return;
    raw.status = 'failed';
    raw.reason = error.message;
  }
}

/**
 * The ceiling of a system's storage, in the repeat of the trial that was just measured.
 * @param {SingleTrial} trial
 * @param {Stage} stage
 */
export async function measureCeiling({ systems: [id], role, workload, repeat }, stage) {
  const { plan, heldOf, runFolder, signal } = stage;
  if (role !== 'system' || signal.aborted || plan.profile.ceilings === false) return;
  if (!plan.lifecycle?.some((l) => l.system === id && l.unavailable === null)) return;
  const { stack } = heldOf(id);
  if (stack.manifest.lifecycle?.ceiling?.workload !== workload) return;
  const path = join(runFolder, ceilingFile(id, repeat));
  if (existsSync(path)) return;
  const raw = await ceilingOf(stack, repeat);
  if (!raw || signal.aborted) return;
  writeJson(path, raw);
  storeRecord(runFolder, lifecycleId(id), plan);
}

/**
 * @param {string} system
 * @param {string | null} unavailable
 * @returns {LifecycleRaw}
 */
function emptyRaw(system, unavailable) {
  return {
    schemaVersion: 1,
    system,
    status: unavailable === null ? 'ok' : 'unavailable',
    reason: unavailable,
    startMs: [],
    idle: [],
    runtime: [],
  };
}
