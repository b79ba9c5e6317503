import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as rest from '../rest-crud.js';
import { pick, populate } from './data.js';

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
    count: (entity) => of(entity).size,
    settle: () => true,
    close: () => {},
  };
  return { client, stored };
}

const sizes = { farms: 2, coopsPerFarm: 3, hensPerCoop: 4, reportsPerHen: 2, containers: 3, consumers: 1 };

test('ten times the scale is ten times the data, of the same shape', () => {
  for (const scale of [1, 10]) {
    const { client, stored } = memory();
    const world = populate(client, sizes, { label: 'c1', dataset: { scale } });
    assert.deepEqual(
      ['farm', 'coop', 'hen', 'lay_report', 'container'].map((entity) => stored[entity].size),
      [2, 6, 24, 48, 3].map((n) => n * scale),
    );
    const last = stored.hen.get(world.hen[world.hen.length - 1]);
    assert.equal(last.coop_id, world.coop[world.coop.length - 1]);
    const reports = [...stored.lay_report.values()];
    for (const { hen_id, coop_id, farm_id } of reports) {
      assert.equal(stored.hen.get(hen_id).coop_id, coop_id);
      assert.equal(stored.coop.get(coop_id).farm_id, farm_id);
    }
  }
  assert.equal(pick(['a', 'b'], 5), 'b');
});

test('the oracle of rest-crud counts what is left of what was created and deleted', async () => {
  const { client, stored } = memory();
  /** @type {any} */
  const context = { label: 'c1', dataset: { scale: 1 } };
  const start = await rest.before(client, context);
  assert.equal(start.tellsIds, true);
  const totals = { create: { acked: 36, indeterminate: 0 }, delete: { acked: 6, indeterminate: 0 } };
  for (let n = 0; n < 30; n++) client.create('farm', { name: `left ${n}` });
  const right = await rest.after(client, context, start, totals);
  assert.deepEqual([right.ok, right.acked, right.stored], [true, 30, 30]);
  const [lost] = stored.farm.keys();
  stored.farm.delete(lost);
  const wrong = await rest.after(client, context, start, totals);
  assert.equal(wrong.ok, false, 'one acknowledged entity is missing');
  totals.create.indeterminate = 1;
  totals.create.acked -= 2;
  assert.equal((await rest.after(client, context, start, totals)).ok, true, 'one that nobody knows of');
});
