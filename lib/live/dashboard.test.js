import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { eventually } from '../e2e/harness.js';
import { runTool } from '../process/tool.js';
import { openDashboard } from './dashboard.js';

const { port, k6Port, close } = await openDashboard(/op_rate/);
const at = `http://127.0.0.1:${port}`;
let told = 'metric';
let readers = 0;
/** A k6 that sends its last state at once, and waits for a reader. */
const k6 = createServer((asked, answer) => {
  if (asked.url?.startsWith('/ui/')) return answer.writeHead(200).end('its page');
  readers++;
  asked.socket.on('close', () => readers--);
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.write(`id: 1\ndata: {"${told}":1}\nevent: metric\n\n`);
  if (!asked.url?.includes('read')) return;
  answer.write('id: 2\ndata: {}\nevent: st');
  setTimeout(() => answer.write('op\nretry: 9007199254740991\n\n'), 50);
});
const start = () => new Promise((resolve) => k6.listen(k6Port, '127.0.0.1', () => resolve(undefined)));
const end = () => {
  k6.closeAllConnections();
  return new Promise((resolve) => k6.close(resolve));
};
after(() => Promise.all([close(), end()]));
const load = async () => (await (await fetch(`${at}/load`)).json()).load;

test('a process that has nothing else to do ends, whether or not its dashboard was closed', async () => {
  const code = 'const { openDashboard } = await import(process.argv[1]); await openDashboard();';
  const url = new URL('./dashboard.js', import.meta.url).href;
  const ended = await runTool([process.execPath, '--input-type=module', '--eval', code, url], {
    timeoutMs: 10_000,
  });
  assert.ok(ended.ok, ended.stderr);
});

test('between loads there is a page, and nothing of k6', async () => {
  assert.match(await (await fetch(at)).text(), /Between two loads/);
  assert.equal((await fetch(`${at}/1/events`)).status, 503);
  assert.equal(await load(), null);
});

test('a load is shown when its events have told of what its charts show', async () => {
  await start();
  assert.equal(await load(), null);
  told = 'op_rate';
  assert.equal(await load(), 1);
  assert.equal(await (await fetch(`${at}/ui/`)).text(), 'its page');
});

test('nobody reads on when k6 has said its last, and the next load is another one', async () => {
  const events = await (await fetch(`${at}/1/events?read`)).text();
  assert.deepEqual(events.match(/^event: \w+$/gm), ['event: metric', 'event: stop']);
  assert.equal(await load(), null, 'over, though its k6 is still there');
  assert.ok(await eventually(() => readers === 0), 'so that k6 can end');
  await end();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await start();
  assert.ok(await eventually(async () => (await load()) === 2));
  assert.equal((await fetch(`${at}/1/events`)).status, 204, 'a page of the first one need not ask again');
});
