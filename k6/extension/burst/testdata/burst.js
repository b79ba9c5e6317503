// Run by TestScript in one VU of a k6 runtime, against the responder at `address`; throws when something is wrong.
function assert(condition, message) {
  if (!condition) throw new Error(message);
}

const a = burst.keys({ seed: 1, stream: 2, space: 100 });
const b = burst.keys({ seed: 1, stream: 2, space: 100 });
const drawn = Array.from({ length: 1000 }, () => a.next());
assert(drawn.every((key) => key === b.next()), 'the same stream gives the same keys');
assert(drawn.every((key) => key >= 0 && key < 100) && new Set(drawn).size > 90, 'keys fill their space');
assert(burst.keys({ seed: 1, stream: 3, space: 1e15 }).next() !== burst.keys({ seed: 1, stream: 2, space: 1e15 }).next(), 'streams differ');
assert(a.value(5, 40) === b.value(5, 40) && a.value(5, 40) !== a.value(6, 40), 'values depend on the key');
assert(a.value(5, 200000).length === 200000 && a.value(5, 0) === '', 'values have their length');

assert(a.uuid(0) === b.nextUuid() && a.uuid(1) === b.nextUuid() && a.uuid(2) !== b.uuid(1), 'ids are numbered');
assert(burst.keys({ seed: 1, space: 1, ids: 5 }).uuid(0) === burst.keys({ seed: 2, space: 9, ids: 5 }).uuid(0), 'ids have a seed of their own');

const conn = burst.connect({ protocol: 'resp', address });
const template = { command: ['INCR', 'c:{key}'], expect: 'integer' };
const result = conn.run({ window: w, template, count: 100, depth: 10, keys: a });
assert(result.acked === 100 && result.failed === 0, JSON.stringify(result));
assert(conn.run({ window: w, template, count: 0, keys: a }).acked === 0, 'a count of 0 does nothing');
for (let i = 0; i < 100; i++) b.next();
assert(a.next() === b.next(), 'a burst draws from the sequence that it was given');
conn.close();
assert(conn.run({ window: w, template, count: 1, keys: a }).acked === 1, 'a closed connection is dialled again');

const wide = burst.connect({ protocol: 'resp', address, connections: 5 });
const many = wide.run({ window: w, template, count: 57, keys: burst.keys({ seed: 1, space: 10 }) });
assert(many.acked === 57, JSON.stringify(many));
wide.close();
assert(burst.default.connect === burst.connect || typeof burst.default.connect === 'function', 'the default export has the same functions');
assert(measure.totals().op.acked === 158, JSON.stringify(measure.totals()));
conn.close();
