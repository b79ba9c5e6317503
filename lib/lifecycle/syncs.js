import { readFileSync } from 'node:fs';
import { runTool } from '../setup/exec.js';
import { obtainNeed } from '../setup/needs.js';

/**
 * Syncs are counted by the kernel's own stop at each call (strace, with a seccomp filter: no other call is slowed).
 * It is a count, not a proxy; under the tracer a sync takes longer, so group commits can be larger than without.
 */

const STRACE = Object.freeze({ binary: 'strace', debian: 'strace' });
const CALLS = ['fsync', 'fdatasync', 'sync_file_range', 'msync'];

/**
 * @returns {Promise<{wrap: (tracePath: string) => (command: string[]) => string[]} | {problem: string}>}
 */
export async function syncCounter() {
  if (process.platform !== 'linux') return { problem: 'syncs are counted with strace, which needs Linux' };
  const need = await obtainNeed(STRACE);
  if ('problem' in need) return { problem: need.problem };
  const { path, env } = need.found;
  const loader = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const base = [...(loader.length > 0 ? ['env', ...loader] : []), path, '-f', '--seccomp-bpf', '-qq', '-ttt'];
  const options = ['-e', `trace=${CALLS.join(',')}`, '-e', 'signal=none', '-o'];
  const trial = await runTool([...base, ...options, '/dev/null', 'true'], { timeoutMs: 10_000 });
  if (!trial.ok) return { problem: `strace may not trace here: ${trial.stderr.trim().split('\n').pop()}` };
  return { wrap: (tracePath) => (command) => [...base, ...options, tracePath, '--', ...command] };
}

/**
 * @param {string} path of strace's output
 * @returns {Record<string, number[]>} by call, the moments at which it began, epoch ms
 */
export function readTrace(path) {
  return parseTrace(readFileSync(path, 'utf8'));
}

/**
 * @param {string} text lines such as `4711 1700000000.123456 fdatasync(5) = 0`
 * @returns {Record<string, number[]>}
 */
export function parseTrace(text) {
  /** @type {Record<string, number[]>} */
  const calls = {};
  for (const [, seconds, call] of text.matchAll(/^(?:\d+\s+)?(\d+\.\d+) (\w+)\(/gm)) {
    calls[call] ??= [];
    calls[call].push(Math.round(Number(seconds) * 1e5) / 100);
  }
  return calls;
}

/**
 * @param {Record<string, number[]>} calls
 * @param {{startMs: number, endMs: number}[]} windows
 * @returns {Record<string, number>} calls that began inside
 */
export function syncsWithin(calls, windows) {
  const inside = (/** @type {number} */ t) => windows.some((w) => t >= w.startMs && t < w.endMs);
  return Object.fromEntries(
    Object.entries(calls).map(([call, moments]) => [call, moments.filter(inside).length]),
  );
}
