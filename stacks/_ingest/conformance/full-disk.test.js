/**
 * A disk that is really full: a file system without room, and a limit on the size of files. What a server writes to standard
 * error lies on it, too.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { diskThatForgets, powerLossMissing } from '../../../lib/engines/power-loss.js';
import { within } from '../../../lib/process/within.js';
import { isBuilt, runBuild, toolBuild } from '../../../lib/setup/builds.js';
import { assertProblem, connect, events } from './client.js';
import { build, dataFolder, implementations, missingTool, startServer } from './server.js';
import { assertStored } from './stored.js';

/**
 * @import { Server } from './client.js'
 * @import { Stack } from '../../../lib/types.d.ts'
 */

const CLIENTS = 4;
/** The log reaches it long before it is written back. */
const LIMIT_KIB = 2048;

/**
 * What clients were told of their batches, until each of them was refused three times.
 * @param {Server} server
 * @param {() => Promise<void>} [fill] called after some were stored
 * @returns {Promise<{acked: string[], refused: string[]}>} ids of events
 */
async function loadUntilRefused(server, fill = async () => {}) {
  /** @type {string[]} */
  const acked = [];
  /** @type {string[]} */
  const refused = [];
  const payload = { filler: 'f'.repeat(1000) };
  const send = async () => {
    const given = events(20, () => ({ payload }));
    const answer = await server.batch(given);
    const ids = given.map((e) => e.id);
    if (answer.status === 200) acked.push(...ids);
    else {
      assertProblem(answer, 503, 'storage');
      refused.push(...ids);
    }
    return answer.status;
  };
  await send();
  await fill();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let refusals = 0; refusals < 3; ) if ((await send()) !== 200) refusals++;
    }),
  );
  return { acked, refused };
}

/**
 * @param {Server} server
 * @param {{acked: string[], refused: string[]}} load
 */
async function assertReadsGoOn(server, { acked, refused }) {
  assert.ok(acked.length >= 20);
  assert.equal((await server.get('/healthz')).status, 200);
  assert.equal((await server.get(`/api/events/${acked.at(-1)}`)).status, 200);
  await assertStored(server, acked, refused);
}

/**
 * The same system, whose files may grow up to a limit: a write beyond it is an error.
 * @param {Stack} stack
 * @returns {Stack}
 */
function withLimit(stack) {
  const { manifest } = stack;
  const script = `trap '' XFSZ; ulimit -S -f ${LIMIT_KIB * 2}; exec "$@"`;
  const start = ['sh', '-c', script, 'sh', ...(manifest.native?.start ?? [])];
  return /** @type {Stack} */ ({
    ...stack,
    manifest: { ...manifest, native: { ...manifest.native, start } },
  });
}

/** @param {Stack} stack */
function fullDiskOf(stack) {
  before(() => build(stack));

  test('what does not fit is 503 and not there, and what was acknowledged is, also after a kill and a start', async () => {
    const data = dataFolder();
    after(data.remove);
    const limited = await startServer(withLimit(stack), data.path);
    const load = await loadUntilRefused(connect(limited.url));
    await assertReadsGoOn(connect(limited.url), load);
    limited.signal('SIGKILL');
    await limited.stop();
    const running = await startServer(stack, data.path);
    await assertStored(connect(running.url), load.acked, load.refused);
    assert.equal((await connect(running.url).batch(events(20))).status, 200);
    await running.stop();
  });

  test('a file system without room: writes are refused until there is some, and nothing is lost', {
    skip: powerLossMissing() ?? false,
  }, async () => {
    const disks = toolBuild('power-loss');
    if (!isBuilt(disks)) await runBuild(disks);
    const data = dataFolder();
    const disk = diskThatForgets(data.path);
    after(async () => {
      await disk.off();
      data.remove();
    });
    await disk.on();
    const running = await startServer(stack, disk.mount);
    const server = connect(running.url);
    const load = await loadUntilRefused(server, disk.fill);
    await assertReadsGoOn(server, load);
    await disk.free();
    const more = events(20);
    assert.equal((await server.batch(more)).status, 200);
    const acked = [...load.acked, ...more.map((e) => e.id)];
    await assertStored(server, acked, load.refused);

    // What was acknowledged is in the log, whatever the code is.
    await disk.fill();
    running.signal('SIGTERM');
    assert.ok(await within(10_000, running.exited), 'it ends');
    await running.stop();
    await disk.free();
    const again = await startServer(stack, disk.mount);
    await assertStored(connect(again.url), acked, load.refused);
    await again.stop();
  });
}

for (const stack of implementations()) {
  describe(`full disk: ${stack.id}`, { skip: missingTool(stack) }, () => fullDiskOf(stack));
}
