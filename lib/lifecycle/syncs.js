import { readFileSync } from 'node:fs';
import { runTool } from '../process/tool.js';
import { obtainNeed } from '../setup/needs.js';

/**
 * Syncs are counted by the kernel's own stop at each call (strace, with a seccomp filter: no other call is slowed).
 * It is a count, not a proxy; under the tracer a sync takes longer, so group commits can be larger than without.
 */

const STRACE = Object.freeze({ binary: 'strace', debian: 'strace' });
/** All threads, with the moment of each call and how long it took. */
const FLAGS = '-f --seccomp-bpf -qq -ttt -T -e trace=fsync,fdatasync,sync_file_range,msync -e signal=none -o';

/**
 * @returns {Promise<{wrap: (tracePath: string) => (command: string[]) => string[]} | {problem: string}>}
 */
export async function syncCounter() {
  if (process.platform !== 'linux') return { problem: 'syncs are counted with strace, which needs Linux' };
  const need = await obtainNeed(STRACE);
  if ('problem' in need) return { problem: need.problem };
  const { path, env } = need.found;
  const loader = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const tracer = [...(loader.length > 0 ? ['env', ...loader] : []), path, ...FLAGS.split(' ')];
  const trial = await runTool([...tracer, '/dev/null', 'true'], { timeoutMs: 10_000 });
  if (!trial.ok) return { problem: `strace may not trace here: ${trial.stderr.trim().split('\n').pop()}` };
  return { wrap: (tracePath) => (command) => [...tracer, tracePath, '--', ...command] };
}

/** @import { Sync } from '../record/syncs.js' */

const LINE = /^(?:(\d+)\s+)?(\d+\.\d+) (?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/gm;

/**
 * @param {string} path of strace's output, lines such as `4711 1700000000.123456 fdatasync(5) = 0 <0.004210>`; a call
 *   during which another thread was stopped has two: `… <unfinished ...>` and `… <... fdatasync resumed>) = 0 <0.004210>`
 * @returns {Record<string, Sync[]>} by system call, in order of their end
 */
export function readTrace(path) {
  /** @type {Record<string, Sync[]>} */
  const calls = {};
  /** @type {Map<string, number>} */
  const begun = new Map();
  for (const [, pid, seconds, resumed, started, rest] of readFileSync(path, 'utf8').matchAll(LINE)) {
    const call = resumed ?? started;
    const ms = Math.round(Number(seconds) * 1e5) / 100;
    if (rest.includes('<unfinished')) {
      begun.set(`${pid} ${call}`, ms);
      continue;
    }
    const took = /<(\d+\.\d+)>\s*$/.exec(rest)?.[1];
    calls[call] ??= [];
    calls[call].push([
      (resumed ? begun.get(`${pid} ${call}`) : undefined) ?? ms,
      Math.round(Number(took ?? 0) * 1e5) / 100,
    ]);
  }
  return calls;
}
