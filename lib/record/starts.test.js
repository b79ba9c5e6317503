import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as hdr from 'hdr-histogram-js';
import { winnerOf } from '../figures/compare.js';
import { rowsOf } from '../figures/rows.js';
import {
  areOver,
  asPromised,
  comparisonsOfStarts,
  isOpen,
  isOver,
  nextPaired,
  summaryOfStarts,
  wantedOf,
} from '../figures/side-by-side.js';
import { samplesOf } from './records.js';
import { buildStart } from './starts.js';

/** @import { HistogramExport, Plan, StartRaw, ThreadShares } from '../types.d.ts' */

const group = {
  repeat: null,
  workload: 'w',
  transport: 'resp',
  systems: ['a', 'b'],
  twinOf: 'a',
  pairs: [
    { a: 'a', b: 'b', kind: 'rivals', cells: ['get.c1'] },
    { a: 'a', b: 'a', kind: 'same', cells: ['get.c1'] },
  ],
  cells: [
    {
      ...{ id: 'get.c1', stepId: 'c1', operation: 'get', connections: 50, depth: 1 },
      parts: [{ op: 'get', share: 1 }],
    },
  ],
  fill: [],
};
const plan = /** @type {Plan} */ (
  /** @type {unknown} */ ({
    ...{ runId: 'r', workloads: [], hostCores: 2, profile: { thresholds: {} } },
    systems: ['a', 'b'].map((id) => ({
      id,
      title: id,
      engine: 'native',
      durability: { policy: 'none', meaning: '' },
    })),
    trials: [group],
    sideBySide: { placement: { systems: [1], generator: [0] } },
  })
);

const SOUND = Object.freeze({ status: /** @type {const} */ ('VALID'), reasons: [] });

/** @param {import('../types.d.ts').StartRecord['pairs'][number]} pair @returns {string | null} of the first reason why it does not count */
const codeOf = ({ verdict }) => verdict.reasons[0]?.code ?? null;

/** @param {number} cpuSec in 0.7 s @returns {ThreadShares} */
const threads = (cpuSec) => ({
  seconds: 0.7,
  cpuSec,
  waitSec: 0,
  busiest: { run: cpuSec / 0.7, wait: 0.02 },
});
const done = { acked: 0, failed: 0, aborted: 0, endedMs: 0 };
const host = { busySec: 1.2, stealSec: 0.014, totalSec: 1.4 };

/**
 * @param {{cpuOfB?: number, failed?: number, start?: number}} [of] CPU-seconds of b in the slice, failed operations of a
 * @returns {StartRaw}
 */
function raw({ cpuOfB = 0.4, failed = 0, start = 1 } = {}) {
  const side = (/** @type {string} */ name, /** @type {number} */ lane, /** @type {string} */ system) => ({
    name,
    lane,
    system,
    version: '1',
    warm: true,
    idleCores: 0.01,
  });
  return {
    schemaVersion: 1,
    group: 0,
    start,
    status: 'ok',
    reason: null,
    startedAt: '',
    durationMs: 1,
    // The other way round, as in every second start: the loop of a side is its lane, whatever its name.
    sides: [side('s1', 0, 'b'), side('s0', 1, 'a')],
    slices: [
      {
        kind: 'pair',
        cell: 'get.c1',
        cutsMs: [1000, 1700],
        sides: [
          { name: 's1', threads: threads(cpuOfB), report: done },
          { name: 's0', threads: threads(0.2), report: { ...done, failed } },
        ],
        host,
        generator: threads(0.3),
      },
      {
        kind: 'alone',
        cell: 'get.c1',
        cutsMs: [3000, 3700],
        sides: [{ name: 's0', threads: threads(0.66), report: done }],
        host,
        generator: threads(0.3),
      },
    ],
  };
}

/** Each loop acknowledges 100 operations a millisecond for its own side. @returns {HistogramExport} */
function exported() {
  const histogram = hdr.build({ numberOfSignificantValueDigits: 3 });
  for (let i = 0; i < 1000; i++) histogram.recordValue(5000);
  const mark = (/** @type {string} */ name, /** @type {number} */ lane, /** @type {number} */ at) => ({
    momentMs: at,
    atMs: at + 1,
    cpuNs: at * 300_000,
    waitNs: at * 100_000,
    operations: [
      { op: `${name}/get`, phase: 'load', lane, acked: at * 100 },
      { op: 'other/get', phase: 'load', lane, acked: at * 9 },
    ],
  });
  const loop = (/** @type {string} */ name, /** @type {number} */ lane) => ({
    loop: lane,
    tid: 1,
    cpus: [0],
    marks: [1000, 1700, 3000, 3700].map((at) => mark(name, lane, at)),
  });
  return /** @type {any} */ ({
    schemaVersion: 1,
    notes: { oracle: { s0: { ok: true, acked: 5, stored: 5 }, s1: { ok: true, acked: 6, stored: 6 } } },
    loops: [loop('s1', 0), loop('s0', 1)],
    windows: [
      {
        op: 's0/get',
        phase: 'alone/get.c1',
        startMs: 3000,
        endMs: 3700,
        count: 70_000,
        meanMs: 0.5,
        service: { encoding: 'V2', unit: '100ns', data: hdr.encodeIntoCompressedBase64(histogram) },
      },
    ],
  });
}

test('a pair is operations by the loops’ marks per CPU-second by the threads’ accounts, in the plan’s order', () => {
  const [pair] = buildStart(raw(), exported(), plan).pairs;
  assert.deepEqual([pair.a, pair.b, pair.verdict], ['a', 'b', SOUND]);
  assert.ok(Math.abs(Number(pair.logRatio) - Math.log(2)) < 1e-4, 'the same operations for half the CPU');
  assert.deepEqual(pair.operationsPerCpuSec, { a: 350_000, b: 175_000 });
});

test('alone: throughput and times of the window, and who set them by the threads', () => {
  const [alone] = buildStart(raw(), exported(), plan).alone;
  assert.deepEqual([alone.system, alone.step.vus, alone.repeat], ['a', 50, 1]);
  const { get } = alone.operations;
  assert.equal(get.ratePerSec, 100_000);
  assert.ok(Math.abs(Number(get.serviceMs?.p50) - 0.5) < 0.01);
  assert.ok(Math.abs(Number(get.systemCpuUsPerOp) - 9.429) < 0.01);
  assert.equal(get.setBy, 'system', JSON.stringify(get.shares));
  assert.deepEqual(get.verdict, { status: 'VALID', reasons: [] });
});

test('errors, no evidence and an export that is missing are said, and make no ratio', () => {
  assert.equal(codeOf(buildStart(raw({ failed: 1 }), exported(), plan).pairs[0]), 'errors');
  const blind = raw();
  blind.slices[0].sides[0].threads = null;
  assert.equal(codeOf(buildStart(blind, exported(), plan).pairs[0]), 'no_evidence');
  const lost = buildStart(raw(), null, plan);
  assert.deepEqual([lost.status, lost.reason, lost.pairs], ['failed', 'k6 left no export', []]);
});

test('of containers whose sums alone are seen a pair is compared all the same, and an absolute figure is a bound unless the client had time', () => {
  const sums = raw();
  for (const slice of sums.slices)
    for (const side of slice.sides)
      side.threads = { .../** @type {ThreadShares} */ (side.threads), waitSec: null, busiest: null };
  const { pairs, alone } = buildStart(sums, exported(), plan);
  assert.deepEqual(
    [codeOf(pairs[0]), pairs[0].logRatio],
    [null, buildStart(raw(), exported(), plan).pairs[0].logRatio],
  );
  const { get } = alone[0].operations;
  assert.deepEqual([get.setBy, get.shares.system], ['system', { least: 0.471, most: 0.943 }]);
  assert.ok(Number(get.systemCpuUsPerOp) > 0);
  const busy = exported();
  for (const { marks } of busy.loops ?? []) for (const mark of marks) mark.cpuNs = Number(mark.cpuNs) * 2;
  assert.equal(
    buildStart(sums, busy, plan).alone[0].operations.get.setBy,
    'unattributed',
    'a loop that has 0.3 to spare',
  );
});

test('others’ work is what is left of the host’s after the systems and the load', () => {
  const { host: seen } = buildStart(raw(), exported(), plan);
  assert.ok(Math.abs(Number(seen.foreignCores) - 0.39) < 0.1, JSON.stringify(seen));
  assert.equal(seen.stealShare, 0.01);
});

test('a slice in several pieces is one value: what both did in all of them', () => {
  const two = raw();
  const [pair] = two.slices;
  // The later piece alone would say 4: half of the time at 2, half at 4 is not their mean.
  const [b, a] = pair.sides;
  two.slices.push({
    ...pair,
    cutsMs: [3000, 3700],
    sides: [
      { ...b, threads: threads(0.4) },
      { ...a, threads: threads(0.1) },
    ],
  });
  const { pairs } = buildStart(two, exported(), plan);
  assert.equal(pairs.length, 1);
  assert.ok(Math.abs(Number(pairs[0].logRatio) - Math.log(0.8 / 0.3)) < 1e-4, String(pairs[0].logRatio));
});

test('what a loop noted too late is left out; where nothing else is there the slice does not count', () => {
  const late = exported();
  for (const { marks } of late.loops ?? []) marks[0].atMs += 60;
  assert.equal(codeOf(buildStart(raw(), late, plan).pairs[0]), 'late');
  const two = raw();
  const [b, a] = two.slices[0].sides;
  two.slices.push({ ...two.slices[0], cutsMs: [3000, 3700], sides: [b, { ...a, threads: threads(0.1) }] });
  const [pair] = buildStart(two, late, plan).pairs;
  assert.ok(Math.abs(Number(pair.logRatio) - Math.log(4)) < 1e-4, 'of the piece that was in time');
});

test('what the hypervisor took too much of is left out, by the plan’s limit; of an absolute figure the calmest try stands', () => {
  const limited = /** @type {any} */ ({
    ...plan,
    sideBySide: { maxStarts: 12 },
  });
  const stolen = { ...host, stealSec: 0.5 };
  const two = raw();
  const [b, a] = two.slices[0].sides;
  two.slices[0].host = stolen;
  assert.equal(codeOf(buildStart(two, exported(), limited).pairs[0]), 'stolen');
  two.slices.push({
    ...two.slices[0],
    host,
    cutsMs: [3000, 3700],
    sides: [b, { ...a, threads: threads(0.1) }],
  });
  const [pair] = buildStart(two, exported(), limited).pairs;
  assert.ok(Math.abs(Number(pair.logRatio) - Math.log(4)) < 1e-4, 'of the calm piece');
  const tries = raw();
  const first = { ...tries.slices[1], host: stolen, cutsMs: /** @type {[number, number]} */ ([1000, 1700]) };
  tries.slices.splice(1, 0, first);
  const once = exported();
  once.windows.push({
    ...once.windows[0],
    phase: 'alone/get.c1/again',
    startMs: 1000,
    endMs: 1700,
    count: 7,
  });
  const { alone } = buildStart(tries, once, limited);
  assert.deepEqual(
    alone.map((x) => x.operations.get.ratePerSec),
    [100_000],
  );
});

test('a cell may ask for other numbers of operations than the method', () => {
  const few = exported();
  for (const { marks } of few.loops ?? [])
    for (const mark of marks) for (const o of mark.operations) o.acked = Math.round(o.acked / 100);
  assert.equal(codeOf(buildStart(raw(), few, plan).pairs[0]), 'too_few');
  const least = { ...group, cells: [{ ...group.cells[0], minOperations: 200 }] };
  const patient = /** @type {any} */ ({ ...plan, trials: [least] });
  assert.equal(codeOf(buildStart(raw(), few, patient).pairs[0]), null);
});

test('who takes turns with another has half of the time, and is no idler for it', () => {
  const little = raw();
  for (const side of little.slices[0].sides) side.threads = threads(0.025);
  assert.equal(codeOf(buildStart(little, exported(), plan).pairs[0]), 'idle');
  const turns = { ...group, cells: [{ ...group.cells[0], slotMs: 50 }] };
  const taken = /** @type {any} */ ({ ...plan, trials: [turns] });
  assert.equal(codeOf(buildStart(little, exported(), taken).pairs[0]), null);
});

test('a system against itself that was not seen often enough is no reason to trust a run', () => {
  const starts = [1, 2, 3, 4, 5].map((start) => buildStart(raw({ start }), exported(), plan));
  assert.equal(summaryOfStarts(/** @type {any} */ (group), starts).trust, 'untested');
  const self = (/** @type {number} */ logRatio) =>
    starts.map((s) => ({ ...s, pairs: [...s.pairs, { ...s.pairs[0], b: 'a', logRatio }] }));
  const held = summaryOfStarts(/** @type {any} */ (group), self(0.001));
  assert.equal(held.trust, 'held');
  const ahead = summaryOfStarts(/** @type {any} */ (group), self(0.4));
  assert.equal(ahead.trust, 'ahead');
  assert.equal(summaryOfStarts(/** @type {any} */ (group), self(0.001).slice(0, 4)).trust, 'untested');
});

test('five starts that agree decide; a start with a wrong state counts for nothing', () => {
  const starts = [0.4, 0.41, 0.39, 0.4, 0.4].map((cpuOfB, i) =>
    buildStart(raw({ cpuOfB, start: i + 1 }), exported(), plan),
  );
  const [rivals] = comparisonsOfStarts(/** @type {any} */ (group), starts);
  assert.deepEqual([rivals.outcome, winnerOf(rivals)], ['winner', 'a']);
  const [system] = starts[2].systems;
  starts[2].systems[0] = { ...system, oracle: { ok: false, acked: 5, stored: 4, detail: '' } };
  const summary = summaryOfStarts(/** @type {any} */ (group), starts);
  assert.equal(summary.comparisons[0].outcome, 'too few', 'four starts are too few');
  assert.equal(summary.state.wrong.length, 1);
  assert.equal(rowsOf(starts.flatMap(samplesOf))[0].ratePerSec?.median, 100_000);
});

test('a run is over when its comparisons are decided or its starts are used up; never when one failed or was interrupted', () => {
  const starts = [1, 2, 3, 4, 5].map((start) => buildStart(raw({ start }), exported(), plan));
  const over = (/** @type {any[]} */ own, maxStarts = 12, more = {}) =>
    areOver(
      /** @type {any} */ ({
        systems: [],
        trials: [group],
        sideBySide: { maxStarts, maxMinutes: null, ...more },
      }),
      own,
    );
  assert.equal(over([]), false);
  assert.equal(over(starts), false, 'one system against itself is still open');
  assert.equal(over(starts, 5), true);
  assert.equal(over(starts, 5, { untilDecided: true }), false);
  assert.equal(over(starts.slice(0, 2), 12, { maxMinutes: 3 }), true, 'its time was up');
  const cut = [...starts.slice(0, 4), { ...starts[4], status: 'aborted' }];
  assert.equal(over(cut, 5), false);
  const dead = starts.slice(0, 3).map((s) => ({ ...s, status: 'failed' }));
  assert.equal(over(dead), false, 'what failed is measured again');
});

test('where a slice did not count, the starts end as soon as all is decided, between two looks too', () => {
  const starts = [0.4, 0.41, 0.39, 0.4, 0.4, 0.4].map((cpuOfB, i) => {
    const start = buildStart(raw({ cpuOfB, start: i + 1 }), exported(), plan);
    const logRatio = i === 2 ? null : 0.001 * (i % 2);
    return { ...start, pairs: [...start.pairs, { ...start.pairs[0], b: 'a', logRatio }] };
  });
  const campaign = /** @type {any} */ ({
    systems: [],
    trials: [group],
    sideBySide: { maxStarts: 12, maxMinutes: null },
  });
  assert.equal(areOver(campaign, starts.slice(0, 5)), false, 'four slices of one against itself are too few');
  assert.equal(areOver(campaign, starts), true, 'a seventh start would have nobody to load');
});

test('a headline that is decided is loaded on until its interval is narrow, or twelve starts are done', () => {
  const start = buildStart(raw({}), exported(), plan);
  const ofGroup = /** @type {any} */ ({
    ...group,
    pairs: group.pairs.slice(0, 1),
    headline: [start.pairs[0].cell],
  });
  const apart = (/** @type {number} */ spread) =>
    Array.from({ length: 12 }, (_, i) => ({
      ...start,
      pairs: start.pairs.map((p) => ({ ...p, verdict: SOUND, logRatio: 0.7 + (i % 2 ? spread : -spread) })),
    }));
  const ordinary = { untilDecided: false };
  const over = (/** @type {any} */ own, /** @type {number} */ starts, maxStarts = 40) =>
    isOver({ ...ordinary, maxStarts }, own, apart(0.15).slice(0, starts));
  const wanted = (/** @type {number} */ spread) =>
    wantedOf(ordinary, ofGroup, apart(spread).slice(0, 5)).map((c) => c.outcome);
  assert.deepEqual(wanted(0.15), ['winner'], 'decided, but wide');
  assert.deepEqual(wanted(0.01), []);
  assert.equal(over(ofGroup, 5), false);
  assert.equal(over(ofGroup, 5, 5), true, 'no more starts than were asked for');
  assert.equal(over(ofGroup, 12), true);
  const until = (/** @type {number} */ spread) =>
    isOver({ maxStarts: 12, untilDecided: true }, ofGroup, apart(spread));
  assert.deepEqual([until(0.15), until(0.01)], [false, true], 'with --until-decided until it is narrow');
  assert.equal(
    over({ ...ofGroup, headline: [] }, 5),
    true,
    'of what no headline is about, a winner is enough',
  );
});

test('with --until-decided what is decided but wide is loaded on, after headlines and what is open', () => {
  const start = buildStart(raw({}), exported(), plan);
  const [pair] = start.pairs;
  const ofGroup = /** @type {any} */ ({
    ...group,
    pairs: [{ ...group.pairs[0], cells: [pair.cell, 'other'] }],
    cells: [...group.cells, { ...group.cells[0], id: 'other' }],
    headline: [pair.cell],
  });
  const starts = (/** @type {number} */ ofHeadline, /** @type {number} */ ofOther) =>
    Array.from({ length: 5 }, (_, i) => {
      const slice = (/** @type {string} */ cell, /** @type {number} */ spread) => ({
        ...{ ...pair, cell, verdict: SOUND, logRatio: 0.7 + (i % 2 ? spread : -spread) },
      });
      return { ...start, pairs: [slice(pair.cell, ofHeadline), slice('other', ofOther)] };
    });
  const wanted = (/** @type {boolean} */ untilDecided, /** @type {[number, number]} */ ...spreads) =>
    wantedOf({ untilDecided }, ofGroup, starts(...spreads)).map((c) => c.cell);
  assert.deepEqual(wanted(true, 0.15, 0.15), [pair.cell], 'the headline alone');
  assert.deepEqual(wanted(true, 0.01, 0.15), ['other']);
  assert.deepEqual(wanted(true, 0.01, 0.01), []);
  assert.deepEqual(wanted(false, 0.01, 0.15), []);
  const next = (/** @type {[number, number]} */ ofFirst, /** @type {[number, number]} */ ofSecond) => {
    const all = [ofFirst, ofSecond].flatMap((spreads, index) =>
      starts(...spreads).map((s) => ({ ...s, group: index })),
    );
    const systems = /** @type {any} */ (
      ['a', 'b'].map((id) => ({ id, durability: { policy: 'none', meaning: '' } }))
    );
    const sideBySide = { maxStarts: 5, untilDecided: true };
    const campaign = /** @type {any} */ ({ systems, trials: [ofGroup, ofGroup], sideBySide });
    return nextPaired(campaign, all, false)?.index ?? null;
  };
  assert.equal(next([0.01, 0.15], [0.15, 0.01]), 1, 'a group whose headline is wide goes before');
  assert.equal(next([0.01, 0.15], [0.01, 0.01]), 0);
  assert.equal(next([0.01, 0.01], [0.01, 0.01]), null);
});

test('a server that takes 0.3 core without load is not compared by its CPU, and costs no further starts', () => {
  const ofGroup = /** @type {any} */ (group);
  const startOf = (/** @type {number} */ start, /** @type {number | null} */ idleOfB) => {
    const own = raw({ start });
    for (const side of own.sides) if (side.system === 'b') side.idleCores = idleOfB;
    return buildStart(own, exported(), plan);
  };
  const rivals = (/** @type {(number | null)[]} */ idle) =>
    comparisonsOfStarts(
      ofGroup,
      idle.map((cores, i) => startOf(i + 1, cores)),
    )[0];
  const spinning = rivals([0.3, 0.3, 0.31]);
  assert.deepEqual([spinning.ratio, spinning.why], [null, [{ code: 'spins_when_idle' }]]);
  assert.equal(isOpen(spinning), false);
  assert.ok(rivals([0.3, 0.01, 0.02]).ratio, 'one start that was still coming up decides nothing');
  assert.ok(rivals([null, null]).ratio, 'what was not seen is not held against it');
  assert.deepEqual(summaryOfStarts(ofGroup, [startOf(1, 0.3)]).spinning, ['b']);
});

test('what a system keeps in memory is the median of its starts, of itself and not of its copy', () => {
  const startOf = (/** @type {number} */ start, /** @type {number | null | undefined} */ rssBytes) => {
    const own = raw({ start });
    for (const side of own.sides) if (rssBytes !== undefined) side.rssBytes = rssBytes;
    // As every second start has them: the copy first.
    own.sides.unshift({ ...own.sides[0], name: 's2', rssBytes: 99 });
    return buildStart(own, exported(), plan);
  };
  const memoryOf = (/** @type {(number | null | undefined)[]} */ ...all) =>
    summaryOfStarts(
      /** @type {any} */ (group),
      all.map((bytes, i) => startOf(i + 1, bytes)),
    ).memory.find(({ system }) => system === 'b')?.rssBytes;
  const seen = memoryOf(10, 30, null, 20);
  assert.deepEqual([seen?.median, seen?.n], [20, 3], 'a start in which it was not seen says nothing');
  assert.equal(memoryOf(null, null), null);
});

test('what stays open goes on when every group has had its starts, and takes turns then', () => {
  const start = buildStart(raw({}), exported(), plan);
  const alone = /** @type {any} */ ({ ...group, pairs: group.pairs.slice(0, 1), headline: [] });
  const sideBySide = { maxStarts: 12, untilDecided: true };
  const systems = /** @type {any} */ (
    ['a', 'b'].map((id) => ({ id, durability: { policy: 'none', meaning: '' } }))
  );
  const isOpenIn = [true, true];
  /** @param {number} index @param {number} i */
  const started = (index, i) => ({
    ...start,
    group: index,
    pairs: start.pairs.map((p) => ({
      ...p,
      verdict: SOUND,
      logRatio: isOpenIn[index] ? 0.08 + (i % 2 ? 0.3 : -0.3) : 0.7,
    })),
  });
  /** @param {number} until starts in all @param {(starts: any[]) => boolean} [isLate] @param {object} [more] */
  const order = (until, isLate = () => false, more = {}) => {
    /** @type {any[]} */
    const starts = [];
    while (starts.length < until) {
      const campaign = { systems, trials: [alone, alone], sideBySide: { ...sideBySide, ...more } };
      const next = nextPaired(/** @type {any} */ (campaign), starts, isLate(starts));
      if (next === null) break;
      starts.push(started(next.index, next.own.length));
    }
    return starts.map((s) => s.group).join('');
  };
  const twelve = [0, 1].map((i) => `${i}`.repeat(12)).join('');
  assert.equal(order(30), `${twelve}010101`);
  assert.equal(order(30, undefined, { untilDecided: false }), twelve);
  assert.equal(
    order(30, ({ length }) => length >= 3),
    '0001',
    'late, who has none has one all the same',
  );
  isOpenIn[1] = false;
  assert.equal(order(26), `${'0'.repeat(12)}${'1'.repeat(5)}${'0'.repeat(9)}`);
});

test('versions that promise unlike things over a transport are no rivals there, and cost no further starts', () => {
  const ofGroup = /** @type {any} */ (group);
  const start = buildStart(raw(), exported(), plan);
  for (const system of start.systems) if (system.system === 'b') system.version = '2.1';
  const systems = /** @type {any} */ (
    ['a', 'b'].map((id) => ({
      id,
      durability: { policy: 'none', meaning: '' },
      durabilityWhen: [{ from: '2.0', transports: ['resp'], policy: 'fsync', meaning: '' }],
    }))
  );
  const kinds = (/** @type {any} */ of, /** @type {any[]} */ starts) =>
    asPromised(of, systems, starts).pairs.map((p) => p.kind);
  assert.deepEqual(kinds(ofGroup, []), ['rivals', 'same'], 'no version is known yet');
  assert.deepEqual(kinds(ofGroup, [start]), [], 'nobody is left to be compared with');
  assert.deepEqual(kinds({ ...ofGroup, transport: 'http' }, [start]), ['rivals', 'same']);
  const five = [start, start, start, start, start];
  assert.equal(
    isOver({ maxStarts: 12, untilDecided: false }, asPromised(ofGroup, systems, five), five),
    true,
  );
});
