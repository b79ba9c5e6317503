import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf } from './containers.js';

/** As an engine of control groups version 1 answers, shortened. */
const V1 = {
  cpu_stats: {
    cpu_usage: { total_usage: 2_500_000_000 },
  },
  memory_stats: {
    usage: 16_220_160,
    stats: { cache: 12_611_584, total_cache: 12_611_584, total_rss: 2_777_088 },
  },
  blkio_stats: { io_service_bytes_recursive: [] },
  networks: { eth0: { rx_bytes: 486, tx_bytes: 10 }, eth1: { rx_bytes: 14, tx_bytes: 0 } },
  pids_stats: { current: 5 },
};

test('memory is anonymous memory, CPU is seconds, links are added up', () => {
  assert.deepEqual(sampleOf(V1), {
    cpuSec: 2.5,
    rssBytes: 2_777_088,
    ioReadBytes: null,
    ioWriteBytes: null,
    threads: 5,
    processes: 1,
    netRxBytes: 500,
    netTxBytes: 10,
  });
});

test('version 2 names memory and operations in its own way', () => {
  const sample = sampleOf({
    ...V1,
    memory_stats: { usage: 9, stats: { anon: 7, file: 2 } },
    blkio_stats: {
      io_service_bytes_recursive: [
        { op: 'read', value: 100 },
        { op: 'write', value: 20 },
        { op: 'write', value: 3 },
      ],
    },
  });
  assert.equal(sample?.rssBytes, 7);
  assert.equal(sample?.ioReadBytes, 100);
  assert.equal(sample?.ioWriteBytes, 23);
});

test('a container that has ended is not a container that uses nothing', () => {
  assert.equal(sampleOf({ ...V1, cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats: {} }), null);
});
