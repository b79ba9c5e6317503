import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startChild } from './child.js';
import { ownName, RUNNER } from './own-name.js';
import { readRow } from './table.js';
import { within } from './within.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-child-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const skip = process.platform !== 'linux' && 'needs /proc';

/** Starts a process in a session of its own, says its id, and waits. */
const ESCAPING = 'setsid sleep 600 & echo $!; wait';

/**
 * @param {string} log
 * @returns {Promise<number>} the id that was said
 */
async function saidIn(log) {
  for (let tries = 0; tries < 400; tries++) {
    const pid = Number(readFileSync(log, 'utf8'));
    // Until setsid has replaced the group, it is an ordinary child.
    if (pid && readRow(pid)?.pgid === pid) return pid;
    await within(25);
  }
  throw new Error('it never left its group');
}

/** @param {number} pid @returns {Promise<boolean>} whether it ends: who is not our child may be seen for a moment more */
async function ends(pid) {
  for (let tries = 0; tries < 200 && isThere(pid); tries++) await within(25);
  return !isThere(pid);
}

/** @param {number} pid */
function isThere(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}

test('a child that is stopped takes with it what has left its process group, and no sibling', {
  skip,
}, async () => {
  const logs = ['one.log', 'two.log'].map((name) => join(folder, name));
  const children = await Promise.all(logs.map((logPath) => startChild(['sh', '-c', ESCAPING], { logPath })));
  const [first, second] = await Promise.all(logs.map(saidIn));
  await children[0].stop();
  assert.ok(await ends(first), 'it outlived its child');
  assert.ok(isThere(second), 'of the other child');
  await children[1].stop();
  assert.ok(await ends(second));
});

test('a process that ends takes with it all that carries its name, and no stranger', { skip }, async () => {
  const script = `
    import { spawn } from 'node:child_process';
    import { ownName, RUNNER } from ${JSON.stringify(new URL('./own-name.js', import.meta.url).href)};
    import ${JSON.stringify(new URL('./child.js', import.meta.url).href)};
    const start = (env) => spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: { ...process.env, ...env } }).pid;
    console.log([start({ [RUNNER]: ownName('hook') }), start({}), start({ [RUNNER]: ${JSON.stringify(ownName('other'))} })].join());
    process.exit(0);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, [RUNNER]: undefined },
  });
  const [own, ...strangers] = stdout.trim().split(',').map(Number);
  try {
    assert.ok(own, stderr);
    assert.ok(await ends(own));
    assert.deepEqual(strangers.map(isThere), [true, true]);
  } finally {
    for (const pid of strangers) process.kill(pid, 'SIGKILL');
  }
});
