import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { runTool } from '../process/tool.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';

/** A script that nobody here wrote: one of k6's own examples, out of the module that our k6 is built from. */

const folder = temporaryFolder();
const HOST = 'httpbin.org';
let asked = 0;
const server = createServer((request, response) => {
  if (request.headers.host === HOST) asked++;
  setTimeout(() => response.end('here'), 10);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
after(() => server.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

test('an example of k6’s own, of somebody else’s host, is measured as it is and has a report', async (t) => {
  const { stdout } = await runTool(['go', 'list', '-m', '-f', '{{.Dir}}', 'go.k6.io/k6/v2'], {
    cwd: join(ROOT, 'k6', 'extension'),
  });
  const example = join(stdout.trim(), 'examples', 'custom_metrics.js');
  if (stdout.trim() === '' || !existsSync(example))
    return t.skip('k6’s module is not here: cd k6/extension && go mod download go.k6.io/k6/v2');
  const config = join(folder, 'k6.json');
  writeFileSync(config, JSON.stringify({ hosts: { [`${HOST}:80`]: `127.0.0.1:${port}` } }));
  const reports = join(folder, 'reports');
  const { code, stderr } = await runCommand(
    [
      ...['--script', example, '--steps', '2', '--step-duration', '2s', '--reports', reports],
      ...['--', '--config', config],
    ],
    { env: { NO_PROXY: HOST, no_proxy: HOST } },
  );
  assert.equal(code, 0, stderr);
  const { folder: run, records, report } = newestRun(reports);
  const [{ operations, status }] = records;
  assert.equal(status, 'ok');
  assert.deepEqual(Object.keys(operations), ['iterations', 'http_reqs', 'checks']);
  for (const { count, errors } of Object.values(operations)) {
    assert.ok(count > 20 && count < asked, `${count} of ${asked}`);
    assert.deepEqual(Object.values(errors).filter(Boolean), []);
  }
  assert.ok(/** @type {any} */ (operations.http_reqs.serviceMs).min >= 8);
  assert.match(report, /custom_metrics\.js/);
  assert.match(report, /\| `my_trend` \|/);
  const verified = await runCommand(['report', run, '--verify']);
  assert.equal(verified.code, 0, verified.stderr);
});
