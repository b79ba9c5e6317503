import { setTimeout as sleep } from 'node:timers/promises';
import { expectMembers, Tolerated } from '../tally.js';
import { make } from '../world.js';

/** @import { Server } from '../server.js' */
/** @import { Tally } from '../tally.js' */

/** Longest wait for the processor, and the pause between two looks. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 50;

/**
 * Projections follow the events: their totals are the sums. A server without a processor is tolerated.
 * @param {Tally} tally
 * @param {Server} server
 * @param {Record<string, string>} ids
 */
export async function checkProjections(tally, server, ids) {
  const farm = await make(server, 'farm', ids);
  const hen = await make(server, 'hen', ids);
  const container = await make(server, 'container', ids);
  const second = await make(server, 'container', ids);
  const own = { ...ids, farm, hen, container, second };
  const times = async (/** @type {number} */ n, /** @type {string} */ entity, /** @type {number} */ eggs) => {
    for (let i = 0; i < n; i++) await make(server, entity, own, { eggs });
  };
  await times(4, 'lay_report', 3);
  await times(3, 'storage_deposit', 50);
  await times(2, 'storage_withdrawal', 7);
  await times(3, 'container_transfer', 10);
  await times(2, 'consumption_report', 4);

  const inventory = inventoryOf(server);
  await tally.check('the inventory of a source is the sum of its events', async () => {
    await eventually(() => inventory(container), {
      total_deposits: 150,
      total_withdrawals: 14,
      total_transfers_in: 0,
      total_transfers_out: 30,
      total_consumed: 8,
    });
  });
  await tally.check('the inventory of a destination is the sum of its events', async () => {
    await eventually(() => inventory(second), {
      total_deposits: 0,
      total_transfers_in: 30,
      total_transfers_out: 0,
    });
  });
  await tally.check("a hen's productivity is the sum of its reports", async () => {
    const fields = 'total_eggs eggs_today eggs_week eggs_month farm_id';
    const read = async () =>
      (await server.data('hen_productivity', `{ getByHen(id: "${hen}") { ${fields} } }`)).getByHen;
    await eventually(read, {
      total_eggs: 12,
      eggs_today: 12,
      eggs_week: 12,
      eggs_month: 12,
      farm_id: farm,
    });
  });
  await tally.check("a farm's output is the sum of its reports", async () => {
    const fields = 'farm_type eggs_today eggs_week eggs_month';
    const read = async () =>
      (await server.data('farm_output', `{ getByFarm(id: "${farm}") { ${fields} } }`)).getByFarm;
    await eventually(read, { farm_type: 'homestead', eggs_today: 12, eggs_week: 12, eggs_month: 12 });
  });
  await tally.check('the processor says that it has caught up', async () => {
    const { status, body } = await server.send('GET', '/ready');
    if (status !== 200 || body.processor === undefined) throw new Tolerated('it does not tell');
    const deadline = Date.now() + PATIENCE_MS;
    for (let lag = body.processor.lag; lag !== 0; ) {
      if (Date.now() > deadline) throw new Error(`${lag} events behind`);
      await sleep(PAUSE_MS);
      lag = (await server.send('GET', '/ready')).body.processor.lag;
    }
  });
}

/** @param {Server} server */
function inventoryOf(server) {
  const fields =
    'total_deposits total_withdrawals total_transfers_in total_transfers_out total_consumed current_eggs';
  return async (/** @type {string} */ container) => {
    const query = `{ getByContainer(id: "${container}") { ${fields} } }`;
    return (await server.data('container_inventory', query)).getByContainer;
  };
}

/**
 * Waits until the one projection has the wanted members.
 * @param {() => Promise<any[]>} read
 * @param {Record<string, unknown>} wanted
 */
async function eventually(read, wanted) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    try {
      expectMembers(found, [wanted]);
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        if (found.length === 0) throw new Tolerated('nothing keeps projections here');
        throw error;
      }
    }
    await sleep(PAUSE_MS);
  }
}
