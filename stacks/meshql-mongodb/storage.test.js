import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withCompanions } from '../../lib/config/companions.js';
import { loadStacks } from '../../lib/config/stacks.js';
import { companionPorts, companionsOf } from '../../lib/engines/companions.js';
import { nativeAvailability } from '../../lib/engines/index.js';
import { programsOf, startNative } from '../../lib/engines/native.js';
import { cachePath } from '../../lib/paths.js';
import { runTool } from '../../lib/process/tool.js';
import { isBuilt, runBuild, stackBuilds } from '../../lib/setup/builds.js';
import { readJson } from '../../lib/store.js';

const folder = dirname(fileURLToPath(import.meta.url));
// On MongoDB, where there is one, else on FerretDB.
const own = loadStacks().stacks.filter((s) => s.folder === folder);
const stack = own.find((s) => nativeAvailability(s).state !== 'unavailable') ?? own[0];
if (!stack) throw new Error('this folder is no stack');
const { state, missing } = nativeAvailability(stack);

describe('the storage on MongoDB', { skip: state === 'unavailable' ? missing : undefined }, () => {
  const data = mkdtempSync(join(tmpdir(), 'lb-mongo-'));
  /** @type {import('../../lib/engines/companions.js').Companions} */
  let companions;
  /** @type {Record<string, string>} */
  let ports;
  let url = '';
  before(async () => {
    for (const b of stackBuilds(stack)) if (!isBuilt(b)) await runBuild(b);
    ports = await companionPorts(stack.manifest.native?.companions ?? []);
    const { fill, env } = programsOf(stack, { data, ...ports });
    companions = companionsOf(stack, { secret: 'unused', data, ports, fill, env });
    await companions.prepare();
    await companions.start(AbortSignal.timeout(120_000));
    url = fill('{url.mongo}');
  });
  after(async () => {
    await companions?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test('passes what every storage passes, and what only it must', async () => {
    const command = ['cargo', 'test', '--locked', '--test', 'http', '--', '--ignored', 'mongodb'];
    const { ok, stdout, stderr } = await runTool(command, {
      cwd: join(folder, '..', '_meshql', 'server'),
      env: {
        MONGO_TEST_URI: url,
        CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? cachePath('cargo'),
      },
      timeoutMs: 20 * 60_000,
    });
    assert.ok(ok, `${stdout}\n${stderr}`);
    const passed = Number(/(\d+) passed; 0 failed; 0 ignored/.exec(stdout)?.[1]);
    assert.ok(passed >= 20, stdout);
  });

  test('a MongoDB that the user gives is used, and holds nothing of ours afterwards', async () => {
    const manifest = withCompanions(readJson(join(folder, 'stack.json')), { MONGO_URI: url });
    const given = { ...stack, manifest };
    const farm = { name: 'F', farm_type: 'megafarm', zone: 'north' };
    for (let round = 0; round < 2; round++) {
      const server = await startNative(given, { transport: 'http', signal: AbortSignal.timeout(60_000) });
      try {
        assert.equal(server.companions?.elsewhere, true);
        const farms = `${server.url}/farm/api`;
        assert.deepEqual(await (await fetch(farms)).json(), [], `round ${round}`);
        const headers = { 'content-type': 'application/json' };
        const created = await fetch(farms, { method: 'POST', headers, body: JSON.stringify(farm) });
        assert.equal(created.status, 201);
        const { storage, durability } = await (await fetch(`${server.url}/ready`)).json();
        assert.deepEqual([storage, durability], ['mongodb', 'fsync']);
      } finally {
        await server.stop();
      }
    }
  });

  test('the health check of the container asks MongoDB, and notices that nobody is there', async () => {
    const compose = readFileSync(join(folder, 'compose.yml'), 'utf8');
    const script = /- \|\n((?: {10}.*\n)+)/.exec(compose)?.[1];
    assert.ok(script);
    const check = (/** @type {string} */ port) =>
      runTool(['bash', '-c', script.replaceAll('$$', '$').replace('27017', port)], { timeoutMs: 5000 });
    assert.equal((await check(ports['port.mongo'])).ok, true);
    assert.equal((await check('1')).ok, false);
  });
});
