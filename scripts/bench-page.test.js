import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, extraLines, reachedOf, tableOf, truthLine } from './bench-page.js';
import { truthIn } from './bench-truth.js';

/** @param {number[]} rates @param {number} [cpu] */
const points = (rates, cpu = 5) => rates.map((rate) => ({ rate, cpu }));
/** @param {string} name @param {Partial<import('./bench-page.js').BenchRow>} more */
const row = (name, more) => ({
  name,
  against: 'other',
  server: 'resp',
  bar: { rate: 1, cpu: null },
  results: { ours: points([200, 210, 190, 205, 195]), theirs: points([100, 100, 100, 100, 100]) },
  ...more,
});
const met = row('met', {});
const missed = row('missed', { bar: { rate: 4, cpu: null }, server: 'http' });
const host = row('host', { bar: null, server: 'redis' });
const gone = row('gone', { reason: 'tool not found', bar: { rate: 9, cpu: null } });

test('each row names its bar, and a missed one is said so in the row and below the table', () => {
  const lines = tableOf([met, missed, host, gone]).split('\n').slice(2);
  assert.match(lines[0], /\| \*\*2\.00×\*\* \(1\.90–2\.10\) \| ≥ 1×: met \|/);
  assert.match(lines[1], /\| ≥ 4×: \*\*not met\*\* \|/);
  assert.match(lines[2], /\| none \|/);
  assert.match(lines[3], /unavailable: tool not found/);
  assert.equal(
    new Set(
      tableOf([met, gone])
        .split('\n')
        .map((l) => l.split('|').length),
    ).size,
    1,
  );
  assert.equal(
    barsOf([met, missed, host, gone]),
    '**Bars.** By the interval over the rounds 1 of 2 are met. The others: missed against other (≥ 4×): not met.',
  );
  assert.match(barsOf([met, host]), /Met by every row that has one \(1\)/);
  assert.match(barsOf([gone]), /No row that has one was measured/);
  const dear = row('dear', { bar: { rate: 1.3, cpu: 0.7 } });
  assert.match(tableOf([dear]), /\| ≥ 1\.3×, CPU ≤ 0\.7×: \*\*not met\*\* \|/, 'quick, and dear');
  const fives = (/** @type {number} */ rate, /** @type {number} */ cpu) => points(Array(5).fill(rate), cpu);
  const cheap = { ...dear, results: { ours: fives(200, 3), theirs: fives(100, 5) } };
  assert.match(tableOf([cheap]), /CPU ≤ 0\.7×: met \|/);
  const short = { ...cheap, results: { ours: points([200], 3), theirs: points([100], 5) } };
  assert.match(tableOf([short]), /CPU ≤ 0\.7×: inconclusive: 1 of 5 repeats \|/);
  const loose = row('loose', { results: { ours: points([90, 130, 95, 120, 100]), theirs: fives(100, 5) } });
  assert.match(
    tableOf([loose]),
    /≥ 1×: inconclusive: the interval holds the limit \|/,
    'a median of 1.00 is no proof',
  );
});

test('what a thousand connections may cost is what they cost a client that is not ours', () => {
  const fives = (/** @type {number} */ rate) => points(Array(5).fill(rate));
  const beside = row('redis-benchmark c1000', {
    bar: null,
    results: { ours: fives(70), theirs: fives(100) },
  });
  const wide = (/** @type {number} */ rate) =>
    row('wide', {
      beside,
      bar: { rate: 0.95, cpu: null },
      results: { ours: fives(rate), theirs: fives(100) },
    });
  assert.match(tableOf([wide(69)]), /≥ 0\.95× of what redis-benchmark keeps: met \|/);
  assert.match(tableOf([wide(60)]), /≥ 0\.95× of what redis-benchmark keeps: \*\*not met\*\* \|/);
});

test('what a null responder reached is the most that any client had of it', () => {
  const faster = row('faster', { results: { ours: points([100]), theirs: points([4000]) } });
  assert.equal(
    reachedOf([met, faster, missed, host, gone]),
    '**Null responders.** The most that each answered here, so that it is no limit below that: RESP 4 k operations/s (faster); HTTP 200 operations/s (missed).',
  );
  assert.match(reachedOf([host]), /None was loaded/);
});

test('memory is said of connections as a run has them, and of one user', () => {
  const peak = { peakKiB: 2048, ratePerSec: 90_000 };
  assert.deepEqual(extraLines({ memory: { connections: 10, asRun: peak, oneUser: null, emptyKiB: 1024 } }), [
    '**Memory.** k6 with 10 connections, all at work: as a run has them, each with a virtual user of its own in its turn of REST, at most 2 MiB resident (90 k operations/s). A script that does nothing takes 1 MiB.',
  ]);
  const short = { ...peak, failed: 2 };
  assert.match(
    extraLines({ memory: { connections: 10, asRun: short, oneUser: null, emptyKiB: 1024 } })[0],
    /\(90 k operations\/s; 2 operations failed\)/,
  );
  assert.match(
    extraLines({ memory: { connections: 10, asRun: null, oneUser: peak, emptyKiB: 1024 } })[0],
    /could not be measured; all of one/,
  );
  assert.deepEqual(extraLines({}), []);
});

test('the truth of latencies is counted by its cases, and a failed one is named', () => {
  const output = `--- PASS: TestA (1.0s)
    --- PASS: TestA/resp (0.5s)
        --- PASS: TestA/resp/closed (0.2s)
        --- FAIL: TestA/resp/open (0.2s)
--- PASS: TestB (1.0s)
`;
  assert.deepEqual(truthIn(output, 'exit status 1'), {
    passed: 2,
    failed: ['TestA/resp/open'],
    problem: null,
  });
  assert.match(
    truthLine(truthIn(output, 'exit status 1')),
    /\*\*1 of 3 cases do not hold\*\*: TestA\/resp\/open/,
  );
  assert.match(truthLine({ passed: 3, failed: [], problem: null }), /all 3 cases hold\.$/);
  assert.match(truthLine(truthIn('', 'go: not found')), /Not tested: go: not found\.$/);
  assert.deepEqual(truthIn('--- PASS: TestA (1s)\n', 'panic'), { passed: 1, failed: [], problem: 'panic' });
});
