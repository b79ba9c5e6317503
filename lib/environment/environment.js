import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { arch, cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os';
import { ROOT } from '../paths.js';
import { ownCpus } from '../process/cpu-limit.js';
import { runTool } from '../process/tool.js';
import { sampleHost } from '../sample/processes.js';
import { osRelease } from '../setup/debian.js';
import { textOrNull } from '../store.js';
import { probeFsync } from './fsync-probe.js';

/**
 * Everything about the machine and the checkout that a reader needs to judge a figure or to measure it again.
 * Taken before the first cell; nothing in it names a user, a host or a path.
 * @param {{k6: string, busyBefore: import('./busyness.js').Busyness | null}} found
 * @returns {Promise<Record<string, any>>}
 */
export async function describeEnvironment({ k6, busyBefore }) {
  const [conditions, k6Version, network] = await Promise.all([
    describeConditions(),
    runTool([k6, 'version']),
    describeNetwork(),
  ]);
  const host = sampleHost();
  return {
    schemaVersion: 1,
    takenAt: new Date().toISOString(),
    git: conditions.git,
    host: {
      os: osRelease().PRETTY_NAME ?? platform(),
      kernel: `${platform()} ${release()} ${arch()}`,
      ...conditions.host,
      governor: firstLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
      transparentHugePages: chosen(firstLine('/sys/kernel/mm/transparent_hugepage/enabled')),
      cgroup: cgroupLimits(),
      network,
      loadAverage1m: Number((loadavg()[0] ?? 0).toFixed(2)),
      busyBefore,
      stealRatioSinceBoot: host.totalSec > 0 ? Number((host.stealSec / host.totalSec).toFixed(5)) : null,
      fsync: probeFsync(tmpdir()),
    },
    tools: {
      node: process.versions.node,
      k6: k6Version.ok ? k6Version.stdout.trim().split(/[ \t]*\n[ \t]*/) : null,
    },
  };
}

/**
 * What a run that goes on is held against: the rest of the environment may differ from hour to hour.
 * @returns {Promise<import('../plan/resume.js').Conditions>}
 */
export async function describeConditions() {
  const host = {
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    usableCpus: ownCpus(),
    memoryBytes: totalmem(),
  };
  return { git: await describeGit(), host };
}

/** @returns {Promise<{sha: string | null, dirty: boolean | null}>} */
async function describeGit() {
  const [sha, status] = await Promise.all([
    runTool(['git', '-C', ROOT, 'rev-parse', 'HEAD']),
    runTool(['git', '-C', ROOT, 'status', '--porcelain', '--', '.', ':!reports']),
  ]);
  return { sha: sha.ok ? sha.stdout.trim() : null, dirty: status.ok ? status.stdout.trim() !== '' : null };
}

/**
 * What the kernel does with each packet, over loopback too: the congestion control of TCP, and whether connections are
 * tracked for a firewall; null where it does not tell.
 * @typedef {{congestionControl: string | null, tracksPackets: boolean | null}} Network
 */

/** @returns {Promise<Network>} */
export async function describeNetwork() {
  const congestionControl = firstLine('/proc/sys/net/ipv4/tcp_congestion_control');
  if (congestionControl === null) return { congestionControl, tracksPackets: null };
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    // With a connection of ours open, none are tracked only if tracking is off.
    const tracked = Number(firstLine('/proc/sys/net/netfilter/nf_conntrack_count') ?? 0);
    client.destroy();
    return { congestionControl, tracksPackets: tracked > 0 };
  } catch {
    return { congestionControl, tracksPackets: null };
  } finally {
    server.close();
  }
}

/** @param {string} path */
function firstLine(path) {
  return textOrNull(path)?.split('\n')[0].trim() ?? null;
}

/** @param {string | null} text for example `always [madvise] never` */
function chosen(text) {
  return text === null ? null : (/\[(\w+)\]/.exec(text)?.[1] ?? text);
}

/** @returns {Record<string, string | null>} limits of the control group that this runs in */
function cgroupLimits() {
  const v2 = firstLine('/sys/fs/cgroup/cpu.max');
  return {
    version: v2 !== null || firstLine('/sys/fs/cgroup/cgroup.controllers') !== null ? 'v2' : 'v1',
    cpu: v2 ?? firstLine('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    memory:
      firstLine('/sys/fs/cgroup/memory.max') ?? firstLine('/sys/fs/cgroup/memory/memory.limit_in_bytes'),
  };
}
