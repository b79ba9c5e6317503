import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restEvery } from '../../k6/turns.js';
import { createRng } from '../stats/rng.js';
import { keyDifferences } from './comparable.js';
import { judge } from './judge.js';
import { littlesLawDeviation } from './littles-law.js';
import { RULES } from './rules.js';
import { aCell } from './testing.js';
import { verdictOf } from './verdict.js';

const context = { thresholds: { errorRatio: 0.001 }, restarted: false };

/** @param {Parameters<typeof aCell>[0]} with_ @param {object} [more] */
function codesOf(with_, more = {}) {
  return judge(aCell(with_), { ...context, ...more }).verdict.reasons.map((r) => r.code);
}

test('a sound cell is VALID', () => {
  const judged = judge(aCell(), context);
  assert.deepEqual(judged.verdict, { status: 'VALID', reasons: [] });
  assert.equal(verdictOf(judged, 'get'), 'VALID');
});

test('a published impossible row is INVALID by Little’s law', () => {
  // 512 connections, 148 906 operations/s and a p99 of 2.19 ms: even if every answer took as long as the p99,
  // only 326 connections could have been busy.
  assert.ok(littlesLawDeviation(512, 148_906, 2.19) > 0.36);
  const cell = aCell({ vus: 512, ratePerSec: 148_906 });
  const result = cell.operations.get;
  const impossible = {
    ...result,
    serviceMs: { .../** @type {any} */ (result.serviceMs), mean: 1.5, p99: 2.19 },
  };
  const judged = judge({ ...cell, operations: { get: impossible } }, context);
  assert.equal(judged.verdict.status, 'INVALID');
  assert.deepEqual(
    judged.verdict.reasons.map((r) => r.code),
    ['littles_law'],
  );
});

test('time outside the operation is part of the law for a generator that has some', () => {
  assert.ok(littlesLawDeviation(20, 10_000, 1.5, 0.5) < 0.001);
  assert.ok(littlesLawDeviation(20, 10_000, 1.5) > 0.2);
});

test('pipelined operations count as in flight', () => {
  assert.deepEqual(codesOf({ vus: 100, depth: 16, ratePerSec: 400_000 }), []);
});

test('a server that says another setting than it was given is not what the report prints', () => {
  const untaken = [{ setting: 'workers', given: '2', stated: '8' }];
  const judged = judge({ ...aCell(), untaken }, context);
  assert.deepEqual(judged.verdict, {
    status: 'INVALID',
    reasons: [{ code: 'setting_not_taken', measured: 'workers 8', limit: '2' }],
  });
});

const UNKNOWN = Object.freeze({ code: 'unlike', key: 'durability' });

test('a figure of an image that has something else in the place of its storage is shown with the reason', () => {
  const judged = judge({ ...aCell(), standIns: ['a store of ours'] }, context);
  assert.deepEqual(judged.verdict, {
    status: 'DEGRADED',
    reasons: [{ code: 'storage_stand_in', measured: 'a store of ours' }],
  });
  assert.equal(RULES.storage_stand_in.bound, undefined, 'so that it is never ranked');
});

test('nobody is compared with a server whose durability is not known', () => {
  const { parity } = aCell();
  assert.deepEqual(keyDifferences(parity, parity), []);
  const unknown = { ...parity, durability: 'unknown' };
  assert.deepEqual(keyDifferences(unknown, unknown), [UNKNOWN]);
});

test('two servers of one product of which neither says what it promises are taken for alike, and no others', () => {
  const { parity } = aCell();
  const of = (/** @type {string} */ durability, /** @type {string} */ product) => ({
    ...parity,
    durability,
    product,
  });
  assert.deepEqual(keyDifferences(of('unknown', 'shop'), of('unknown', 'shop')), []);
  assert.deepEqual(keyDifferences(of('unknown', 'shop'), of('unknown', 'other')), [UNKNOWN]);
  assert.deepEqual(keyDifferences(of('unknown', 'shop'), of('fsync', 'shop')), [UNKNOWN]);
  assert.deepEqual(keyDifferences(of('none', 'shop'), of('fsync', 'shop')), [
    { code: 'unlike', key: 'durability', a: 'none', b: 'fsync' },
  ]);
});

test('a generator that is held to less than a CPU and uses it up makes the cell INVALID', () => {
  const full = { result: { generatorCpuRatio: 0.97 } };
  assert.deepEqual(codesOf({ ...full, parity: { generatorCpus: 0.2 } }), ['generator_starved']);
  assert.deepEqual(
    codesOf({ ...full, parity: { generatorCpus: 1 } }),
    [],
    'its loop tells who set the figure',
  );
});

test('a gate whose metric is missing is not passed', () => {
  const calibration = { record: { role: /** @type {const} */ ('calibration') } };
  assert.deepEqual(
    codesOf({ ...calibration, result: { generatorCpuRatio: 0.99 } }),
    [],
    'a calibration is the generator’s',
  );
  assert.deepEqual(codesOf({ result: { serviceMs: null } }), ['missing_metric']);
  assert.deepEqual(codesOf({ record: { oracle: null } }), ['missing_metric']);
});

test('a state that lost acknowledged writes is INVALID for every operation', () => {
  const oracle = { ok: false, acked: 1000, stored: 999, indeterminate: 0, detail: '' };
  const judged = judge(aCell({ record: { oracle } }), context);
  assert.deepEqual(
    judged.verdict.reasons.map((r) => r.code),
    ['oracle'],
  );
  assert.equal(verdictOf(judged, 'get'), 'INVALID');
});

test('failed operations count against the threshold', () => {
  const errors = { connect: 0, timeout: 2000, protocol: 0, server: 0, other: 0 };
  assert.deepEqual(codesOf({ result: { errors } }), ['errors']);
  const few = { ...errors, timeout: 5 };
  assert.deepEqual(codesOf({ result: { errors: few } }), []);
});

test('a figure that the client set is a bound, and so is one that nobody can be held for', () => {
  const seen = (/** @type {number | null} */ system, /** @type {number | null} */ loop) =>
    codesOf({ result: { busiest: { system, loop } } });
  assert.deepEqual(seen(0.95, 0.6), []);
  assert.deepEqual(seen(0.3, 0.3), []);
  assert.deepEqual(seen(0.6, 0.97), ['set_by_client']);
  assert.deepEqual(seen(null, 0.6), ['unattributed']);
  const [cell] = [aCell({ result: { busiest: { system: 0.6, loop: 0.97 } } })];
  const judged = judge(cell, context);
  assert.deepEqual([judged.verdict.status, judged.operations.get.setBy], ['DEGRADED', 'generator']);
});

test('who used up the quota of its container is full, however many threads shared it', () => {
  const inBox = (/** @type {number} */ cores, /** @type {number} */ client) => {
    const cell = aCell({
      parity: { engine: 'docker', cpuLimit: 1, generatorCpus: 1 },
      result: { busiest: { system: 0.4, loop: 0.3 }, generatorCpuRatio: client },
    });
    cell.operations.get.systemCpuUsPerOp = (cores * 1e6) / cell.operations.get.ratePerSec;
    const { setBy, shares } = judge(cell, context).operations.get;
    return [setBy, shares.system?.least, shares.loop?.most];
  };
  assert.deepEqual(inBox(0.97, 0.5), ['system', 0.97, 0.5]);
  assert.deepEqual(inBox(0.6, 0.4), ['waits', 0.6, 0.4]);
  assert.deepEqual(inBox(0.6, 0.95), ['generator', 0.6, 0.95]);
});

test('nobody sets the rate of a schedule, and a server that spins is not held for a figure', () => {
  assert.equal(judge(aCell({ record: { step } }), context).operations.get.setBy, null);
  assert.deepEqual(codesOf({ record: { idleCores: 0.3 } }), ['unattributed']);
});

test('a restart in mid-cell and too few operations are INVALID', () => {
  assert.deepEqual(codesOf({}, { restarted: true }), ['restarted']);
  assert.deepEqual(codesOf({ result: { count: 12 } }), ['too_few']);
});

const step = {
  id: 'open',
  model: /** @type {const} */ ('open'),
  vus: 100,
  durationSec: 10,
  fractionOfKnee: 0.5,
};
const latency = { min: 0.1, mean: 1, sd: 1, p50: 1, p90: 2, p95: 2, p99: 3, p999: 4, max: 5 };

/** @param {object} result */
function openCodes(result) {
  const base = { targetPerSec: 100_000, responseMs: latency, lagMs: latency };
  return codesOf({ record: { step }, result: { ...base, ...result } });
}

test('the open model is gated by lag, drops and the achieved rate, not by Little’s law', () => {
  assert.deepEqual(openCodes({}), []);
  assert.deepEqual(openCodes({ lagMs: { ...latency, p99: 40 } }), ['schedule_lag']);
  assert.deepEqual(openCodes({ count: 900_000, dropped: 100_000 }), ['dropped']);
  assert.deepEqual(openCodes({ dropped: 100_000 }), ['schedule_exceeded', 'dropped']);
  assert.deepEqual(openCodes({ targetPerSec: 120_000 }), ['target_missed']);
  assert.deepEqual(openCodes({ responseMs: null }), ['missing_metric']);
});

test('a share of a knee that no usable step gave is shown, never ranked', () => {
  const open = { record: { step }, result: { targetPerSec: 100_000, responseMs: latency, lagMs: latency } };
  assert.deepEqual(codesOf(open, { kneeUnknown: ['ping'] }), []);
  assert.deepEqual(codesOf(open, { kneeUnknown: ['get'] }), ['knee_unknown']);
  const judged = judge(aCell(open), { ...context, kneeUnknown: ['get'] });
  assert.equal(verdictOf(judged, 'get'), 'DEGRADED');
});

test('every reason is explained in one sentence', () => {
  for (const { text } of Object.values(RULES)) assert.ok(text.length > 20 && !text.endsWith('.'));
});

test('a step by count may rest at its end for as long as its slowest operation, a step by time may not', () => {
  const result = { count: 400, durationMs: 650, ratePerSec: 615 };
  const latency = { min: 5, mean: 52, sd: 30, p50: 40, p90: 90, p95: 110, p99: 140, p999: 140, max: 145 };
  const codes = (/** @type {object} */ step) => {
    const cell = aCell({ vus: 40, ratePerSec: 615, result: { ...result, serviceMs: latency } });
    const record = { ...cell, step: { ...cell.step, ...step } };
    const judged = judge(record, {
      thresholds: { minOperations: 200 },
      restarted: false,
    });
    return judged.verdict.reasons.map((r) => r.code);
  };
  assert.deepEqual(codes({ durationSec: 10 }), ['window_too_short', 'littles_law']);
  assert.deepEqual(codes({ durationSec: undefined, operations: 400 }), []);
});

test('a window that operations outlast is no measurement of them; one that fits, at the same rate, is', () => {
  // A published row: 1 000 users, 4370 a second, p99 540 ms, out of 0.5 s. Its mean had to be 229 ms.
  const codes = (/** @type {number} */ durationMs, /** @type {number} */ mean) => {
    const serviceMs = { min: 9, mean, sd: 90, p50: 80, p90: 400, p95: 470, p99: 540, p999: 560, max: 570 };
    const result = { durationMs, count: Math.round(4.37 * durationMs), serviceMs };
    const cell = aCell({ vus: 1000, ratePerSec: 4370, result });
    return judge(cell, { thresholds: {}, restarted: false }).verdict.reasons.map((r) => r.code);
  };
  assert.deepEqual(codes(500, 175), ['window_too_short', 'littles_law']);
  assert.deepEqual(codes(2690, 229), ['window_too_short']);
  assert.deepEqual(codes(2710, 229), []);
  // Answers of 7 s, 1 000 users: 143 a second within 5 %.
  const slow = {
    min: 6500,
    mean: 7000,
    sd: 50,
    p50: 7000,
    p90: 7100,
    p95: 7150,
    p99: 7200,
    p999: 7300,
    max: 7300,
  };
  const row = (/** @type {number} */ ratePerSec) => {
    const result = { durationMs: 120_000, count: 120 * ratePerSec, serviceMs: slow };
    const cell = aCell({ vus: 1000, ratePerSec, result });
    return judge(cell, { thresholds: {}, restarted: false }).verdict.status;
  };
  assert.deepEqual([143, 137, 132].map(row), ['VALID', 'VALID', 'INVALID']);
});

test('what failed is in Little’s law with the time that it took', () => {
  // 20 users, 46 answers a second of 100 ms, and 15 conflicts a second of 1 s.
  const judged = (/** @type {number | undefined} */ failedMs) => {
    const serviceMs = {
      min: 90,
      mean: 100,
      sd: 5,
      p50: 100,
      p90: 105,
      p95: 108,
      p99: 110,
      p999: 112,
      max: 120,
    };
    const result = { count: 460, durationMs: 10_000, errors: { server: 154 }, serviceMs };
    const own = failedMs === undefined ? result : { ...result, failedMs };
    const cell = aCell({ vus: 20, ratePerSec: 46, result: own });
    const { verdict } = judge(cell, {
      thresholds: { minOperations: 100 },
      restarted: false,
    });
    return [verdict.status, verdict.reasons.map((r) => r.code)];
  };
  assert.deepEqual(judged(154_000), ['DEGRADED', ['errors']], 'a result: all users are accounted for');
  assert.deepEqual(judged(15_000), ['INVALID', ['errors', 'littles_law']], 'three of four users did nothing');
  assert.deepEqual(judged(undefined), ['DEGRADED', ['errors']], 'k6 times no failure of a script');
});

test('users that begin and end after each other count for as long as they were there', () => {
  // A real window of 400 operations by 40 users: all of its 29 % of idle users are at its edges, or none is.
  const result = { count: 400, durationMs: 171.8, ratePerSec: 2328 };
  const latency = { min: 1, mean: 12.6, sd: 5, p50: 12, p90: 20, p95: 21, p99: 26, p999: 29, max: 29 };
  const deviation = (/** @type {number} */ presentMs) => {
    const own = { ...result, serviceMs: latency, presentMs };
    const cell = aCell({ vus: 40, ratePerSec: 2328, result: own });
    const record = { ...cell, step: { ...cell.step, durationSec: undefined, operations: 400 } };
    const context = { thresholds: { minOperations: 200 }, restarted: false };
    return judge(record, context).verdict.reasons;
  };
  const busyMs = 400 * 12.6;
  assert.deepEqual(deviation(busyMs * 1.04), [], 'the edges explain it');
  const [reason, ...others] = deviation(busyMs * 1.1);
  assert.deepEqual([reason.code, reason.limit, others.length], ['littles_law', 0.05, 0]);
  assert.equal(deviation(40 * 171.8)[0].code, 'littles_law', 'no allowance for the slowest one is added');
  assert.equal(deviation(busyMs * 0.9)[0].code, 'littles_law', 'more work than the users were there for');
});

test('idle users of a client that set the figure are its own turn from reply to request, to 10 %, and no more', () => {
  /** @param {number} busyShare @param {{system: number, loop: number}} busiest @param {'system' | 'calibration'} [role] */
  const codes = (busyShare, busiest, role = 'system') => {
    const usual = aCell({ vus: 20, ratePerSec: 50_000, record: { role } });
    const { serviceMs } = usual.operations.get;
    const mean = busyShare * Number(serviceMs?.mean);
    const cell = aCell({
      vus: 20,
      ratePerSec: 50_000,
      result: { busiest, serviceMs: serviceMs && { ...serviceMs, mean } },
      record: { role },
    });
    const context = { thresholds: {}, restarted: false };
    return judge(cell, context).verdict.reasons.map((r) => r.code);
  };
  const byClient = { system: 0.3, loop: 0.98 };
  assert.deepEqual(codes(0.93, byClient), ['set_by_client']);
  assert.deepEqual(codes(0.88, byClient), ['set_by_client', 'littles_law'], 'users that do not exist');
  assert.deepEqual(codes(1.07, byClient), ['set_by_client', 'littles_law'], 'busier than they were there');
  assert.deepEqual(codes(0.93, { system: 0.98, loop: 0.3 }), ['littles_law']);
  assert.deepEqual(codes(0.93, byClient, 'calibration'), []);
});

test('an operation beside a mix, and one that is received, have gates of their own', () => {
  const few = { count: 20, users: 2 };
  const cell = aCell({ vus: 100, ratePerSec: 2, result: few });
  const [context] = [{ thresholds: {}, restarted: false }];
  const latency = { ...cell.operations.get.serviceMs, mean: 1000, p99: 1200 };
  const with_ = (/** @type {object} */ more) => ({
    ...cell,
    operations: { get: { ...cell.operations.get, serviceMs: /** @type {any} */ (latency), ...more } },
  });
  const codes = (/** @type {object} */ more) =>
    judge(with_(more), context).verdict.reasons.map((r) => r.code);
  assert.deepEqual(codes({}), [], '2 users at 1 s each are 2 a second');
  assert.deepEqual(codes({ users: undefined }), ['too_few', 'littles_law']);
  assert.deepEqual(codes({ received: true, ratePerSec: 50_000, count: 500_000, users: 4 }), []);
});

/** Exponential service times of three operations in turns, mean ms. */
const ROUND = /** @type {const} */ (['write', 'write', 'read']);
const MEAN_MS = { write: 12, read: 40 };

/** All users come so much before the window opens; those who think begin within their first pause. */
const WARM_MS = -100;

/**
 * Users who take turns, seen through a window as the recorders see it: what is answered inside it counts.
 * @param {{users: number, windowMs: number, thinkMs: number, slower?: number}} load
 */
function turnsThrough({ users, windowMs, thinkMs, slower = 1 }) {
  const random = createRng(7);
  /** @type {Record<string, number[]>} */
  const seen = { write: [], read: [] };
  /** @type {number[]} */
  const outside = [];
  for (let user = 0; user < users; user++) {
    const arrivesMs = thinkMs > 0 ? random() * thinkMs : 0;
    if (arrivesMs > 0) outside.push(arrivesMs);
    for (let at = WARM_MS + arrivesMs, turn = 1; at < windowMs; turn++) {
      const op = ROUND[(turn - 1) % ROUND.length];
      const ms = -Math.log(1 - random()) * MEAN_MS[op] * slower;
      if (at + ms >= 0 && at + ms < windowMs) seen[op].push(ms);
      const restMs = 0.2 + (turn % restEvery(ROUND.length) === 0 ? thinkMs : 0);
      if (at + ms + restMs < windowMs) outside.push(restMs);
      at += ms + restMs;
    }
  }
  const mean = (/** @type {number[]} */ values) => values.reduce((s, v) => s + v, 0) / values.length;
  const [template] = Object.values(aCell().operations);
  const latency = /** @type {NonNullable<typeof template.serviceMs>} */ (template.serviceMs);
  const operations = Object.fromEntries(
    Object.entries(seen).map(([op, values]) => [
      op,
      {
        ...template,
        count: values.length,
        durationMs: windowMs,
        ratePerSec: (values.length * 1000) / windowMs,
        share: op === 'write' ? 2 / 3 : 1 / 3,
        outsideMs: mean(outside),
        serviceMs: { ...latency, mean: mean(values) },
      },
    ]),
  );
  return aCell({ vus: users, record: { operations } });
}

/**
 * @param {Parameters<typeof turnsThrough>[0]} load
 * @param {(cell: ReturnType<typeof aCell>) => void} [falsify]
 */
function turnCodes(load, falsify = () => {}) {
  const cell = turnsThrough(load);
  falsify(cell);
  const judged = judge(cell, {
    thresholds: { minOperations: 10 },
    restarted: false,
    pauseMs: load.thinkMs,
  });
  return [...new Set(judged.verdict.reasons.map((r) => r.code))];
}

test('operations that take turns are held to Little’s law together, in short windows and with pauses too', () => {
  for (const load of [
    { users: 1, windowMs: 3000, thinkMs: 0 },
    { users: 10, windowMs: 1500, thinkMs: 0 },
    { users: 50, windowMs: 3000, thinkMs: 0 },
    { users: 1, windowMs: 10_000, thinkMs: 500 },
    { users: 10, windowMs: 3000, thinkMs: 500 },
    { users: 20, windowMs: 3000, thinkMs: 0, slower: 20 },
  ])
    assert.deepEqual(turnCodes(load), [], JSON.stringify(load));
});

test('users who think set the throughput themselves, by their pauses', () => {
  const codes = (/** @type {number} */ thinkMs) => {
    const cell = turnsThrough({ users: 10, windowMs: 10_000, thinkMs });
    const context = { thresholds: { minOperations: 10 }, restarted: false, pauseMs: thinkMs };
    for (const op of Object.values(cell.operations)) op.busiest = { system: 0.6, loop: 0.97 };
    return [...new Set(judge(cell, { ...context }).verdict.reasons.map((r) => r.code))];
  };
  assert.deepEqual(codes(500), []);
  assert.deepEqual(codes(0), ['set_by_client']);
});

test('turns with impossible figures are still caught', () => {
  const load = { users: 10, windowMs: 3000, thinkMs: 0 };
  const scale = (/** @type {string[]} */ ops, /** @type {number} */ by) => (/** @type {any} */ cell) => {
    for (const op of ops) cell.operations[op].serviceMs.mean *= by;
  };
  assert.deepEqual(turnCodes(load, scale(['write', 'read'], 0.5)), ['littles_law']);
  assert.deepEqual(turnCodes(load, scale(['write', 'read'], 1.2)), ['littles_law']);
  assert.deepEqual(turnCodes(load, scale(['write'], 0.5)), ['littles_law'], 'one operation alone');
  const pausing = { users: 10, windowMs: 20_000, thinkMs: 500 };
  const forgotten = (/** @type {any} */ cell) => {
    for (const op of ['write', 'read']) cell.operations[op].outsideMs = 0;
  };
  assert.deepEqual(turnCodes(pausing, forgotten), ['littles_law'], 'a pause that nobody counted');
  assert.deepEqual(turnCodes(pausing), []);
  const slow = { users: 20, windowMs: 3000, thinkMs: 0, slower: 20 };
  assert.deepEqual(turnCodes(slow, scale(['write', 'read'], 0.5)), ['littles_law']);
  assert.deepEqual(turnCodes(slow, scale(['write', 'read'], 2)), ['littles_law']);
});

test('operations that were never answered count as failed ones', () => {
  assert.deepEqual(codesOf({ result: { count: 3000, aborted: 2 } }), []);
  assert.deepEqual(codesOf({ result: { count: 3000, aborted: 8 } }), ['errors']);
});

test('what is cut off at the end of a window of slow answers is no error, as far as one for each connection goes', () => {
  const codes = (/** @type {number} */ aborted, /** @type {number} */ p99) => {
    const [usual] = Object.values(aCell({ vus: 50, ratePerSec: 100 }).operations);
    const serviceMs = { .../** @type {any} */ (usual.serviceMs), p99 };
    return codesOf({
      vus: 50,
      ratePerSec: 100,
      parity: { connections: 50, pipelineDepth: 1 },
      result: { aborted, serviceMs },
    }).filter((c) => c === 'errors');
  };
  assert.deepEqual(codes(50, 800), []);
  assert.deepEqual(codes(60, 800), ['errors'], 'more than can have been in flight');
  assert.deepEqual(codes(50, 20), ['errors'], 'who answers in 20 ms and then never');
});

test('a script cannot tell what is stored; its law is that of iterations, and what is only counted has no time', () => {
  const script = { main: 'iterations', untimed: ['checks'], crossed: null };
  const own = (/** @type {Parameters<typeof aCell>[0]} */ with_) => ({ ...with_, record: { oracle: null } });
  assert.deepEqual(codesOf(own({ operation: 'iterations' }), { script }), []);
  assert.deepEqual(codesOf(own({ operation: 'iterations' })), ['missing_metric']);
  const slow = { serviceMs: { .../** @type {any} */ (aCell().operations.get.serviceMs), mean: 90 } };
  assert.deepEqual(codesOf(own({ operation: 'iterations', result: slow }), { script }), ['littles_law']);
  assert.deepEqual(codesOf(own({ operation: 'http_reqs', result: slow }), { script }), []);
  assert.deepEqual(codesOf(own({ operation: 'checks', result: { serviceMs: null } }), { script }), []);
  assert.deepEqual(codesOf(own({ operation: 'http_reqs', result: { serviceMs: null } }), { script }), [
    'missing_metric',
  ]);
  assert.deepEqual(codesOf(own({ operation: 'iterations' }), { script: { ...script, crossed: [] } }), [
    'script_threshold',
  ]);
});

test('a measurement during which the machine was suspended is INVALID, with the time', () => {
  const cell = aCell({ record: { resources: { ...aCell().resources, gapSec: 40.1 } } });
  const { verdict } = judge(cell, { thresholds: {}, restarted: false });
  assert.equal(verdict.status, 'INVALID');
  assert.deepEqual(
    verdict.reasons.filter((r) => r.code === 'clock_gap'),
    [{ code: 'clock_gap', measured: 40.1 }],
  );
  const awake = judge(aCell(), { thresholds: {}, restarted: false });
  assert.equal(awake.verdict.status, 'VALID');
});

test('a system that fails is a result: what it completed stands, with its failures, and a script’s parts fail together', () => {
  const counted = (/** @type {number} */ count, /** @type {number} */ failed) => ({
    count,
    errors: { connect: 0, timeout: 0, protocol: 0, server: failed, other: 0 },
  });
  const cell = aCell({ ratePerSec: 1000, vus: 10 });
  const { get } = cell.operations;
  const operations = { iterations: get, http_reqs: { ...get, ...counted(9000, 1000) } };
  const context = { thresholds: {}, restarted: false };
  const script = { main: 'iterations', untimed: [], crossed: null };
  const { verdict } = judge({ ...cell, operations, oracle: null }, { ...context, script });
  assert.ok(verdict.reasons.every((r) => r.code !== 'littles_law'));
  assert.deepEqual(
    verdict.reasons.filter((r) => r.code === 'errors').map((r) => [r.operation, r.measured]),
    [
      [undefined, 0.1],
      ['http_reqs', 0.1],
    ],
  );
  assert.equal(verdict.status, 'DEGRADED');
  const few = judge(
    { ...cell, operations: { ...operations, http_reqs: { ...get, ...counted(9999, 9) } }, oracle: null },
    { ...context, script },
  );
  assert.ok(
    few.verdict.reasons.every((r) => r.code !== 'errors'),
    'one in a thousand is tolerated',
  );
});
