import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { factsOf, keysOf, operationsOf } from '../../k6/data/definition.js';
import { ROOT } from '../paths.js';
import { dataProblems, readDataWorkload, strangersOf, withDataWorkloads } from './data-workloads.js';
import { linesOf } from './json-lines.js';
import { loadStacks } from './stacks.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-data-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const GET = { share: 0.5, command: ['GET', 'user:{key}'] };
const SET = { share: 0.5, command: ['SET', 'user:{key}', '{value}'] };

/** @param {object} more @returns {any} */
const workload = (more = {}) => ({ keys: { count: 100 }, operations: { get: GET, set: SET }, ...more });

test('a right file says nothing wrong, and becomes a workload of shares', () => {
  assert.deepEqual(dataProblems(workload()), []);
  const file = join(folder, 'My mix.json');
  writeFileSync(file, JSON.stringify(workload({ title: 'Mine' })));
  const { id, title, operations, windows, pipelines, dataset } = readDataWorkload(file);
  assert.deepEqual([id, title, pipelines, dataset], ['my-mix', 'Mine', true, { records: 100 }]);
  assert.deepEqual(windows, { mix: { order: 'shares' } });
  assert.deepEqual(operations, {
    get: { window: 'mix', share: 0.5, main: true },
    set: { window: 'mix', share: 0.5, writes: true },
  });
});

test('what is wrong is said with its place, the nearest name and the fix', () => {
  const cases = /** @type {[object, string][]} */ ([
    [
      { operations: { get: { ...GET, shared: 1 }, set: SET } },
      'operations.get: unknown field "shared"; did you mean "share"?',
    ],
    [
      { operations: { get: { ...GET, share: 0.4 }, set: SET } },
      'operations: the shares make 0.9, not 1: add 0.1',
    ],
    [
      { operations: { get: { command: GET.command }, set: SET } },
      'operations.get: it has no "share": each of several operations needs one',
    ],
    [
      { operations: { get: { ...GET, command: ['GET', '{kye}'] }, set: SET } },
      'operations.get: {kye} stands for nothing; did you mean "key"?',
    ],
    [
      { operations: { get: { command: ['GET', 'a{ttl}'] } } },
      'operations.get: {ttl} is used, and the file has no "ttlSec"',
    ],
    [{ operations: { get: { path: 'a' } } }, 'operations.get: "path" must begin with /'],
    [
      { operations: { get: { share: 0.5, path: '/a' }, set: SET } },
      'operations.set: over http it needs a "path", and no "command"',
    ],
    [
      { operations: { 'G E T': { command: ['GET', 'a'] } } },
      'operations.G E T: "G E T" is no name of an operation: letters, digits and hyphens, a small letter first',
    ],
    [
      { operations: { put: { command: ['HSET', '{key}', 'f', 'v'], does: 'writes' } } },
      'operations.put: it writes, and has no {value}',
    ],
    [
      { keys: { count: 10, zipf: 1, hot: [0.2, 0.8] } },
      'keys: "zipf" and "hot": only one of them can say which keys are drawn',
    ],
    [{ keys: { count: 10, scrambled: true } }, 'keys: "scrambled" goes with "zipf"'],
    [
      { keys: { count: 10, room: 3 } },
      'keys: "room" is for keys that are inserted, and no operation has "does": "inserts"',
    ],
    [{ value: { bytes: [300, 200] } }, 'value.bytes: from 300 to 200 is no range'],
    [
      { value: { bytes: { median: 300 } } },
      'value.bytes: a log-normal length needs "median", "sigma" and "most", and nothing else',
    ],
    [
      { value: { bytes: { scale: 200, most: 300 } } },
      'value.bytes: a generalized Pareto length needs "from", "scale", "shape", "small" and "most", and nothing else',
    ],
    [
      { operations: { get: { ...GET, share: 1 }, set: { ...SET, does: 'fills' } } },
      'operations.set: it comes as often as reads find nothing, and has no "share"',
    ],
    [
      {
        operations: {
          set: { command: SET.command },
          fill: { command: ['SET', 'other:{key}', '{value}'], does: 'fills' },
        },
      },
      'operations.fill: nothing reads "other:{key}", so it never comes',
    ],
    [
      { value: { bytes: { 5: 1 } } },
      'value.bytes: "5" is no length: whole bytes, at least 18, each with its weight',
    ],
    [{ ttlSec: 5 }, 'ttlSec: no operation sends {ttl}, say ["SET", "user:{key}", "{value}", "EX", "{ttl}"]'],
  ]);
  for (const [more, said] of cases)
    assert.deepEqual(
      dataProblems(workload(more)).map(({ at, text }) => `${at}: ${text}`),
      [said],
    );
});

test('what fills a store that the load only reads is an operation that is not measured', () => {
  const data = workload({ operations: { get: { command: GET.command } }, fill: { command: SET.command } });
  assert.deepEqual(dataProblems(data), []);
  assert.deepEqual(
    operationsOf(data).map((o) => [o.name, o.does]),
    [['get', 'reads']],
  );
  const wrong = workload({ fill: { command: ['SET', '{kye}', '{value}'] } });
  assert.deepEqual(dataProblems(wrong), [
    { at: 'fill', text: '{kye} stands for nothing; did you mean "key"?' },
  ]);
});

test('the examples are right, and those of the page are these', () => {
  const page = readFileSync(join(ROOT, 'docs', 'workloads.md'), 'utf8');
  const shown = [...page.matchAll(/`new-workload \w+ --like (\w+)`:\n\n```json\n([\s\S]*?)```/g)];
  assert.equal(shown.length, 3);
  for (const [, name, text] of shown)
    assert.equal(text, readFileSync(join(ROOT, 'k6', 'data', 'examples', `${name}.json`), 'utf8'));
  for (const folder of ['data/examples', 'workloads'])
    for (const file of readdirSync(join(ROOT, 'k6', folder)).filter((f) => f.endsWith('.json')))
      assert.deepEqual(
        dataProblems(JSON.parse(readFileSync(join(ROOT, 'k6', folder, file), 'utf8'))),
        [],
        file,
      );
});

test('what fills the misses of reads has no share of its own, and may be the only other operation', () => {
  const data = workload({
    operations: { get: { command: GET.command }, set: { command: SET.command, does: 'fills' } },
    value: { bytes: { from: 15, scale: 200, shape: 0.3, small: 0.4, most: 9000 } },
    evicts: true,
  });
  assert.deepEqual(dataProblems(data), []);
  const { operations, windows } = factsOf(data, 'cache');
  assert.deepEqual(operations, {
    get: { window: 'mix', share: 1, filledBy: 'set', main: true },
    set: { window: 'mix', share: 0, writes: true },
  });
  assert.deepEqual(windows, { mix: { order: 'shares' } });
  const load = { of: '', mark: 1 };
  assert.deepEqual(keysOf(data, load).data.values, { pareto: data.value.bytes, compressible: 0 });
  assert.equal(keysOf(data, load).data.mayMiss, true);
  assert.equal(keysOf(data, { ...load, keepsAll: true }).data.mayMiss, false);
});

test('a workload for variants is performed by these, and not by the base', () => {
  const { stacks } = loadStacks();
  const cache = readDataWorkload(join(ROOT, 'k6', 'workloads', 'cache.json'));
  const taking = withDataWorkloads(stacks, [cache], null).filter((s) => s.manifest.workloads.cache);
  const evicting = taking.filter((s) => s.manifest.evictsAt);
  assert.ok(evicting.length > 2);
  for (const { base } of evicting) assert.ok(!taking.some(({ id }) => id === base), base);
  for (const { id, manifest } of evicting)
    assert.match(String(manifest.settings?.[String(manifest.evictsAt)]), /^\d+$/, id);
});

test('the line of what is wrong stands in the error', () => {
  const file = join(folder, 'wrong.json');
  writeFileSync(file, JSON.stringify(workload({ keys: { count: 0 } }), null, 2));
  assert.throws(() => readDataWorkload(file), /wrong\.json:3: keys\.count: must be >= 1/);
  const text = '{\n "a": [1,\n  {"b.c": "x\\"}"}],\n "d": {}}';
  assert.deepEqual(
    [...linesOf(text)],
    [
      ['a', 2],
      ['a.0', 2],
      ['a.1', 3],
      ['a.1.b.c', 3],
      ['d', 4],
    ],
  );
});

test('what commands do is known, or said', () => {
  const does = (/** @type {any} */ operations, more = {}) =>
    operationsOf(workload({ operations, ...more })).map((o) => [
      o.does,
      o.template.expect ?? o.template.method,
    ]);
  assert.deepEqual(does({ get: GET, set: SET }), [
    ['reads', 'bulk-or-null'],
    ['writes', 'simple:OK'],
  ]);
  assert.deepEqual(does({ get: GET }), [['nothing', 'bulk-or-null']], 'nobody wrote what is read');
  assert.deepEqual(does({ incr: { command: ['INCR', 'n:{key}'] }, get: { command: ['get', 'n:{key}'] } }), [
    ['adds', 'integer'],
    ['counts', 'bulk-or-null'],
  ]);
  assert.deepEqual(does({ rmw: { command: ['SET', '{key}', '{value}', 'GET'] } }), [
    ['swaps', 'bulk-or-null'],
  ]);
  assert.deepEqual(does({ set: { command: ['SET', 'a:{key}', '1'] } }), [['nothing', 'simple:OK']]);
  assert.deepEqual(
    does({ put: { method: 'PUT', path: '/{key}', body: '{value}' }, get: { path: '/{key}' } }),
    [
      ['writes', 'PUT'],
      ['reads', 'GET'],
    ],
  );
  assert.deepEqual(does({ set: { command: ['set', '{key}', '{value}'] } }, { protocol: 'native' }), [
    ['writes', 'ok'],
  ]);
  assert.deepEqual(
    does({
      add: { command: ['SET', '{key}', '{value}'], does: 'inserts', reply: { kind: 'simple', text: 'OK' } },
    }),
    [['inserts', 'simple:OK']],
  );
});

test('keys, lengths and lives become what the load generator is told', () => {
  const load = { of: 's', mark: 5 };
  assert.deepEqual(keysOf(workload({ keys: { count: 10, zipf: 0.99, scrambled: true }, ttlSec: 60 }), load), {
    choose: { zipf: 0.99, scrambled: true },
    streams: 1,
    data: {
      of: 's',
      mark: 5,
      shared: false,
      ttlSec: 60,
      values: { from: 1000, compressible: 0 },
      mayMiss: false,
      room: 0,
    },
  });
  const add = { ...SET, does: 'inserts' };
  const { choose, data } = keysOf(
    workload({
      keys: { count: 10 },
      operations: { add },
      evicts: true,
      value: { bytes: { 100: 1, 200: 3 }, compressible: 0.5 },
    }),
    load,
  );
  assert.equal(choose, undefined);
  assert.equal(data.room, 10);
  assert.equal(data.mayMiss, true);
  assert.deepEqual(data.values, {
    list: [
      { bytes: 100, weight: 1 },
      { bytes: 200, weight: 3 },
    ],
    compressible: 0.5,
  });
});

test('every system that speaks the protocol takes part, its variants where they are named', () => {
  const { stacks } = loadStacks();
  const facts = /** @type {any} */ ([{ id: 'mine', data: workload() }]);
  const taking = (/** @type {string[] | null} */ named) =>
    withDataWorkloads(stacks, facts, named).filter((s) => s.manifest.workloads.mine);
  const speaking = stacks.filter(
    (s) =>
      s.id === s.base &&
      !s.id.startsWith('_') &&
      Object.values(s.manifest.workloads).some((w) => w.transports.includes('resp')),
  );
  assert.deepEqual(
    taking(null).map((s) => s.id),
    speaking.map((s) => s.id),
  );
  const variant = stacks.find((s) => s.id !== s.base && taking([s.id]).some((t) => t.id === s.id));
  assert.ok(variant, 'no variant speaks RESP');
  assert.equal(
    stacks.some((s) => s.manifest.workloads.mine),
    false,
    'manifests are left as they are',
  );
});

test('a protocol that nobody speaks is told, with the nearest one', () => {
  const odd = /** @type {any} */ ([{ id: 'mine', file: 'mine.json', data: workload({ protocol: 'rest' }) }]);
  assert.throws(
    () => withDataWorkloads(loadStacks().stacks, odd, null),
    /mine\.json: protocol: no system speaks "rest"; did you mean "resp"\?/,
  );
});

test('a name at an address that is of no system here is whatever speaks the protocol', () => {
  const http = /** @type {any} */ ([
    { id: 'mine', data: workload({ operations: { get: { path: '/{key}' } } }) },
  ]);
  const [shop, ...others] = strangersOf(['shop=http://127.0.0.1:80', 'x:y=http://127.0.0.1'], [], http);
  assert.deepEqual([shop.id, others], ['shop', []]);
  assert.deepEqual(strangersOf(['shop=http://127.0.0.1:80'], [shop], http), []);
  assert.deepEqual(strangersOf(['shop=http://127.0.0.1:80'], [], []), []);
});
