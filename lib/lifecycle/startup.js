import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '../engines/native.js';
import { waitUntilReady } from '../engines/ready.js';
import { BenchError, EXIT } from '../errors.js';
import { processTable } from '../process/table.js';
import { residentBytes } from '../sample/processes.js';
import { sampleWatched } from '../sample/watched.js';

/** @import { LifecycleRaw, Stack } from '../types.d.ts' */

/** Pause between two questions, ms: what a start can at most be off by, beside the question itself. */
const POLL_MS = 0.5;
/** Idle memory is the least of some readings: a collector may come late. */
const READINGS = 5;

/**
 * Starts a system once, from nothing, and stops it.
 * @param {Stack} stack
 * @param {AbortSignal} signal
 * @param {(started: {startMs: number, pgids: number[]}) => Promise<void>} look once it has answered
 * @throws {BenchError} when it does not answer in time
 */
export async function coldStart(stack, signal, look) {
  const { ready: check } = stack.manifest;
  if ('command' in check) throw new BenchError('start-up needs a ready check of the kind tcp or http');
  const transport = Object.values(stack.manifest.workloads)[0].transports[0];
  const launched = await launch(stack, { transport, signal });
  try {
    const { child, port, companions } = launched;
    const pgids = [child.pid, ...companions.pgids()];
    const where = { host: '127.0.0.1', port, stillRunning: child.running, signal, pause };
    const { ready } = await waitUntilReady(check, where);
    const startMs = performance.now() - launched.spawnedAt;
    if (!ready) {
      throw new BenchError(`${stack.id} gave no right answer when its start-up was timed`, {
        exitCode: EXIT.systemFailed,
        detail: child.logTail(),
      });
    }
    await look({ startMs, pgids });
  } finally {
    await launched.end();
  }
}

/** Timers of Node are whole milliseconds: shorter waits are turns of the event loop. */
async function pause() {
  const until = performance.now() + POLL_MS;
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * @param {number[]} pgids
 * @param {number} settleSec
 * @returns {Promise<LifecycleRaw['idle'][number] | null>} null when it ended meanwhile
 */
export async function idleMemory(pgids, settleSec) {
  const gap = 200;
  await sleep(Math.max(0, settleSec * 1000 - READINGS * gap));
  const readings = [];
  for (let i = 0; i < READINGS; i++) {
    await sleep(gap);
    const sample = sampleWatched({ pgids }, processTable());
    if (!sample) return null;
    readings.push({ rssBytes: sample.rssBytes, residentBytes: residentBytes(pgids) });
  }
  const least = readings.reduce((a, b) => (b.rssBytes < a.rssBytes ? b : a));
  return { settledSec: settleSec, ...least };
}
