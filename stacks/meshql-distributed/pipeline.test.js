import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../lib/e2e/harness.js';
import { build, processesIn, startPipeline, variantHere } from './testing.js';

/** How long a change of a legacy row may take to the API; usually it is a fraction of a second. */
const ARRIVAL_MS = 30_000;

const TABLES = {
  zfarm_mstr: 'farm',
  zstall_mstr: 'coop',
  zequi_hen: 'hen',
  zbehaelt_mstr: 'container',
  zkunde_vbr: 'consumer',
  zafru_lege: 'lay_report',
  zmseg_101: 'storage_deposit',
  zmseg_201: 'storage_withdrawal',
  zmseg_301: 'container_transfer',
  zmseg_261: 'consumption_report',
};

const { stack, missing } = await variantHere();

describe('legacy rows come through to the API', { skip: missing ?? false }, () => {
  /** @type {import('./testing.js').Pipeline} */
  let pipeline;
  before(async () => {
    await build(stack);
    pipeline = await startPipeline(stack, AbortSignal.timeout(180_000));
  });
  after(() => pipeline?.end());

  /** @param {() => Promise<boolean>} there @param {string} what */
  const arrives = async (there, what) => assert.ok(await eventually(there, ARRIVAL_MS), what);

  /** @param {string} entity @param {string} key @param {string} value @param {string} [fields] */
  const find = async (entity, key, value, fields = '') =>
    (await pipeline.getAll(entity, `id ${key} ${fields}`)).filter((e) => e[key] === value);

  /** @param {Record<string, number>} [dead] rows of a table that cannot be mapped */
  const countsAreThoseOfTheTables = async (dead = {}) => {
    for (const [table, entity] of Object.entries(TABLES)) {
      const [[rows]] = await pipeline.sql(`SELECT count(*) FROM ${table}`);
      const entities = await pipeline.getAll(entity, 'id');
      assert.equal(entities.length, Number(rows) - (dead[table] ?? 0), entity);
    }
  };

  /** Every inventory against the sums of the legacy database. */
  const inventoriesAreExact = async () => {
    const sum = (/** @type {string} */ table, column = 'behaelt_nr') =>
      `coalesce((SELECT sum(ei_menge) FROM ${table} WHERE ${column} = b.behaelt_nr), 0)`;
    const sums = await pipeline.sql(`SELECT b.behaelt_nr, ${sum('zmseg_101')}, ${sum('zmseg_201')},
      ${sum('zmseg_301', 'ziel_beh_nr')}, ${sum('zmseg_301', 'quell_beh_nr')}, ${sum('zmseg_261')}
      FROM zbehaelt_mstr b WHERE b.kapzt > 0`);
    const fields = 'total_deposits total_withdrawals total_transfers_in total_transfers_out total_consumed';
    const query = `id legacy_behaelt_nr inventory { ${fields} }`;
    const containers = await pipeline.getAll('container', query);
    for (const [key, ...expected] of sums) {
      const container = containers.find((c) => c.legacy_behaelt_nr === key);
      const [inventory, ...more] = container.inventory;
      assert.equal(more.length, 0, `${key} has one inventory`);
      const totals = fields.split(' ').map((field) => String(inventory?.[field] ?? 0));
      assert.deepEqual(totals, expected, key);
    }
  };

  const projectionsAreDone = async () => {
    const response = await fetch(`${pipeline.url}/ready`);
    return (await response.json()).processor.lag === 0;
  };

  test('the snapshot: every row, codes and foreign keys resolved, totals exact', async () => {
    await countsAreThoseOfTheTables();
    const [hen] = await find('hen', 'legacy_equnr', '000000000000000002', 'breed dob status coop { name }');
    assert.deepEqual(
      [hen.breed, hen.dob, hen.status, hen.coop.name],
      ['leghorn', '2024-01-03', 'active', 'Stall 2'],
    );
    const report = 'eggs quality timestamp coop_id farm_id hen { name }';
    const [lay] = await find('lay_report', 'legacy_aufnr', '000000000002', report);
    const [coop] = await find('coop', 'legacy_stall_nr', 'ST00000002', 'farm { id }');
    assert.deepEqual([lay.coop_id, lay.farm_id, lay.hen.name], [coop.id, coop.farm.id, 'Henne 2']);
    assert.deepEqual([lay.eggs, lay.quality, lay.timestamp], [3, 'grade_b', '2026-01-15T06:00:02Z']);
    const [issue] = await find('storage_withdrawal', 'legacy_mblnr', '5000000001', 'timestamp legacy_mjahr');
    assert.deepEqual([issue.timestamp, issue.legacy_mjahr], ['2026-01-17T00:00:00Z', '2026']);
    await inventoriesAreExact();
    assert.equal((await pipeline.deadLetters()).length, 0);
  });

  test('broker and connector have their classes from the archives that were made of them', () => {
    const mapped = processesIn(pipeline.data).flatMap((pid) =>
      [...readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/[/](\w+[.]jsa)$/gm)].map(([, name]) => name),
    );
    for (const name of ['kafka.jsa', 'connect.jsa']) assert.ok(mapped.includes(name), name);
  });

  test('inserts arrive, children before their parents too', async () => {
    await pipeline.sql(`INSERT INTO zafru_lege (aufnr, equnr, werks, ei_menge, erfas_dt)
      VALUES ('LATE', 'H-NEW', 'NEW1', 4, '20260201')`);
    await arrives(async () => (await pipeline.status()).waiting === 1, 'the report waits for its hen');
    await pipeline.sql(
      `INSERT INTO zequi_hen (equnr, henne_nm, stall_nr) VALUES ('H-NEW', 'Neue', 'ST-NEW')`,
    );
    await arrives(async () => (await pipeline.status()).waiting === 2, 'the hen waits for its coop');
    await pipeline.sql(`INSERT INTO zstall_mstr (stall_nr, stall_nm, werks, kapzt) VALUES ('ST-NEW', 'Neu', 'NEW1', 5);
      INSERT INTO zfarm_mstr (werks, farm_nm, farm_typ_cd, zone_cd) VALUES ('NEW1', 'Neuhof', 'H', 'west')`);
    const there = async () => (await find('lay_report', 'legacy_aufnr', 'LATE')).length === 1;
    await arrives(there, 'farm, coop, hen and report');
    const [lay] = await find('lay_report', 'legacy_aufnr', 'LATE', 'hen { name } farm_id');
    const [farm] = await find('farm', 'legacy_werks', 'NEW1', 'farm_type coops { name hens { name } }');
    assert.deepEqual([lay.hen.name, lay.farm_id, farm.farm_type], ['Neue', farm.id, 'homestead']);
    assert.deepEqual(farm.coops, [{ name: 'Neu', hens: [{ name: 'Neue' }] }]);
    assert.equal((await pipeline.status()).waiting, 0);
  });

  test('a changed row changes its entity, a deleted one deletes it', async () => {
    const [before] = await find('farm', 'legacy_werks', '1001', 'name');
    await pipeline.sql(`UPDATE zfarm_mstr SET farm_nm = 'Umbenannt', farm_typ_cd = 'H' WHERE werks = '1001'`);
    const renamed = async () => (await find('farm', 'name', 'Umbenannt')).length === 1;
    await arrives(renamed, 'the new name');
    const farms = await find('farm', 'legacy_werks', '1001', 'name farm_type');
    assert.deepEqual(farms, [
      { id: before.id, legacy_werks: '1001', name: 'Umbenannt', farm_type: 'homestead' },
    ]);
    await pipeline.sql(`DELETE FROM zkunde_vbr WHERE kunnr = '0000000003'`);
    const gone = async () => (await find('consumer', 'legacy_kunnr', '0000000003')).length === 0;
    await arrives(gone, 'the consumer is deleted');
    await countsAreThoseOfTheTables();
  });

  test('rows of another client are none of ours', async () => {
    await pipeline.sql(
      `INSERT INTO zfarm_mstr (mandt, werks, farm_nm, zone_cd) VALUES ('200', '9000', 'Fremd', 'east')`,
    );
    await arrives(async () => (await pipeline.status()).otherClients === 1, 'it is counted');
    assert.equal((await find('farm', 'name', 'Fremd')).length, 0);
    await pipeline.sql(`DELETE FROM zfarm_mstr WHERE mandt = '200'`);
  });

  test('broken rows are dead letters, and stop nothing', async () => {
    await pipeline.sql(`INSERT INTO zafru_lege (aufnr, equnr, werks, ei_menge, erfas_dt)
      VALUES ('BROKEN', '000000000000000001', '1001', 4, '20261399'), ('GOOD', '000000000000000001', '1001', 4, '20260202');
      INSERT INTO zbehaelt_mstr (behaelt_nr, behaelt_nm, kapzt, zone_cd) VALUES ('BROKEN', 'Leer', -5, 'north')`);
    const good = async () => (await find('lay_report', 'legacy_aufnr', 'GOOD')).length === 1;
    await arrives(good, 'the row after the broken one');
    await arrives(async () => (await pipeline.status()).deadLetters === 2, 'two dead letters');
    const letters = await pipeline.deadLetters();
    const [lay] = letters.filter((l) => l.table === 'zafru_lege');
    assert.equal(lay.reason, 'ERFAS_DT is "20261399", must be a date as YYYYMMDD');
    assert.deepEqual([lay.topic, lay.partition, typeof lay.offset], ['sap.public.zafru_lege', 0, 'number']);
    assert.equal(JSON.parse(lay.value).after.aufnr, 'BROKEN');
    const [container] = letters.filter((l) => l.table === 'zbehaelt_mstr');
    assert.match(container.reason, /the API refuses it with 400: .*capacity/);
    await countsAreThoseOfTheTables({ zafru_lege: 1, zbehaelt_mstr: 1 });
  });

  test('a killed processor without its position doubles nothing and loses nothing', async () => {
    const deposits = (/** @type {string} */ prefix, /** @type {number} */ count) =>
      pipeline.sql(`INSERT INTO zmseg_101 (mblnr, mjahr, behaelt_nr, ei_menge, budat)
        SELECT '${prefix}' || n, '2026', 'BH0000000' || (1 + n % 4), 1 + n % 7, '20260203' FROM generate_series(1, ${count}) n`);
    const burst = deposits('A', 600);
    await arrives(
      async () => (await find('storage_deposit', 'legacy_mblnr', 'A1')).length === 1,
      'the burst begins',
    );
    pipeline.killProcessor();
    await burst;
    await deposits('B', 50);
    rmSync(join(pipeline.data, 'legacy', 'offsets.json'), { force: true });
    await pipeline.startProcessor({ PATIENCE_SEC: '2' });
    const last = async () => (await find('storage_deposit', 'legacy_mblnr', 'B50')).length === 1;
    await arrives(last, 'what came while it was down');
    await arrives(async () => (await pipeline.status()).lag === 0, 'everything is read again');
    await countsAreThoseOfTheTables({ zafru_lege: 1, zbehaelt_mstr: 1 });
    await arrives(projectionsAreDone, 'the projections');
    await inventoriesAreExact();
    const letters = (await pipeline.deadLetters()).map((l) => l.reason);
    assert.equal(letters.length, 2, `no dead letter twice: ${letters.join('; ')}`);
  });

  test('a row whose parent never comes is a dead letter in the end', async () => {
    await pipeline.sql(
      `INSERT INTO zstall_mstr (stall_nr, stall_nm, werks, kapzt) VALUES ('ORPHAN', 'Waise', '9999', 5)`,
    );
    const dead = async () => (await pipeline.status()).deadLetters === 3;
    await arrives(dead, 'the third dead letter');
    const letter = (await pipeline.deadLetters()).find((l) => l.table === 'zstall_mstr');
    assert.equal(letter.reason, 'the row of zfarm_mstr with WERKS 9999 did not come within 2 s');
  });

  test('it stops by SIGTERM with code 0, and goes on where it was', async () => {
    assert.deepEqual(await pipeline.stopProcessor(), { code: 0 });
    await pipeline.sql(`UPDATE zfarm_mstr SET farm_nm = 'Danach' WHERE werks = '1002'`);
    await pipeline.startProcessor();
    await arrives(
      async () => (await find('farm', 'name', 'Danach')).length === 1,
      'the change while it was down',
    );
    const { created, updated, latency } = await pipeline.status();
    assert.deepEqual([created, updated], [0, 1], 'only what is new');
    assert.equal(latency.count, 1);
    assert.ok(latency.p50Ms > 0);
  });

  test('nothing is left when it ends', async () => {
    assert.ok(processesIn(pipeline.data).length > 5, 'all of them are seen while they run');
    await pipeline.end();
    assert.equal(existsSync(pipeline.data), false);
    const ended = await eventually(async () => processesIn(pipeline.data).length === 0, 5000);
    assert.ok(ended, 'a process is left');
  });
});
