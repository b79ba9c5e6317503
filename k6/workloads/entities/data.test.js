import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as rest from '../rest-crud.js';
import { pick, populate } from './data.js';
import { answers, isSame, texts } from './expected.js';

/** Stores what it is told, like a server. */
function memory() {
  /** @type {Record<string, Map<string, any>>} */
  const stored = {};
  let next = 0;
  const of = (/** @type {string} */ entity) => {
    stored[entity] ??= new Map();
    return stored[entity];
  };
  const create = (/** @type {string} */ entity, /** @type {any} */ payload) => {
    next += 1;
    of(entity).set(`${next}`, payload);
    return `${next}`;
  };
  /** @type {import('../../types.d.ts').EntityClient} */
  const client = {
    tellsIds: () => true,
    create,
    createMany: (entity, payloads) => payloads.map((one) => create(entity, one)),
    demandRead: (entity, id, name) => assert.equal(of(entity).get(id)?.name, name),
    query: () => assert.fail('not asked for here'),
    list: (entity) => [...of(entity)].map(([id, row]) => ({ id, ...row })),
    settle: () => true,
    close: () => {},
  };
  return { client, stored };
}

const sizes = { farms: 2, coopsPerFarm: 3, hensPerCoop: 4, reportsPerHen: 2, containers: 3, consumers: 1 };

test('ten times the scale is ten times the data, of the same shape', () => {
  for (const scale of [1, 10]) {
    const { client, stored } = memory();
    const { world, rows } = populate(client, sizes, { label: 'c1', dataset: { scale } });
    assert.deepEqual(
      ['farm', 'coop', 'hen', 'lay_report', 'container'].map((entity) => stored[entity].size),
      [2, 6, 24, 48, 3].map((n) => n * scale),
    );
    const last = stored.hen.get(world.hen[world.hen.length - 1]);
    assert.equal(last.coop_id, world.coop[world.coop.length - 1]);
    assert.deepEqual(rows.hen, client.list('hen'), 'what was sent, by id');
    const reports = [...stored.lay_report.values()];
    for (const { hen_id, coop_id, farm_id } of reports) {
      assert.equal(stored.hen.get(hen_id).coop_id, coop_id);
      assert.equal(stored.coop.get(coop_id).farm_id, farm_id);
    }
  }
  assert.equal(pick(['a', 'b'], 5), 'b');
});

/** What `tally.counts()` of rest-crud says. @param {number[]} acked by kind, and of the spare ones */
const counted = (acked) => ({ counts: () => ({ start: acked.map(() => 0), sent: acked, acked }) });

test('the oracle of rest-crud asks for each entity by its name, of each kind apart', async () => {
  const { client, stored } = memory();
  /** @type {any} */
  const context = { label: 'c1', dataset: { scale: 1 } };
  const start = await rest.before(client, context);
  assert.equal(start.tellsIds, true);
  const totals = {
    create: { acked: 36, indeterminate: 0, wrong: 0 },
    delete: { acked: 6, indeterminate: 0, wrong: 0 },
  };
  const check = () => rest.after(client, { ...context, tally: counted([20, 4, 0, 4, 8]) }, start, totals);
  const create = (/** @type {string} */ kind, /** @type {string | number} */ n) =>
    client.create(kind, { name: `c1-${start.mark}-${kind}-1-user-${n}` });
  for (let n = 0; n < 20; n++) create('farm', n);
  for (let n = 0; n < 4; n++) create('coop', n);
  for (let n = 0; n < 4; n++) create('consumer', n);
  for (let n = 0; n < 2; n++) client.create('consumer', { name: `c1-${start.mark}-spare-1-user-${n}` });
  const right = await check();
  assert.deepEqual([right.ok, right.acked, right.stored], [true, 30, 30]);

  const [lost] = [...stored.farm].filter(([, row]) => row.name.includes(start.mark))[0];
  const name = stored.farm.get(lost).name;
  stored.farm.delete(lost);
  assert.equal((await check()).ok, false, 'one acknowledged entity is missing');
  for (const [kind, other] of [
    ['coop', `c1-${start.mark}-coop-1-user-77`],
    ['farm', 'somebody'],
    ['farm', `c1-${start.mark}-farm-1-user-19`],
  ]) {
    const id = client.create(kind, { name: other });
    const hidden = await check();
    assert.deepEqual([hidden.ok, hidden.stored], [false, 30], `${other}: the sum is right`);
    assert.ok(Number(hidden.missing) + Number(hidden.surplus) > 0, hidden.detail);
    stored[kind].delete(id);
  }
  client.create('farm', { name });
  assert.equal((await check()).ok, true);
  totals.create.wrong = 1;
  const wrong = await check();
  assert.equal(wrong.ok, false);
  assert.match(wrong.detail, /1 answers under the load were not what was sent/);
});

test('what is wanted is there whatever else is, and in whatever order', () => {
  const wanted = { a: [{ id: 1, n: 'x' }, { id: 2 }], b: null };
  assert.ok(isSame(wanted, { a: [{ id: 2 }, { id: 1, n: 'x', more: true }] }));
  for (const other of [
    { a: [{ id: 2 }, { id: 2 }] },
    { a: [{ id: 1, n: 'x' }] },
    { a: [null, null] },
    null,
    [],
  ])
    assert.equal(isSame(wanted, other), false, JSON.stringify(other));
});

test('an answer follows from the rows that were sent, relations too', () => {
  const rows = {
    farm: [{ id: 'f', name: 'F' }],
    coop: [
      { id: 'c', farm_id: 'f' },
      { id: 'd', farm_id: 'g' },
    ],
    hen: [{ id: 'h', coop_id: 'c', name: 'H' }],
  };
  assert.deepEqual(texts(answers(rows, 'farm', 'id coops { id hens { name } } farmOutput { eggs_week }')), [
    '{"id":"f","coops":[{"id":"c","hens":[{"name":"H"}]}]}',
  ]);
  assert.deepEqual(answers(rows, 'hen', 'coop { id }'), [{ coop: { id: 'c' } }]);
});
