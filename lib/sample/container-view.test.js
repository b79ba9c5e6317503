import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { withDescendants } from '../process/table.js';
import { cpuSecOf, sampleContainers, viewOf } from './container-view.js';
import { readThreadsOf, threadsBetween } from './threads.js';

const work = mkdtempSync(join(tmpdir(), 'lb-view-'));
after(() => rmSync(work, { recursive: true, force: true }));
const ID = 'c0ffee'.repeat(10);

/** @param {string} name @param {Record<string, string>} files relative to a machine of its own */
function machine(name, files) {
  const root = join(work, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, where: { proc: join(root, 'proc'), mount: join(root, 'cgroup') } };
}

test('control groups of version 1 tell the CPU in nanoseconds, and each account has a folder of its own', () => {
  const { where } = machine('v1', {
    'proc/41/cgroup': `4:memory:/docker/${ID}\n3:blkio:/docker/${ID}\n2:cpu,cpuacct:/docker/${ID}\n1:pids:/docker/${ID}\n0::/\n`,
    [`cgroup/cpu,cpuacct/docker/${ID}/cpuacct.usage`]: '2500000000\n',
    [`cgroup/memory/docker/${ID}/memory.stat`]: 'rss 1\ncache 900\ntotal_rss 4096\n',
    [`cgroup/blkio/docker/${ID}/blkio.throttle.io_service_bytes_recursive`]:
      '8:0 Read 100\n8:0 Write 20\n8:16 Write 3\n8:0 Total 123\nTotal 123\n',
    [`cgroup/pids/docker/${ID}/pids.current`]: '7\n',
  });
  const view = viewOf(ID, 41, where);
  assert.equal(view?.pid, 41);
  assert.deepEqual(sampleContainers(view ? [{ ...view, pid: null }] : [], []), {
    cpuSec: 2.5,
    rssBytes: 4096,
    ioReadBytes: 100,
    ioWriteBytes: 23,
    threads: 7,
    processes: 1,
    netRxBytes: null,
    netTxBytes: null,
  });
});

const V2 = `cgroup/system.slice/docker-${ID}.scope`;
const unified = (/** @type {string} */ name) =>
  machine(name, {
    'proc/41/cgroup': `0::/system.slice/docker-${ID}.scope\n`,
    [`${V2}/cpu.stat`]: 'usage_usec 1500000\nuser_usec 9\n',
    [`${V2}/memory.stat`]: 'anon 8192\nfile 5\n',
    [`${V2}/io.stat`]: '8:0 rbytes=10 wbytes=4 rios=1 wios=1\n8:16 rbytes=1 wbytes=1 rios=1 wios=1\n',
    [`${V2}/pids.current`]: '3\n',
  });

test('version 2 has one folder and microseconds', () => {
  const { where } = unified('v2');
  const view = viewOf(ID, 41, where);
  assert.ok(view);
  const sample = sampleContainers([{ ...view, pid: null }], []);
  assert.deepEqual(
    [sample?.cpuSec, sample?.rssBytes, sample?.ioReadBytes, sample?.ioWriteBytes],
    [1.5, 8192, 11, 5],
  );
});

test('a number that another machine gave is nobody’s here; the control group tells the sum all the same', () => {
  const { where, root } = unified('elsewhere');
  writeFileSync(join(root, 'proc/41/cgroup'), '0::/user.slice\n');
  const view = viewOf(ID, 41, where);
  assert.equal(view?.pid, null);
  assert.equal(view && cpuSecOf(view), 1.5);
  assert.equal(viewOf('f'.repeat(60), 41, where), null, 'of what is not here nothing is told');
});

test('without threads a reading has the CPU of all of them, and says of the busiest one nothing', () => {
  const { where, root } = unified('sums');
  const view = viewOf(ID, 0, where);
  assert.ok(view && view.pid === null);
  const from = readThreadsOf([{ containers: [view] }])[0];
  writeFileSync(join(root, V2, 'cpu.stat'), 'usage_usec 1900000\n');
  const to = readThreadsOf([{ containers: [view] }])[0];
  assert.ok(from && to);
  const between = threadsBetween(from, { ...to, t: from.t + 1000 });
  assert.ok(Math.abs(between.cpuSec - 0.4) < 1e-9, String(between.cpuSec));
  assert.ok(Math.abs(between.seconds - 1) < 1e-9, String(between.seconds));
  assert.deepEqual([between.busiest, between.waitSec], [null, null]);
});

test('what a container’s first process started is in it, whatever group it leads, and nobody else', () => {
  const row = (/** @type {number} */ pid, /** @type {number} */ ppid) =>
    /** @type {any} */ ({ pid, ppid, pgid: pid });
  const table = [row(1, 0), row(40, 1), row(41, 40), row(42, 41), row(43, 42), row(50, 1), row(51, 50)];
  assert.deepEqual(
    withDescendants(table, [41, 51]).map((r) => r.pid),
    [41, 42, 43, 51],
  );
  assert.deepEqual(withDescendants(table, []), []);
});
