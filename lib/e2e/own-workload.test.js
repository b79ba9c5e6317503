import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { newestRun, runCommand, shortProfile, temporaryFolder } from './harness.js';

/** The workload and the system of docs/using.md, word for word, in a folder outside the tree. */

const asked = { pages: 0, others: 0 };
const server = createServer((request, response) => {
  const isPage = /^\/page\/\d+$/.test(String(request.url));
  asked[isPage ? 'pages' : 'others']++;
  response.writeHead(isPage ? 200 : 404).end();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
after(() => server.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const folder = temporaryFolder();

test('the smallest workload of docs/using.md is measured and reported', async () => {
  const files = [...page().matchAll(/^`(bench\/[^`]+)`.*\n\n```\w+\n([\s\S]*?)```$/gm)];
  for (const [, path, text] of files) write(join(folder, path), text);
  assert.deepEqual(
    files.map(([, path]) => path),
    ['bench/workloads/pages.js', 'bench/stacks/shop/client.js', 'bench/stacks/shop/stack.json'],
  );
  const line = /^\.\/run-all\.sh ladder (--workloads-folder .*)$/m.exec(page())?.[1] ?? '';
  const flags = line.replace(/:8080$/, `:${port}`).split(' ');
  // The ladder takes minutes: this is one step of it.
  const profile = shortProfile(folder, { workloads: undefined });
  const reports = join(folder, 'reports');
  const { code, stderr } = await runCommand([profile, ...flags, '--reports', reports, '--no-live'], {
    cwd: folder,
  });
  assert.equal(code, 0, stderr);
  const { records, report } = newestRun(reports);
  assert.deepEqual(
    records.map((r) => [r.system, r.workload, Object.keys(r.operations)]),
    [['shop', 'pages', ['page']]],
  );
  const { count } = records[0].operations.page;
  assert.ok(count >= 100 && count < asked.pages, `${count} counted of ${asked.pages}`);
  assert.equal(asked.others, 0);
  assert.match(report, /Pages/);
});

/** @returns {string} */
function page() {
  return readFileSync(join(ROOT, 'docs', 'using.md'), 'utf8');
}

/** @param {string} path @param {string} text */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
