import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuSecOfReadings, useOfReadings } from './readings.js';

/** Half a CPU at rest, one and a half from second 20 to 50: a reading each ten seconds. */
const USED = [
  [8, 4],
  [18, 9],
  [28, 22],
  [38, 37],
  [48, 52],
  [58, 60],
];
const MIB = 1024 * 1024;
const readings = USED.map(([sec, cpuSec], i) => ({ t: sec * 1000, cpuSec, rssBytes: (10 + i) * MIB }));

test('what a window used is the mean between the readings inside it', () => {
  assert.equal(cpuSecOfReadings(readings, 20_000, 50_000), 45);
  const use = useOfReadings(readings, [{ from: 20_000, to: 50_000 }]);
  assert.deepEqual([use?.cpuSec, use?.cpuCores], [45, 1.5]);
  assert.deepEqual([use?.rssPeakBytes, use?.rssSteadyBytes], [14 * MIB, 13 * MIB]);
  assert.deepEqual([use?.threadsPeak, use?.processes, use?.ioReadBytes], [null, null, null]);
});

test('readings that cover less than half of a window, or of a pod that began again, tell nothing of it', () => {
  assert.equal(cpuSecOfReadings(readings, 20_000, 27_000), null, 'none inside');
  assert.equal(cpuSecOfReadings(readings, 20_000, 30_000), null, 'one inside');
  assert.equal(cpuSecOfReadings(readings, 19_000, 41_000), null, 'ten seconds of twenty-two');
  const again = readings.map((r, i) => (i < 4 ? r : { ...r, cpuSec: i }));
  assert.equal(cpuSecOfReadings(again, 20_000, 50_000), null);
  assert.equal(useOfReadings(readings, []), null, 'nothing was measured');
});
