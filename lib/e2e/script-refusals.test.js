import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { generatorBuild, isBuilt, runBuild } from '../setup/builds.js';
import { runCommand, temporaryFolder } from './harness.js';
import { countingServer, plainK6 } from './plain-k6.js';

/** Scripts that are not measured here, and a k6 that does not start: the true cause, before anything is asked. */

const folder = temporaryFolder();
const server = await countingServer();

/** @param {string} name @param {string} text */
function script(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** @param {string} file @param {Record<string, string>} [env] */
async function refused(file, env) {
  const args = ['--script', file, '--endpoint', `shop=${server.url}`, '--reports', temporaryFolder()];
  const { code, stderr } = await runCommand([...args, '--steps', '1', '--step-duration', '1s'], { env });
  assert.equal(code, 2, stderr);
  assert.equal(server.asked.size, 0, 'nothing was asked');
  return stderr;
}

const BROWSER = `import { browser } from 'k6/browser';
export const options = { scenarios: { ui: { executor: 'shared-iterations', options: { browser: { type: 'chromium' } } } } };
export default async function () { await browser.newPage(); }
`;

test('a browser script is refused with the reason', async () => {
  for (const file of [
    script('ui.js', BROWSER),
    script('ui-without-options.js', BROWSER.replace(/^export const.*$/m, '')),
    script(
      'ui.ts',
      BROWSER.replace("'k6/browser'", '"k6/browser"').replace('{ browser }', '{\n  browser,\n}'),
    ),
  ])
    assert.match(
      await refused(file),
      /^error: ui.*: browser scripts are not measured here: .*\nhint: plain k6 runs it: k6 run \//m,
    );
});

test('a script that only speaks of the browser is measured', async () => {
  const file = script(
    'speaks.js',
    `// import { browser } from 'k6/browser';\nimport http from 'k6/http';\nexport default function () { http.get(__ENV.BASE_URL + '/k6/browser'); }\n`,
  );
  const args = ['--script', file, '--endpoint', `shop=${server.url}`, '--reports', temporaryFolder()];
  const { code, stderr } = await runCommand([...args, '--steps', '1', '--step-duration', '1s']);
  assert.ok(code === 0 || code === 4, stderr);
  server.asked.clear();
});

test('an extension that this k6 does not have is named', async () => {
  const file = script('sql.js', `import sql from 'k6/x/sql';\nexport default function () { sql.open(); }\n`);
  assert.equal((await plainK6([file], { K6_AUTO_EXTENSION_RESOLUTION: 'false' })).code, 107);
  assert.match(
    await refused(file),
    /^error: sql\.js: no k6\/x\/sql in the k6 of this suite: it is an extension$/m,
  );
});

test('a k6 that cannot start is no fault of the script', async () => {
  const build = generatorBuild();
  if (!isBuilt(build)) await runBuild(build);
  const fine = script('fine.js', `export default function () {}\n`);
  for (const [mode, cause] of /** @type {[number, RegExp][]} */ ([
    [0o755, /^error: k6 (cannot be started|was ended by)/m],
    [0o644, /^error: k6 cannot be started \(EACCES\)/m],
  ])) {
    const cache = join(temporaryFolder(), 'cache');
    const own = join(cache, 'builds', 'k6', basename(build.output));
    mkdirSync(join(cache, 'builds', 'k6'), { recursive: true });
    cpSync(build.output, own, { recursive: true });
    writeFileSync(join(own, 'k6'), '\u0000 no program\n');
    chmodSync(join(own, 'k6'), mode);
    const said = await refused(fine, { LADDERBENCH_CACHE: cache });
    assert.match(said, cause);
    assert.match(said, /hint: .*clean --cache/);
    assert.doesNotMatch(said, /mend the script|fine\.js:/);
  }
});
