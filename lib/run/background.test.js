import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually, processesWith } from '../e2e/harness.js';
import { stackOfServices } from '../engines/testing.js';
import { startBackground } from './background.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-background-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const FEED = `
const { RATE_PER_SEC, BASE_URL, PORT_STORE } = process.env;
const latencyMs = { p50: 1, p90: 2, p99: 3, max: 4 };
const line = { count: Number(RATE_PER_SEC) * 2, seconds: 2, latencyMs, mostLag: 5, drainMs: 6 };
console.error('feeding ' + BASE_URL + ' beside ' + PORT_STORE);
process.on('SIGTERM', () => { console.log(JSON.stringify(line)); process.exit(0); });
setInterval(() => {}, 1000);
`;

/** @param {string} name @param {string} text of the program */
function subject(name, text) {
  const stack = stackOfServices(join(folder, name), []);
  writeFileSync(join(stack.folder, 'feed.mjs'), text);
  stack.manifest.background = { title: 'feed', command: [process.execPath, '{stack}/feed.mjs'] };
  const companions = { pgids: () => [], elsewhere: false, variables: { PORT_STORE: '7' } };
  const instance = /** @type {import('../engines/native.js').Instance} */ (
    /** @type {unknown} */ ({ url: 'x://there', companions })
  );
  return { stack, instance };
}

const cell = /** @type {import('../types.d.ts').CellPlan} */ (
  /** @type {unknown} */ ({ step: { id: 'busy', background: { ratePerSec: 50 } } })
);

test('it runs beside the load, and its figures become part of the cell', async () => {
  const own = subject('honest', FEED);
  const background = await startBackground(cell, own);
  assert.ok(await eventually(() => processesWith(join(own.stack.folder, 'feed.mjs')).length > 0));
  // It has to see the signal, not to be ended by it.
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.deepEqual(await background?.end(), {
    background: {
      title: 'feed',
      targetPerSec: 50,
      ratePerSec: 50,
      count: 100,
      latencyMs: { p50: 1, p90: 2, p99: 3, max: 4 },
      mostLag: 5,
      drainMs: 6,
    },
  });
  assert.deepEqual(processesWith(join(own.stack.folder, 'feed.mjs')), []);
});

test('one that ends by itself fails the cell, with its last line', async () => {
  const own = subject('ends', "console.error('no database'); process.exit(1);");
  const background = await startBackground(cell, own);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const outcome = await background?.end();
  assert.deepEqual(outcome, {
    status: 'failed',
    reason: 'the background load ended with code 1: no database',
    logTail: ['no database'],
  });
});

test('nothing runs where no step asks for it, and where its ports cannot be reached it says so', async () => {
  const own = subject('quiet', FEED);
  const idle = /** @type {typeof cell} */ (/** @type {unknown} */ ({ step: { id: 'idle' } }));
  assert.equal(await startBackground(idle, own), null);
  const elsewhere = { ...own, instance: { ...own.instance, companions: undefined } };
  const outcome = await (await startBackground(cell, elsewhere))?.end();
  assert.deepEqual(outcome, {
    status: 'unsupported',
    reason: 'a background load needs the engine native',
    logTail: [],
  });
});
