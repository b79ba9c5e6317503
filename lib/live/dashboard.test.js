import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { openDashboard } from './dashboard.js';

const { port, k6Port, close } = await openDashboard();
const at = `http://127.0.0.1:${port}`;
/** A k6 that has said its last, and waits for whoever reads it. */
const k6 = createServer((asked, answer) => {
  if (asked.url?.startsWith('/ui/')) return answer.writeHead(200).end('its page');
  readers++;
  asked.socket.on('close', () => readers--);
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.write('id: 1\ndata: {}\nevent: metric\n\n');
  answer.write('id: 2\ndata: {}\nevent: st');
  setTimeout(() => answer.write('op\nretry: 9007199254740991\n\n'), 50);
});
let readers = 0;
after(() => Promise.all([close(), new Promise((resolve) => k6.close(resolve))]));
const load = async () => (await fetch(`${at}/load`)).json();

test('between loads there is a page, and nothing of k6', async () => {
  assert.match(await (await fetch(at)).text(), /Between two loads/);
  assert.equal((await fetch(`${at}/events`)).status, 503);
  assert.deepEqual(await load(), { up: false, ended: 0 });
});

test('what k6 serves is passed on, and nobody reads on when it has said its last', async () => {
  await new Promise((resolve) => k6.listen(k6Port, '127.0.0.1', () => resolve(undefined)));
  assert.equal(await (await fetch(`${at}/ui/`)).text(), 'its page');
  const events = await (await fetch(`${at}/events`)).text();
  assert.deepEqual(events.match(/^event: \w+$/gm), ['event: metric', 'event: stop']);
  for (let i = 0; i < 100 && readers > 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(readers, 0, 'k6 can end');
  assert.deepEqual(await load(), { up: true, ended: 1 });
});
