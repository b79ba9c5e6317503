import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../lib/e2e/harness.js';
import { startNative } from '../../lib/engines/native.js';
import { standIn, systemHere } from './testing.js';

const home = mkdtempSync(join(tmpdir(), 'lb-convex-'));
const { HOME, CONVEX_BIN } = process.env;
after(() => {
  Object.assign(process.env, { HOME, ...(CONVEX_BIN ? { CONVEX_BIN } : {}) });
  rmSync(home, { recursive: true, force: true });
});
process.env.HOME = home;
delete process.env.CONVEX_BIN;

/** What the vendor’s command line does: it unpacks a backend into a folder of its version. */
const VERSION = 'precompiled-2026-08-22-94a42c3';
const kept = join(home, '.cache', 'convex', 'binaries', VERSION);
const program = standIn(kept);

test('`systems` says that it would take the backend that the vendor’s command line keeps', async () => {
  const { stdout } = await runCommand(['systems', '--json']);
  const row = JSON.parse(stdout).systems.find((/** @type {any} */ s) => s.system === 'convex');
  assert.ok(row.ways.includes('native'), JSON.stringify(row));
  assert.equal(row.takes, `in ~/.cache/convex/binaries/${VERSION}`);
});

test('that backend is started, and the hook makes the key with it', async () => {
  const own = systemHere('convex');
  // Deploying needs a real backend: the rest of the hook ends here, as soon as there is a key.
  const folder = join(home, 'convex');
  const hook = readFileSync(join(own.folder, 'hooks', 'after-up'), 'utf8');
  const keyed = hook.replace(
    '[[ -x node_modules',
    'echo "$key" >"$DATA/key"; cp "$DATA/key" "$STACK/key"; exit\n[[ -x node_modules',
  );
  assert.notEqual(keyed, hook);
  mkdirSync(join(folder, 'functions'), { recursive: true });
  cpSync(join(own.folder, 'hooks'), join(folder, 'hooks'), { recursive: true });
  writeFileSync(join(folder, 'hooks', 'after-up'), keyed, { mode: 0o755 });
  const start = () =>
    startNative({ ...own, folder }, { transport: 'http', signal: new AbortController().signal });
  const instance = await start();
  try {
    assert.equal(instance.version, null, 'it says that it does not know');
    assert.equal(await (await fetch(`${instance.url}/version`)).text(), 'unknown');
    assert.match(
      readFileSync(join(folder, 'key'), 'utf8'),
      /^ladderbench\|keygen admin-key --instance-name ladderbench /,
    );
  } finally {
    await instance.stop();
  }
  Object.assign(process.env, {
    CONVEX_BIN: program,
    CONVEX_VERSION: 'aeb5f28ad',
  });
  const named = await start();
  await named.stop();
  assert.equal(named.version, 'aeb5f28ad', 'who built it names its commit');
});
