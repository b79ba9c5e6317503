import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { scriptTarget } from './script-target.js';

test('a server that went after the rehearsal is named before a load, where it could be seen from here at all', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const planned = /** @type {any} */ ({ id: 'shop', endpoint: `http://127.0.0.1:${port}` });
  const target = scriptTarget(planned, { isSeen: true });
  await target.demandThere?.();
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(
    async () => target.demandThere?.(),
    /^BenchError: shop no longer answers: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
  );
  assert.equal(scriptTarget(planned, {}).demandThere, undefined, 'behind a proxy it may be there');
  assert.equal(scriptTarget(/** @type {any} */ ({ id: 'target' }), { isSeen: true }).demandThere, undefined);
});
