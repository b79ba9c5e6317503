import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cachePath } from '../paths.js';
import { newestRun, runCommand, temporaryFolder } from './harness.js';

/** What somebody keeps in HOME for tools of their own, and a HOME that is none. */
const folder = temporaryFolder();
const server = createServer((_, response) => setTimeout(() => response.end('here'), 2));
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
after(() => server.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

const script = join(folder, 'plain.js');
writeFileSync(
  script,
  "import http from 'k6/http';\nexport default function () { http.get(__ENV.BASE_URL); }\n",
);

const settings = join(folder, 'home');
for (const path of ['.config/k6', '.config/loadimpact/k6']) {
  mkdirSync(join(settings, path), { recursive: true });
  // Of 8 users who each wait 2 ms for an answer hardly anything would be left.
  writeFileSync(join(settings, path, 'config.json'), '{"rps":20,"userAgent":"odd"}');
}
const file = join(folder, 'file');
writeFileSync(file, '');

for (const [what, home] of /** @type {const} */ ([
  ['that holds a configuration of k6', settings],
  ['that is a file', file],
]))
  test(`a HOME ${what} does not change a load`, async () => {
    const reports = temporaryFolder();
    const args = ['--script', script, '--endpoint', `shop=http://127.0.0.1:${port}`, '--reports', reports];
    const env = { HOME: home, XDG_CONFIG_HOME: '', LADDERBENCH_CACHE: cachePath(), GOMAXPROCS: '1' };
    const { code, stderr } = await runCommand([...args, '--steps', '8', '--step-duration', '2s'], { env });
    assert.equal(code, 0, stderr);
    const [{ operations }] = newestRun(reports).records;
    assert.ok(operations.http_reqs.ratePerSec > 100, `${operations.http_reqs.ratePerSec} a second`);
  });
