// Run by TestScript in one VU of a k6 runtime; throws when something is wrong.
const measure = require('k6/x/measure');

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

function throws(action, text) {
  try {
    action();
  } catch (error) {
    assert(String(error).includes(text), `"${error}" does not say "${text}"`);
    return;
  }
  throw new Error(`nothing thrown, expected "${text}"`);
}

const startMs = measure.epochMs();
const bounds = { startMs, endMs: startMs + 60000 };
const w = measure.window({ op: 'set', phase: 'measure', ...bounds });

assert(Math.abs(measure.epochMs() - Date.now()) < 50, 'epochMs() follows the wall clock');
assert(measure.now() > 0 && measure.now() <= measure.now(), 'now() does not go back');
assert(Math.abs(measure.toEpochMs(measure.now()) - measure.epochMs()) < 50, 'toEpochMs() agrees with epochMs()');
assert(measure.default.now() > 0, 'the default export has the same functions');
assert(w === measure.window({ op: 'set', phase: 'measure', ...bounds }), 'asking again gives the same object');

for (let i = 0; i < 10; i++) w.success(w.start());
w.success(w.start(), measure.now() - 100);
w.failure(w.start(), 'timeout');
w.failure(w.start(), 'server');
w.failure(w.start(), 'connect', false);
w.start(); // interrupted: never finished
w.start();
w.aborted(1);
measure.dropped(w, 4);
const recent = w.recent(startMs);
assert(recent.p50 >= 0 && recent.p50 <= recent.p95 && recent.p95 <= recent.p99, JSON.stringify(recent));
assert(w.recent(startMs + 30000) === null, 'nothing has been answered since');
measure.note('answer', { list: [1, null, 'x'] });
measure.note('plain', 42);

throws(() => measure.window({ op: 'set', phase: 'measure', startMs: startMs + 50, endMs: startMs + 60000 }), 'other bounds');
throws(() => measure.window({ op: 'set' }), 'op and phase');
throws(() => measure.window(), 'needs {op, phase');
throws(() => w.failure(1, 'bad'), 'unknown error class');
throws(() => w.success(), 'startedAt');
throws(() => w.aborted(-1), 'negative');
throws(() => measure.dropped({}, 1), 'measure.window()');
const cycle = {};
cycle.self = cycle;
throws(() => measure.note('cycle', cycle), 'JSON');

const totals = measure.totals();
assert(totals.set.acked === 11, `acked ${totals.set.acked}`);
assert(totals.set.indeterminate === 3, `indeterminate ${totals.set.indeterminate}`);

const out = JSON.parse(measure.exportAll());
assert(out.schemaVersion === 1 && out.notes.answer.list[2] === 'x' && out.notes.plain === 42, 'notes');
const set = out.windows[0];
assert(set.count === 11 && set.dropped === 4 && set.aborted === 1 && set.unresolved === 1, JSON.stringify(set));
assert(set.errors.timeout === 1 && set.errors.server === 1 && set.errors.connect === 1, 'errors');
assert(set.responseMaxMs >= 100 && set.lag !== null, 'response time starts at the intended moment');
assert(set.series.length === 1 && set.series[0].count === 11 && set.series[0].errors === 3, 'series');
