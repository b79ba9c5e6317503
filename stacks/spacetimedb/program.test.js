import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { loadStacks } from '../../lib/config/stacks.js';
import { nativeAvailability } from '../../lib/engines/index.js';
import { provenanceOf, startNative } from '../../lib/engines/native.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-spacetime-'));
const { PATH, SPACETIMEDB_BIN } = process.env;
after(() => {
  Object.assign(process.env, { PATH, ...(SPACETIMEDB_BIN ? { SPACETIMEDB_BIN } : {}) });
  rmSync(folder, { recursive: true, force: true });
});
// Nothing of this machine's own.
process.env.PATH = [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
delete process.env.SPACETIMEDB_BIN;

/** The words of the command line and of the server alike: the first starts the second with all of them behind its own. */
const PROGRAM = `#!${process.execPath}
const words = process.argv.slice(2);
if (words[0] === '--version') {
  console.log('spacetime Path: /some/where\\nspacetimedb tool version 2.10.0; spacetimedb-lib version 2.10.0;');
  process.exit();
}
if (words[0] !== 'start') process.exit(2);
const valueOf = (flag) => words.find((w) => w.startsWith(flag + '='))?.slice(flag.length + 1);
if (!valueOf('--data-dir') || !valueOf('--jwt-key-dir')) process.exit(2);
const [host, port] = valueOf('--listen-addr').split(':');
require('node:http').createServer((request, answer) =>
  answer.end(JSON.stringify({ version: '2.10.0', program: process.argv[1], words })),
).listen(Number(port), host);
`;

/** @param {string} name of a program that comes to PATH @returns {import('../../lib/types.d.ts').Stack} */
function stackWith(name) {
  writeFileSync(join(folder, name), PROGRAM, { mode: 0o755 });
  const stack = loadStacks().stacks.find((s) => s.id === 'spacetimedb');
  assert.ok(stack);
  // Without its hook: a stand-in takes no module.
  const own = join(folder, `stack-${name}`);
  cpSync(join(stack.folder, 'config'), join(own, 'config'), { recursive: true });
  return { ...stack, folder: own, manifest: { ...stack.manifest, hookBuild: undefined } };
}

for (const name of ['spacetime', 'spacetimedb-standalone']) {
  test(`${name} on PATH is taken in place of the build, and started on data of the run alone`, async () => {
    const stack = stackWith(name);
    assert.equal(nativeAvailability(stack).state, 'ready');
    assert.equal(provenanceOf(stack), `${name} on PATH`);
    const instance = await startNative(stack, { transport: 'ws', signal: new AbortController().signal });
    try {
      const { program, words } = await (await fetch(`${instance.url}/v1/health`)).json();
      assert.equal(program, join(folder, name));
      assert.deepEqual(
        words.map((/** @type {string} */ w) => w.split('=')[0]),
        ['start', '--data-dir', '--jwt-key-dir', '--listen-addr'],
      );
      assert.equal(instance.version, '2.10.0');
    } finally {
      await instance.stop();
    }
  });
}
