import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '../engines/native.js';
import { answerOf } from '../engines/ready.js';
import { BenchError, EXIT } from '../errors.js';
import { processTable } from '../process/table.js';
import { residentBytes, sampleGroups } from '../sample/processes.js';

/** @import { LifecycleRaw, ReadyCheck, Stack } from '../types.d.ts' */

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
  const transport = Object.values(stack.manifest.workloads)[0].transports[0];
  const launched = await launch(stack, { transport, signal });
  try {
    const { child, port, companions } = launched;
    const pgids = [child.pid, ...companions.pgids()];
    const answered = await firstAnswer(stack.manifest.ready, port, child.running, signal);
    const startMs = performance.now() - launched.spawnedAt;
    if (!answered) {
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

/**
 * Asks the question of the ready check over a plain socket, without a library's own start-up in the way.
 * @param {ReadyCheck} check
 * @param {number} port on loopback
 * @param {() => boolean} running
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} false when the time ran out or it ended
 */
async function firstAnswer(check, port, running, signal) {
  const question = questionOf(check, port);
  if (!question) throw new BenchError('start-up needs a ready check of the kind tcp or http');
  const { send, expect } = question;
  const until = performance.now() + check.timeoutSec * 1000;
  while (performance.now() < until && running() && !signal.aborted) {
    const isWhole = (/** @type {string} */ text) => text.length >= expect.length;
    const answer = await answerOf({ host: '127.0.0.1', port }, send, isWhole).catch(() => '');
    if (answer.startsWith(expect)) return true;
    await pause();
  }
  return false;
}

/** Timers of Node are whole milliseconds: shorter waits are turns of the event loop. */
async function pause() {
  const until = performance.now() + POLL_MS;
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * @param {ReadyCheck} check
 * @param {number} port
 * @returns {{send: string, expect: string} | null}
 */
function questionOf(check, port) {
  if ('tcp' in check) return check.tcp;
  if (!('http' in check)) return null;
  const { path, status } = check.http;
  return {
    send: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    expect: `HTTP/1.1 ${status} `,
  };
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
    const sample = sampleGroups(pgids, processTable());
    if (!sample) return null;
    readings.push({ rssBytes: sample.rssBytes, residentBytes: residentBytes(pgids) });
  }
  const least = readings.reduce((a, b) => (b.rssBytes < a.rssBytes ? b : a));
  return { settledSec: settleSec, ...least };
}
