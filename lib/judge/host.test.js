import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './judge.js';
import { aCell } from './testing.js';

/** @param {number} cpuCores */
const use = (cpuCores) => ({
  cpuSec: cpuCores * 10,
  cpuCores,
  rssPeakBytes: 1,
  rssSteadyBytes: 1,
  ioReadBytes: 0,
  ioWriteBytes: 0,
  threadsPeak: 1,
  processes: 1,
});

/** @param {{busy: number, steal?: number, system: number | null, generator: number, ratio?: number, role?: 'system' | 'calibration'}} with_ */
function verdictOf({ busy, steal = 0, system, generator, ratio = generator / 2, role = 'system' }) {
  const cell = aCell({
    result: { generatorCpuRatio: ratio },
    record: {
      role,
      resources: {
        system: system === null ? null : use(system),
        generator: use(generator),
        host: { cores: 2, busyRatio: busy, stealRatio: steal },
      },
    },
  });
  const judged = judge(cell, {
    thresholds: { errorRatio: 0.001 },
    restarted: false,
  });
  return [judged.verdict.status, ...judged.verdict.reasons.map((r) => r.code)];
}

test('a figure that a busy machine set is no figure of the system', () => {
  // 1 706 operations a second of a server at 0.05 of a core, on a machine that was 99.7 % busy with others.
  assert.deepEqual(verdictOf({ busy: 0.997, system: 0.05, generator: 0.12 }), ['DEGRADED', 'host_busy']);
  assert.deepEqual(verdictOf({ busy: 0.6, steal: 0.39, system: 0.5, generator: 0.5 }), [
    'DEGRADED',
    'host_busy',
  ]);
});

test('a machine that is full of system and generator, or has room left, says nothing against a figure', () => {
  assert.deepEqual(verdictOf({ busy: 0.99, system: 0.9, generator: 1, ratio: 0.5 }), ['VALID']);
  assert.deepEqual(verdictOf({ busy: 0.8, system: 0.3, generator: 0.4 }), ['VALID']);
  assert.deepEqual(
    verdictOf({ busy: 0.95, system: 0.85, generator: 0.5 }),
    ['VALID'],
    'its one core was full',
  );
  assert.deepEqual(verdictOf({ busy: 0.95, system: 0.3, generator: 1.2, ratio: 0.85 }), ['VALID']);
});

test('a ceiling is no figure of a system, however busy the machine was', () => {
  assert.deepEqual(verdictOf({ busy: 0.997, system: 0.05, generator: 0.12, role: 'calibration' }), ['VALID']);
});
