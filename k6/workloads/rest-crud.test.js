import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts, perform } from './rest-crud.js';

/**
 * A store of one user that may forget an update it acknowledged.
 * @param {{forgets: boolean}} options
 * @returns {any}
 */
function storeThat({ forgets }) {
  const rows = new Map();
  return {
    create: (/** @type {string} */ _kind, /** @type {any} */ payload) => {
      const id = String(rows.size);
      rows.set(id, payload);
      return id;
    },
    replace: (/** @type {string} */ _kind, /** @type {string} */ id, /** @type {any} */ payload) => {
      if (!forgets) rows.set(id, payload);
    },
    remove: () => {},
    demandRead: (
      /** @type {string} */ _kind,
      /** @type {string} */ id,
      /** @type {string} */ name,
      /** @type {string | undefined} */ zone,
    ) => {
      assert.equal(rows.get(id).name, name);
      if (zone !== undefined) assert.equal(rows.get(id).zone, zone);
    },
  };
}

/** @param {any} client @returns {Promise<number>} reads that were refused in some rounds of turns */
async function wrongReads(client) {
  let wrong = 0;
  for (let round = 0; round < 5; round++) {
    for (const operation of facts.windows.round.turns) {
      // Versions of one millisecond have no order.
      if (operation === 'update') await new Promise((resolve) => setTimeout(resolve, 5));
      const context = /** @type {any} */ ({ label: 'c1' });
      // Zone 7 is one that no entity is created in.
      await perform(client, operation, 7, context).catch(() => {
        assert.equal(operation, 'read');
        wrong++;
      });
    }
  }
  return wrong;
}

test('an acknowledged update is read back, and one that was lost is seen', async () => {
  assert.equal(await wrongReads(storeThat({ forgets: false })), 0);
  assert.equal(await wrongReads(storeThat({ forgets: true })), 10);
});
