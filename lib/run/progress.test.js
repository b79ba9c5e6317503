import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { ROOT } from '../paths.js';
import { readJson } from '../store.js';
import { agendaOf } from './conduct.js';
import { createProgress } from './progress.js';

/** @param {Parameters<typeof aCell>[0]} with_ @returns {string} what is said when the cell has ended */
function said(with_) {
  /** @type {string[]} */
  const lines = [];
  const output = {
    say: (/** @type {string} */ text) => lines.push(text),
    paint: (/** @type {string} */ _, /** @type {string} */ text) => text,
  };
  const step = { id: 'c100', model: /** @type {const} */ ('closed'), vus: 100 };
  const cell = /** @type {any} */ ({ id: 'cell', system: 'a', workload: 'counters', step, repeat: 1 });
  const plan = /** @type {any} */ ({
    trials: [{ repeat: 1, cells: [cell] }],
    systems: [{ id: 'a' }],
    workloads: [],
    profile: { steps: [step], coolDownSec: 0, warmupSec: 0, drive: 'burst', dataset: {} },
    options: {},
    estimatedSec: 1,
  });
  createProgress(plan, /** @type {any} */ (output), new Map(), () => 0).ended(
    cell,
    aCell({ ratePerSec: 5000, ...with_ }),
  );
  return lines.join();
}

test('a cell that ended says its figures as the report will', () => {
  assert.match(said({}), /^ {2}a {7}100 users {2}repeat 1 {2}valid +get 5000\/s {2}p99 ≤ 40\.0 ms/);
  assert.match(
    said({ reasons: [{ code: 'set_by_client' }] }),
    /degraded +get ≥ 5000\/s .*may be limited by the load generator/,
  );
});

test('what is INVALID, and a p99 of too few operations, is no figure', () => {
  const invalid = said({ reasons: [{ code: 'littles_law' }] });
  assert.match(invalid, /invalid +the figures contradict each other/);
  assert.doesNotMatch(invalid, /5000/);
  assert.doesNotMatch(said({ result: { count: 99 } }), /p99/);
});

/** A start of a real run in which one system was slow, and how long its starts took. */
const SLOW = readJson(join(ROOT, 'lib', 'plan', 'testdata', 'slow-start.json'));
const STEP = { id: 'c100', model: /** @type {const} */ ('closed'), vus: 100, durationSec: 60 };
const CELL = /** @type {any} */ ({ id: 'cell', system: 'a', workload: 'counters', step: STEP, repeat: 1 });

/** @param {object} [options] of the run */
function watched(options = {}) {
  const clock = { ms: 0 };
  /** @type {string[]} */
  const drawn = [];
  const output = { draw: (/** @type {string} */ text) => drawn.push(text), say: () => {}, paint: () => '' };
  const plan = /** @type {any} */ ({
    trials: [SLOW.trial, { repeat: 1, cells: [CELL] }],
    systems: SLOW.trial.systems.map((/** @type {string} */ id) => ({ id })),
    workloads: [],
    profile: { steps: [STEP], coolDownSec: 0, warmupSec: 0, drive: 'burst', dataset: {} },
    options,
    sideBySide: { maxStarts: SLOW.tookSec.length },
  });
  const progress = createProgress(plan, /** @type {any} */ (output), new Map(), () => clock.ms);
  const last = () => drawn[drawn.length - 1];
  const leftSec = () => {
    const [, min, sec] = /(?:(\d+) min )?(?:(\d+) s )?left/.exec(last()) ?? [];
    return Number(min ?? 0) * 60 + Number(sec ?? 0);
  };
  return { clock, progress, last, leftSec };
}

const agenda = agendaOf(
  SLOW.trial,
  1,
  SLOW.trial.pairs.flatMap((/** @type {any} */ p) =>
    p.cells.map((/** @type {string} */ cell) => ({ ...p, cell })),
  ),
);
const record = /** @type {any} */ ({ start: 1, status: 'failed', systems: [] });

test('the time that is left follows how long the loads of the first start took', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { clock, progress, last, leftSec } = watched();
  progress.starting(SLOW.trial, 1, agenda);
  const atFirst = leftSec();
  for (const slice of SLOW.slices.filter((/** @type {any} */ s) => s.kind !== 'warm')) {
    const cell = SLOW.trial.cells.find((/** @type {any} */ c) => c.id === slice.cell);
    const systems = slice.sides.map(
      (/** @type {any} */ { name }) => SLOW.sides.find((/** @type {any} */ s) => s.name === name).system,
    );
    clock.ms = slice.cutsMs[0] - 150;
    progress.loading(SLOW.trial, cell, systems, 1);
    clock.ms = slice.sides[0].report.endedMs;
    progress.loading(SLOW.trial, cell, systems, Number.POSITIVE_INFINITY);
  }
  const loads = agenda.pairs.length + agenda.alone.length;
  assert.match(last(), new RegExp(`load ${loads} of ${loads}: all operations, `));
  const [, ...others] = SLOW.tookSec;
  const ahead = others.reduce((/** @type {number} */ sum, /** @type {number} */ sec) => sum + sec, 60);
  const isRight = () => Math.abs(leftSec() / ahead - 1) <= 0.25;
  assert.ok(
    isRight(),
    `at the end of the first start ${leftSec()} s left of ${ahead} s, ${atFirst} s at first`,
  );
  clock.ms = SLOW.durationMs;
  progress.started(SLOW.trial, record, []);
  progress.starting(SLOW.trial, 2, agenda);
  assert.ok(isRight(), `then ${leftSec()} s left of ${ahead} s`);
  assert.ok(atFirst < ahead / 2, 'nobody knew');
  progress.started(SLOW.trial, { ...record, start: 2 }, []);
});

test('a long load of one system counts down while it runs', () => {
  const { clock, progress, leftSec } = watched();
  progress.running(CELL, null);
  const atFirst = leftSec();
  clock.ms = 40_000;
  progress.running(CELL, { ratePerSec: 10, p95Ms: 1, ended: 400 });
  assert.equal(atFirst - leftSec(), 40);
});

test('a load that runs again for longer says why, and how much longer that takes', () => {
  const { clock, progress, leftSec } = watched();
  progress.running(CELL, null);
  const atFirst = leftSec();
  clock.ms = 60_000;
  const record = aCell({ reasons: [{ code: 'too_few' }] });
  progress.again(CELL, record, { ...CELL, step: { ...STEP, durationSec: 300 } });
  progress.running(CELL, null);
  assert.equal(leftSec() - atFirst, 240);
});

test('a load that was not among those ahead leaves no less than nothing', () => {
  const { clock, progress, last } = watched();
  progress.skip(CELL.id);
  progress.running(CELL, null);
  clock.ms = 11_000;
  progress.running(CELL, null);
  assert.match(last(), / {2}0 s left {2}/);
});

test('a line says that nothing comes back, and since when', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { clock, progress, last } = watched();
  const none = { ratePerSec: 12, p95Ms: 3, ended: 7 };
  progress.running(CELL, none);
  clock.ms = 40_000;
  progress.running(CELL, none);
  assert.match(last(), /no operation has ended for 40 s$/);
  progress.running(CELL, { ...none, ended: 8 });
  assert.match(last(), /12\.0\/s {2}p95 3\.00 ms$/);
  const script = watched({ script: {} });
  script.progress.running(CELL, { ratePerSec: null, p95Ms: null, ended: 0 });
  script.clock.ms = 40_000;
  script.progress.running(CELL, { ratePerSec: null, p95Ms: null, ended: 0 });
  assert.match(script.last(), /left {2}running$/, 'nobody counts what a script does');

  progress.starting(SLOW.trial, 1, agenda);
  const [cell] = SLOW.trial.cells;
  const pair = ['fast', 'fast'];
  progress.loading(SLOW.trial, cell, pair, 1);
  clock.ms += 41_000;
  t.mock.timers.tick(1000);
  assert.match(last(), /: fast and fast, waiting for answers for 40 s$/);
  progress.loading(SLOW.trial, cell, pair, Number.POSITIVE_INFINITY);
  t.mock.timers.tick(1000);
  assert.match(last(), /: fast and fast$/, 'the slice is over');
  progress.started(SLOW.trial, record, []);
});
