import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inspectContainer } from '../docker/api.js';
import { withDescendants } from '../process/table.js';
import { textOrNull } from '../store.js';

/**
 * @import { ProcessSample } from '../types.d.ts'
 * @import { ProcessRow } from '../process/table.js'
 */

/** Where control groups are mounted. */
const MOUNT = '/sys/fs/cgroup';

/**
 * A container as its host's own files show it, at any moment and to the nanosecond, where the engine answers once a
 * second. What cannot be read is left out of the result.
 * @typedef {object} ContainerView
 * @property {number | null} pid of its first process, as this machine counts; null where its processes cannot be seen
 * @property {Partial<Record<Account, string>>} folders of its control groups, by what they keep account of
 */

/** @typedef {'cpuacct' | 'memory' | 'blkio' | 'pids'} Account */

/** @type {readonly Account[]} controllers of version 1; version 2 has one folder for all of them */
const ACCOUNTS = ['cpuacct', 'memory', 'blkio', 'pids'];

/**
 * @param {string} socket of the engine
 * @param {string} container id or name
 * @returns {Promise<ContainerView | null | undefined>} null where nothing of it can be read here; undefined where it does
 *   not run
 */
export async function viewContainer(socket, container) {
  const answer = await inspectContainer(socket, container).catch(() => null);
  return answer?.State?.Pid ? viewOf(answer.Id, answer.State.Pid) : undefined;
}

/**
 * @param {string} id whole
 * @param {number} pid as the engine counts
 * @param {{proc?: string, mount?: string}} [where]
 * @returns {ContainerView | null}
 */
export function viewOf(id, pid, { proc = '/proc', mount = MOUNT } = {}) {
  const text = textOrNull(join(proc, String(pid), 'cgroup')) ?? '';
  // An engine on another kernel, or in another namespace, counts otherwise: the number is somebody else's here.
  const isOurs = text.includes(id);
  const folders = Object.fromEntries(
    ACCOUNTS.flatMap((account) => {
      const found = candidates(isOurs ? text : '', id, account, mount).find(existsSync);
      return found ? [[account, found]] : [];
    }),
  );
  return isOurs || folders.cpuacct ? { pid: isOurs ? pid : null, folders } : null;
}

/**
 * @param {string} text of `/proc/<pid>/cgroup`; empty where it cannot be read
 * @param {string} id
 * @param {Account} account
 * @param {string} mount
 * @returns {string[]} folders that may be the group's
 */
function candidates(text, id, account, mount) {
  const lines = text.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const paths = lines.flatMap((line) => {
    if (!line) return [];
    const [, controllers, path] = line;
    if (controllers === '') return [join(mount, path), join(mount, 'unified', path)];
    return controllers.split(',').includes(account)
      ? [join(mount, controllers, path), join(mount, account, path)]
      : [];
  });
  const usual = [`system.slice/docker-${id}.scope`, `docker/${id}`];
  return [...paths, ...usual.flatMap((path) => [join(mount, account, path), join(mount, path)])].filter(
    (folder) => folder.includes(id),
  );
}

/**
 * @param {ContainerView} view
 * @returns {number | null} seconds of CPU of all that ever ran in it
 */
export function cpuSecOf({ folders }) {
  const ns = number(folders.cpuacct, 'cpuacct.usage');
  const us = field(folders.cpuacct, 'cpu.stat', 'usage_usec');
  if (ns !== null) return ns / 1e9;
  return us === null ? null : us / 1e6;
}

/**
 * What containers have used so far, together.
 * @param {ContainerView[]} views
 * @param {ProcessRow[] | null} table
 * @returns {ProcessSample | null} null where CPU or memory of one of them cannot be read: it has ended
 */
export function sampleContainers(views, table) {
  const samples = views.map((view) => sampleContainer(view, table));
  return samples.includes(null) ? null : sumOf(/** @type {ProcessSample[]} */ (samples));
}

/**
 * @param {ContainerView} view
 * @param {ProcessRow[] | null} table
 * @returns {ProcessSample | null}
 */
function sampleContainer(view, table) {
  const { folders, pid } = view;
  const cpuSec = cpuSecOf(view);
  // Anonymous memory: page cache is not what a server costs. Version 1 counts it as total_rss, version 2 as anon.
  const rssBytes =
    field(folders.memory, 'memory.stat', 'total_rss') ?? field(folders.memory, 'memory.stat', 'anon');
  if (cpuSec === null || rssBytes === null) return null;
  const rows = pid === null ? [] : withDescendants(table ?? [], [pid]);
  const network = links(pid === null ? null : textOrNull(`/proc/${pid}/net/dev`));
  return {
    cpuSec,
    rssBytes,
    ioReadBytes: blockBytes(folders.blkio, 'read'),
    ioWriteBytes: blockBytes(folders.blkio, 'write'),
    threads: number(folders.pids, 'pids.current') ?? rows.reduce((sum, row) => sum + row.threads, 0),
    processes: Math.max(1, rows.length),
    netRxBytes: network?.rx ?? null,
    netTxBytes: network?.tx ?? null,
  };
}

/**
 * @param {ProcessSample[]} samples
 * @returns {ProcessSample | null} of them all together; null without any
 */
export function sumOf(samples) {
  return samples.length > 0 ? samples.reduce(added) : null;
}

/**
 * @param {ProcessSample} a
 * @param {ProcessSample} b
 * @returns {ProcessSample} of what one of them does not tell, nothing
 */
function added(a, b) {
  const fields = /** @type {(keyof ProcessSample)[]} */ (Object.keys(a));
  const sums = fields.map((field) => {
    const [x, y] = [a[field] ?? null, b[field] ?? null];
    return [field, x === null || y === null ? null : x + y];
  });
  return Object.fromEntries(sums);
}

/**
 * @param {string | undefined} folder
 * @param {'read' | 'write'} operation
 * @returns {number | null} null where the kernel counts none: then it is unknown, not zero
 */
function blockBytes(folder, operation) {
  if (!folder) return null;
  const v1 = textOrNull(join(folder, 'blkio.throttle.io_service_bytes_recursive'));
  const v2 = textOrNull(join(folder, 'io.stat'));
  const pattern =
    v1 === null
      ? new RegExp(` ${operation[0]}bytes=(\\d+)`, 'g')
      : new RegExp(`:\\d+ ${operation} (\\d+)$`, 'gim');
  const found = [...(v1 ?? v2 ?? '').matchAll(pattern)];
  return found.length === 0 ? null : found.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/**
 * @param {string | null} text of `/proc/<pid>/net/dev`
 * @returns {{rx: number, tx: number} | null} of all links but the loopback
 */
function links(text) {
  const rows = (text ?? '').split('\n').flatMap((line) => {
    const [, name, numbers] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    return name && name !== 'lo' ? [numbers.split(/\s+/).map(Number)] : [];
  });
  if (rows.length === 0) return null;
  const sum = (/** @type {number} */ column) => rows.reduce((total, row) => total + row[column], 0);
  return { rx: sum(0), tx: sum(8) };
}

/** @param {string | undefined} folder @param {string} file @returns {number | null} */
function number(folder, file) {
  const text = folder ? textOrNull(join(folder, file)) : null;
  return text === null ? null : Number(text);
}

/** @param {string | undefined} folder @param {string} file @param {string} name @returns {number | null} */
function field(folder, file, name) {
  const text = folder ? textOrNull(join(folder, file)) : null;
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '')?.[1];
  return value === undefined ? null : Number(value);
}
