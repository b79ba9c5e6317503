import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { demandClient } from './client.js';

const open = () => {};
const burst = () => {};

test('an operation that a client cannot perform is named before any load', () => {
  const asked = [{ drive: 'burst', operation: 'get' }];
  demandClient({ open, burst }, { get: {} }, asked);
  demandClient({ open }, undefined, [{ drive: 'iteration', operation: 'get' }]);
  assert.throws(() => demandClient({}, {}, asked), /no function "open"/);
  assert.throws(() => demandClient({ open }, { get: {} }, asked), /no function "burst"/);
  assert.throws(
    () => demandClient({ open, burst }, { set: {} }, asked),
    /no template for the operation "get"/,
  );
  demandClient({ open, burst, requests: open }, undefined, asked, true);
  assert.throws(
    () => demandClient({ open, burst }, {}, asked, true),
    /no function "requests", which "get" needs/,
  );
  assert.throws(
    () => demandClient({ open }, {}, [{ drive: 'listen', operation: 'seen' }]),
    /no function "listening", which "seen" needs/,
  );
});

test('every client of a system has its type checked', () => {
  const stacks = new URL('../stacks/', import.meta.url);
  const clients = readdirSync(stacks)
    .map((folder) => `${folder}/client.js`)
    .filter((file) => existsSync(new URL(file, stacks)));
  assert.ok(clients.length > 10);
  for (const file of clients)
    assert.match(
      readFileSync(new URL(file, stacks), 'utf8'),
      /CheckedClient<typeof import\('\.\/client\.js'\)>/,
      file,
    );
});
