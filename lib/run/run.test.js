import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { waitUntilReady } from '../engines/ready.js';
import { k6Outcome } from '../generator/k6.js';
import { aCell } from '../judge/testing.js';
import { startChild } from '../process/child.js';
import { groupListens } from '../process/ports.js';
import { writeFileAtomic } from '../store.js';
import { kneeOf, kneeUnknownOf, slowestKneeOf, sustainedPerSec, targetRates } from './knee.js';

const work = mkdtempSync(join(tmpdir(), 'lb-run-'));
after(() => rmSync(work, { recursive: true, force: true }));

const openCell = /** @type {any} */ ({
  system: 'a',
  workload: 'counters',
  transport: 'resp',
  role: 'system',
  repeat: 1,
  step: { model: 'open', fractionOfKnee: 0.5 },
});

test('the knee is the highest usable throughput without pipelining, of the same system and the repeats so far', () => {
  const records = [
    aCell({ vus: 1, ratePerSec: 20_000 }),
    aCell({ vus: 100, ratePerSec: 90_000 }),
    aCell({ vus: 500, ratePerSec: 99_000, reasons: [{ code: 'littles_law' }] }),
    aCell({ vus: 100, depth: 16, ratePerSec: 900_000 }),
    aCell({ system: 'b', ratePerSec: 910_000 }),
    aCell({ repeat: 2, ratePerSec: 920_000 }),
  ];
  const knee = { get: { ratePerSec: 90_000, usable: true } };
  assert.deepEqual(kneeOf(openCell, records), knee);
  assert.deepEqual(kneeOf(openCell, [...records].reverse()), knee, 'in whatever order they were measured');
});

test('all systems are asked for shares of what the slowest of them keeps up with, by operation', () => {
  const records = [
    aCell({ system: 'a', ratePerSec: 90_000 }),
    aCell({ system: 'b', ratePerSec: 40_000 }),
    aCell({ system: 'c', ratePerSec: 10, reasons: [{ code: 'littles_law' }] }),
    aCell({ system: 'n', ratePerSec: 20, record: { role: 'calibration' } }),
  ];
  for (const system of ['a', 'b'])
    assert.deepEqual(kneeOf({ ...openCell, system }, records), { get: { ratePerSec: 40_000, usable: true } });
  assert.deepEqual(kneeOf({ ...openCell, system: 'c' }, records), { get: { ratePerSec: 10, usable: false } });
  assert.deepEqual(kneeOf({ ...openCell, system: 'd' }, records), {}, 'one that was not measured has none');
});

test('the parts of a mix keep their shares: they are those of one system', () => {
  const mix = (/** @type {string} */ system, /** @type {number} */ read, /** @type {number} */ write) => {
    const cell = aCell({ system });
    const of = (/** @type {number} */ ratePerSec) => ({ ...cell.operations.get, ratePerSec, share: 0.5 });
    return { ...cell, operations: { read: of(read), write: of(write) } };
  };
  const knee = kneeOf(openCell, [mix('a', 100, 300), mix('b', 150, 200)]);
  assert.deepEqual([knee.read.ratePerSec, knee.write.ratePerSec], [150, 200]);
});

test('no single second, repeat or step of another drive makes the rate of an open step', () => {
  // A second of a busy machine's luck, and one of its standstills.
  const seconds = (/** @type {number[]} */ counts) => ({
    durationMs: 1000 * counts.length + 400,
    series: [...counts, 40].map((count, t) => ({
      ...{ t, count, errors: 0, p50Ms: 1, p95Ms: 1, p99Ms: 1, maxMs: 1 },
    })),
  });
  assert.equal(sustainedPerSec({ ratePerSec: 61_000, ...seconds([50_000, 52_000, 81_000]) }), 52_000);
  assert.equal(sustainedPerSec({ ratePerSec: 34_000, ...seconds([50_000, 2000, 51_000]) }), 50_000);
  assert.equal(
    sustainedPerSec({ ratePerSec: 34_000, ...seconds([50_000, 2000]) }),
    34_000,
    'two have no middle',
  );
  assert.equal(sustainedPerSec({ ratePerSec: 1.4, ...seconds([1, 2, 1]) }), 1.4, 'coarser than the mean');

  const repeats = [90_000, 140_000, 92_000].map((ratePerSec, i) => aCell({ repeat: i + 1, ratePerSec }));
  const kneeAt = (/** @type {number} */ repeat) => kneeOf({ ...openCell, repeat }, repeats).get.ratePerSec;
  assert.deepEqual([kneeAt(1), kneeAt(3)], [90_000, 92_000]);

  const iterations = aCell({ ratePerSec: 9000, record: { repeat: 1 } });
  iterations.step.drive = 'iteration';
  assert.deepEqual(kneeOf(openCell, [iterations]), {}, 'what JavaScript reaches is no maximum of the module');
});

test('what systems did alone in their starts counts for the rate of an open step, before any repeat', () => {
  const own = (/** @type {number} */ a, /** @type {number} */ b) => [
    aCell({ system: 'a', ratePerSec: a, record: { repeat: 9, paired: 0 } }),
    aCell({ system: 'b', ratePerSec: b, record: { repeat: 9, paired: 0 } }),
  ];
  const starts = [...own(70_000, 80_000), ...own(120_000, 82_000), ...own(72_000, 81_000)];
  assert.deepEqual(kneeOf(openCell, starts), { get: { ratePerSec: 72_000, usable: true } });
  const beside = { ...openCell, role: 'calibration', system: 'n' };
  assert.equal(slowestKneeOf(beside, starts).get.ratePerSec, 72_000, 'and for what stands beside them');
});

test('what meets all systems at one rate, a fault or the null responder, goes by the slowest of them', () => {
  const records = [aCell({ system: 'a', ratePerSec: 90_000 }), aCell({ system: 'b', ratePerSec: 40_000 })];
  for (const role of ['chaos', 'calibration'])
    assert.deepEqual(slowestKneeOf({ ...openCell, role }, records), {
      get: { ratePerSec: 40_000, usable: true },
    });
});

test('where no step is usable, the highest measured one stands in for the knee, and a failed cell never does', () => {
  const reasons = [{ code: 'generator_starved' }];
  const records = [
    aCell({ vus: 1, ratePerSec: 20_000, reasons }),
    aCell({ vus: 100, ratePerSec: 90_000, reasons }),
    aCell({ vus: 500, ratePerSec: 99_000, record: { status: 'failed' } }),
  ];
  const knee = kneeOf(openCell, records);
  assert.deepEqual(knee, { get: { ratePerSec: 90_000, usable: false } });
  assert.deepEqual(kneeUnknownOf(openCell, knee, ['get']), ['get']);
  const fixed = /** @type {any} */ ({ step: { model: 'open', ratePerSec: 100 } });
  assert.deepEqual(kneeUnknownOf(fixed, knee, ['get']), [], 'a load that is given takes no share');
  assert.deepEqual(kneeOf(openCell, records.slice(2)), {});
});

test('an open step takes its share of the knee, and has no target without one', () => {
  const knee = { get: { ratePerSec: 90_001, usable: true } };
  assert.deepEqual(targetRates(openCell, knee, ['get']), { get: 45_000 });
  const bounded = /** @type {any} */ ({ step: { ...openCell.step, mostPerSec: 1000 } });
  assert.deepEqual(targetRates(bounded, knee, ['get']), { get: 1000 });
  assert.deepEqual(targetRates(bounded, { get: { ratePerSec: 900, usable: true } }, ['get']), { get: 450 });
  assert.deepEqual(targetRates(openCell, {}, ['get']), {});
  const fixed = /** @type {any} */ ({ step: { model: 'open', ratePerSec: 100 } });
  assert.deepEqual(targetRates(fixed, {}, ['get']), { get: 100 });
  assert.deepEqual(targetRates(/** @type {any} */ ({ step: { model: 'closed' } }), knee, ['get']), {});
});

test('k6’s own last error is the reason, and a crossed threshold is no failure', () => {
  const log = [
    '{"level":"warning","msg":"w"}',
    '{"level":"error","msg":"no such host\\n\\tat setup (main.js:1)"}',
  ];
  assert.deepEqual(k6Outcome({ code: 107, signal: null }, log), {
    ok: false,
    reason: 'k6 ended with code 107 (the script threw outside of an iteration): no such host',
  });
  assert.equal(k6Outcome({ code: 99, signal: null }, []).ok, true);
  assert.match(k6Outcome({ code: null, signal: 'SIGKILL' }, []).reason, /was ended by SIGKILL: no message/);
});

test('a file is written whole or not at all', () => {
  const path = join(work, 'deep', 'file.json');
  writeFileAtomic(path, 'one');
  writeFileAtomic(path, 'two');
  assert.equal(readFileSync(path, 'utf8'), 'two');
  writeFileSync(join(work, 'plain'), '');
  assert.throws(
    () => writeFileAtomic(join(work, 'plain', 'x'), ''),
    /cannot write .*part of the path is a file/,
  );
});

test('a stopped child takes its whole group with it, even when it ignores SIGTERM', async () => {
  const script = "trap '' TERM; sleep 60 & sleep 60 & wait; wait";
  const child = await startChild(['sh', '-c', script], { logPath: join(work, 'stubborn.log') });
  await child.stop(200);
  assert.equal(child.running(), false);
  assert.throws(() => process.kill(-child.pid, 0), /ESRCH/);
});

test('a program that is not there is said in one line', async () => {
  await assert.rejects(
    startChild(['/no/such/program'], { logPath: join(work, 'x.log') }),
    /cannot start \/no\/such\/program/,
  );
});

test('another process that holds the port is not taken for ours', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const server = createServer((socket) => socket.end('+PONG\r\n'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const child = await startChild(['sleep', '30'], { logPath: join(work, 'sleep.log') });
  const check = { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 2 };
  const { ready } = await waitUntilReady(check, {
    host: '127.0.0.1',
    port,
    stillRunning: child.running,
    signal: new AbortController().signal,
  });
  assert.equal(ready, true, 'it answers as if it were ready');
  assert.equal(groupListens(port, child.pid), false, 'but the socket is not of its group');
  await child.stop();
  server.close();
});
