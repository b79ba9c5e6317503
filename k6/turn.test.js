import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requests } from '../stacks/_meshql/requests.js';
import { turnFor } from './turn.js';
import * as federation from './workloads/federation-depth.js';
import * as queries from './workloads/graphql-queries.js';
import * as mixed from './workloads/mixed-workload.js';
import * as rest from './workloads/rest-crud.js';

/** @type {any} */
const client = { requests };
/** @type {any} */
const target = { url: 'http://127.0.0.1:1/base/', host: '127.0.0.1', port: 1, transport: 'http' };
const world = { farm: ['f1', 'f2'], coop: ['c1'], hen: ['h1'], container: ['k1', 'k2'], consumer: ['u1'] };
/** Whatever a workload knows of answers. */
const answers = Object.fromEntries(
  [
    ...['farmRow', 'henRow', 'containerRow', 'farmAll', 'coopAll', 'containerAll', 'farmFound', 'coopFound'],
    ...['henFound', 'farmAnswer', 'consumerAnswer', 'farmLeast', 'henLeast', 'containerLeast'],
    ...Array.from({ length: 5 }, (_, n) => `answer${n}`),
  ].map((name) => [name, ['1']]),
);
const least = Object.fromEntries(
  ['container_inventory', 'hen_productivity', 'farm_output'].map((of) => [of, { count: 1 }]),
);
const start = { world, answers, least, mark: 'mark', tellsIds: true };

/**
 * @param {any} workload
 * @param {object} [changes]
 * @param {string[]} [operations]
 */
function turnOf(workload, changes = {}, operations = Object.keys(workload.facts.operations)) {
  /** @type {any} */
  const context = { label: 'c1', checksAnswers: true };
  return turnFor({ workload, client, target, context, start, ...changes }, operations);
}

for (const workload of [rest, queries, mixed, federation])
  test(`${workload.facts.title}: a turn is what its facts say, whatever was there before`, () => {
    for (const known of [start, null]) {
      const { steps, lists } = turnOf(workload, {
        start: known,
        context: { label: 'c1', checksAnswers: known !== null },
      });
      assert.deepEqual(
        steps.map((s) => s.op),
        workload.facts.windows.round.turns,
      );
      const referred = [...JSON.stringify(steps).matchAll(/\{of:(\w+)/g)].map(([, name]) => name);
      for (const name of referred) assert.ok((lists?.[name].length ?? 0) > 0, name);
      for (const { path, body } of steps) {
        assert.match(path, /^\/base\/[a-z_]+\/(api|graph)/);
        // What is no text once it is filled in is none in JSON either.
        if (body !== undefined) JSON.parse(body.replaceAll(/:\{of:\w+\}/g, ':1'));
      }
    }
  });

test('every answer is checked where there is something to check, and none of a constant one', () => {
  for (const workload of [rest, queries, mixed, federation]) {
    for (const step of turnOf(workload).steps) assert.ok(step.status, JSON.stringify(step));
    for (const step of turnOf(workload, { start: null, context: { label: 'c1', checksAnswers: false } })
      .steps)
      assert.deepEqual([step.status, step.checks, step.take, step.more], Array(4).fill(undefined));
  }
  const reads = turnOf(rest).steps.filter((s) => s.op === 'read');
  assert.deepEqual(
    reads.map((s) => s.checks?.map(({ at, is }) => `${at} ${is}`)),
    [
      ['/name {$farm}', '/zone {$farmZone}', '/farm_type {$farmType}'],
      ['/name {$coop}', '/farm_id {$coopFarm}'],
      ['/name {$container}', '/zone {$containerZone}', '/container_type {$containerType}'],
      ['/name {$consumer}', '/zone {$consumerZone}'],
    ],
  );
});

test('of one operation there are its own steps, and a server that tells no ids is asked for them by name', () => {
  const { steps } = turnOf(rest, { start: { ...start, tellsIds: false } }, ['create']);
  assert.deepEqual([...new Set(steps.map((s) => s.op))], ['create']);
  for (const { take, more } of steps) {
    assert.equal(take, undefined);
    assert.match(JSON.stringify(more), /"at":"\/data\/getAll\/name=\{\$\w+\}\/id"/);
  }
});

test('a client that cannot say what its requests are is named', () => {
  assert.throws(() => turnOf(rest, { client: {} }), /no function "requests"/);
});
