/** k6 scripts whose iterations last: sessions that are held, and answers that take long. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { startServer } from './script-server.js';

const folder = temporaryFolder();
const server = await startServer();
after(() => server.stop());

/** k6 waits for no session that is held at the end of a step. */
const AT_ONCE = `export const options = { scenarios: { held: { executor: 'constant-vus', vus: 1, duration: '1s', gracefulStop: '0s' } } };`;

/**
 * @param {string} name
 * @param {string} text
 * @param {string} scheme
 * @param {string[]} flags
 */
async function measure(name, text, scheme, ...flags) {
  const reports = temporaryFolder();
  const script = join(folder, `${name}.js`);
  writeFileSync(script, text);
  const ended = await runCommand([
    ...['--script', script, '--reports', reports, '--endpoint', `shop=${scheme}://${server.host}`],
    ...['--step-duration', '2s', ...flags],
  ]);
  return { ...ended, run: () => newestRun(reports) };
}

test('WebSocket sessions that are held are said to be waited for, and a load of messages by so many users', async (t) => {
  for (const [name, text] of Object.entries({
    ws: `import ws from 'k6/ws'; ${AT_ONCE}
      export default () => { ws.connect(__ENV.BASE_URL + '/ws/hello', {}, (s) => { s.on('message', () => {}); }); }`,
    websockets: `import { WebSocket } from 'k6/websockets'; ${AT_ONCE}
      export default () => { const s = new WebSocket(__ENV.BASE_URL + '/ws/hello'); s.onmessage = () => {}; }`,
  }))
    await t.test(name, async () => {
      const { code, stderr, run } = await measure(name, text, 'ws', '--steps', '1,3');
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        /goes on after 5 s: 1 of 1 requests and connections were answered, \d+ messages came/,
      );
      assert.match(stderr, /a long iteration, which is not waited for/);
      for (const { operations, step } of run().records) {
        assert.deepEqual(Object.keys(operations), ['ws_msgs_received']);
        // Ten a second to each user.
        const { ratePerSec } = operations.ws_msgs_received;
        assert.ok(Math.abs(ratePerSec / step.vus - 10) < 3, `${ratePerSec}/s for ${step.vus} users`);
      }
    });
});

test('an answer that takes longer than a step is waited for, and the step says that it is too short', async () => {
  const text = `import http from 'k6/http'; export default () => { http.get(__ENV.BASE_URL + '/slow/6000'); }`;
  const { code, stderr, run } = await measure('poll', text, 'http', '--steps', '1');
  assert.equal(code, 3, stderr);
  assert.match(stderr, /goes on after 5 s: nothing was answered yet/);
  assert.match(String(run().records[0].reason), /--step-duration longer/);
});

test('an answer that does not come in the time that the script gives it is exit 3 before the load', async () => {
  const text = `import http from 'k6/http'; export default () => { http.get(__ENV.BASE_URL + '/slow/60000', { timeout: '1s' }); }`;
  const { code, stderr, run } = await measure('late', text, 'http', '--steps', '1');
  assert.equal(code, 3, stderr);
  assert.match(stderr, /^error: late\.js: no answer in time: 127\.0\.0\.1:\d+$/m);
  assert.throws(run, /no run in/);
});
