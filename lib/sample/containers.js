import { setTimeout as pause } from 'node:timers/promises';
import { callEngine } from '../docker/api.js';
import { sumOf } from './container-view.js';
import { watchDisk } from './disk.js';
import { sampleHost } from './processes.js';

/** @import { ProcessSample, ResourceSample } from '../types.d.ts' */

/** How often a generator's container is looked for until it is there. */
const LOOK_EVERY_MS = 50;

/**
 * Watches the containers of a system, the generator's and the host through the engine's API, where this machine's own
 * files do not show them (an engine in a virtual machine). An engine answers for
 * one container once a second at most, so system and generator are asked in two loops, and one sample holds one of
 * them.
 * @param {{socket: string, system: string[], everyMs: number, onSample?: (sample: ResourceSample) => void,
 *   diskBytes?: () => Promise<number | null>}} options `system`: ids of its containers; `onSample` gets the newest of
 *   both; `diskBytes`: where the size of its data is wanted
 * @returns {{watch: (generator: {container?: string}) => void, stop: () => Promise<ResourceSample[]>}}
 */
export function startContainerSampler({ socket, system, everyMs, onSample, diskBytes }) {
  /** @type {ResourceSample[]} */
  const samples = [];
  /** @type {Pick<ResourceSample, 'system' | 'generator'>} */
  const newest = { system: null, generator: null };
  const disk = diskBytes ? watchDisk(diskBytes) : null;
  let stopped = false;
  const watch = async (/** @type {'system' | 'generator'} */ who, /** @type {string[]} */ containers) => {
    for (;;) {
      const last = stopped;
      const next = Date.now() + everyMs;
      const read = await sampleAll(socket, containers);
      newest[who] = read?.sample ?? null;
      if (read) {
        const host = sampleHost();
        const own = { system: null, generator: null, [who]: read.sample };
        samples.push({ t: read.t, ...own, host, ...(disk ? { disk: disk.last() } : {}) });
        if (who === 'system') onSample?.({ t: read.t, ...newest, host });
      }
      if (last) return;
      const until = read ? next : Date.now() + LOOK_EVERY_MS;
      while (!stopped && Date.now() < until) await pause(Math.min(50, until - Date.now()));
    }
  };
  const loops = [watch('system', system)];
  return {
    watch: ({ container = '' }) => {
      loops.push(watch('generator', [container]));
    },
    stop: async () => {
      stopped = true;
      disk?.stop();
      await Promise.all(loops);
      return samples.sort((a, b) => a.t - b.t);
    },
  };
}

/**
 * @param {string} socket
 * @param {string[]} containers
 * @returns {Promise<{t: number, sample: ProcessSample} | null>} their sum; null when one of them cannot be read
 */
async function sampleAll(socket, containers) {
  const ask = (/** @type {string} */ id) =>
    callEngine(socket, `/containers/${id}/stats?stream=false&one-shot=true`, { timeoutMs: 5000 });
  const read = await Promise.all(containers.map((id) => ask(id).catch(() => null)));
  const samples = read.map((stats) => (stats ? sampleOf(stats) : null));
  const sample = samples.includes(null) ? null : sumOf(/** @type {ProcessSample[]} */ (samples));
  const moments = read.map((stats) => Date.parse(stats?.read));
  return sample && { t: moments.reduce((sum, t) => sum + t, 0) / moments.length, sample };
}

/**
 * @param {any} stats the engine's answer, of control groups version 1 or 2
 * @returns {ProcessSample | null} null for a container that does not run
 */
export function sampleOf(stats) {
  const { cpu_stats: cpu, memory_stats: memory, networks, pids_stats: pids } = stats;
  // Anonymous memory: page cache is not what a server costs. Version 1 counts it as total_rss, version 2 as anon.
  const anonymous = memory?.stats?.total_rss ?? memory?.stats?.anon;
  if (anonymous === undefined || !cpu?.cpu_usage?.total_usage) return null;
  const links = Object.values(networks ?? {});
  const sum = (/** @type {string} */ field) =>
    links.length === 0 ? null : links.reduce((total, link) => total + link[field], 0);
  return {
    cpuSec: cpu.cpu_usage.total_usage / 1e9,
    rssBytes: anonymous,
    ioReadBytes: blockBytes(stats, 'read'),
    ioWriteBytes: blockBytes(stats, 'write'),
    threads: pids?.current ?? 0,
    processes: 1,
    netRxBytes: sum('rx_bytes'),
    netTxBytes: sum('tx_bytes'),
  };
}

/**
 * @param {any} stats
 * @param {string} operation
 * @returns {number | null} null where the kernel counts none: then it is unknown, not zero
 */
function blockBytes(stats, operation) {
  const rows = stats.blkio_stats?.io_service_bytes_recursive ?? [];
  const own = rows.filter((/** @type {any} */ r) => r.op.toLowerCase() === operation);
  if (own.length === 0) return null;
  return own.reduce((/** @type {number} */ s, /** @type {any} */ r) => s + r.value, 0);
}
