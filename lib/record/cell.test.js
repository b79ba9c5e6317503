import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as hdr from 'hdr-histogram-js';
import { buildRecord } from './cell.js';

/** @param {string} op @param {number[]} ms */
function windowOf(op, ms) {
  const histogram = hdr.build({ numberOfSignificantValueDigits: 3 });
  for (const value of ms) histogram.recordValue(Math.round(value * 10_000));
  const data = hdr.encodeIntoCompressedBase64(histogram);
  return {
    op,
    phase: 'measure',
    startMs: 0,
    endMs: 1000,
    count: ms.length,
    late: 0,
    early: 0,
    aborted: 0,
    dropped: 0,
    errors: {},
    meanMs: ms.reduce((s, v) => s + v, 0) / ms.length,
    minMs: Math.min(...ms),
    maxMs: Math.max(...ms),
    service: { encoding: 'V2', unit: '100ns', data },
    response: null,
    lag: null,
    series: [],
  };
}

/** Ninety quick writes and ten slow reads: no percentile of either is the one of both. */
const RAW = /** @type {any} */ ({
  meta: {
    cell: { id: 'c', system: 's', workload: 'w', transport: 'http', role: 'system', step: { vus: 1 } },
    parity: { drive: 'iteration' },
    targetPerSec: {},
    telemetry: {},
    generatorCores: 1,
  },
  histograms: {
    notes: {},
    windows: [
      windowOf('write', Array(90).fill(1)),
      windowOf(
        'read',
        Array.from({ length: 10 }, (_, n) => 101 + n),
      ),
    ],
  },
  summary: {
    metrics: {
      'op_outside_ms{scenario:c1_measure_turns}': { values: { count: 198 } },
      'op_outside_turns{scenario:c1_measure_turns}': { values: { count: 99 } },
    },
  },
  samples: [],
  live: null,
  files: [],
});
const CONTEXT = /** @type {any} */ ({
  runId: 'run',
  system: { title: 'S', origin: 'upstream', durability: { meaning: 'm' } },
  hostCores: 2,
  takesTurns: true,
  sizes: { write: { share: 0.9 }, read: { share: 0.1 } },
});

test('operations that take turns have a latency together, from their histograms added', () => {
  const { wholeMs } = buildRecord(RAW, CONTEXT);
  assert.ok(Math.abs((wholeMs?.p50 ?? 0) - 1) < 0.01, `${wholeMs?.p50}`);
  assert.ok(Math.abs((wholeMs?.p95 ?? 0) - 105) < 1, `${wholeMs?.p95}`);
  assert.deepEqual([wholeMs?.min, wholeMs?.max], [1, 110]);
  assert.ok(Math.abs((wholeMs?.mean ?? 0) - 11.45) < 1e-9, `${wholeMs?.mean}`);
});

test('each of them has the time that a user spent outside all of them', () => {
  const { operations } = buildRecord(RAW, CONTEXT);
  assert.deepEqual([operations.write.outsideMs, operations.read.outsideMs], [2, 2]);
});

test('operations with windows of their own have none', () => {
  assert.equal('wholeMs' in buildRecord(RAW, { ...CONTEXT, takesTurns: false }), false);
});

test('the CPU of the generator is its own account, finer than the samples from outside', () => {
  const coarse = [-500, 500, 2000].map((t) => ({ t, system: null, generator: { cpuSec: t / 1000 } }));
  const own = [
    { t: 0, cpuSec: 1 },
    { t: 900, cpuSec: 1.3 },
    { t: 1100, cpuSec: 1.5 },
  ];
  const ratio = (/** @type {any} */ histograms) =>
    buildRecord({ ...RAW, samples: coarse, histograms }, CONTEXT).operations.write.generatorCpuRatio;
  assert.equal(ratio({ ...RAW.histograms, cpu: own }), 0.4);
  assert.equal(ratio({ ...RAW.histograms, cpu: [] }), 1, 'where the generator cannot tell');
  assert.equal(ratio(RAW.histograms), 1);
});

test('what a script has none of is left out of its record', () => {
  const notes = { metrics: null, by: null, unseen: null, crossed: null };
  const record = buildRecord({ ...RAW, histograms: { ...RAW.histograms, notes } }, CONTEXT);
  for (const part of /** @type {const} */ (['metrics', 'requests', 'unseen']))
    assert.equal(record[part], undefined, part);
  assert.deepEqual(record.warnings, []);
});
