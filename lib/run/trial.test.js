import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { freePort } from '../process/ports.js';
import { askConforming, heldSystems, perform } from './trial.js';

/** A server that answers once the file of the other one is there, too, for 10 s. */
const SERVER = `
const { existsSync, writeFileSync } = require('node:fs');
const [port, own, other] = process.argv.slice(1);
writeFileSync(own, '');
process.on('SIGTERM', () => { writeFileSync(own + '.stopped', ''); process.exit(); });
const listen = () => existsSync(other)
  ? require('node:net').createServer((s) => s.on('data', () => s.end('right'))).listen(port, '127.0.0.1')
  : setTimeout(listen, 20);
listen();`;
/** A check that passes once the other one has begun, too. */
const CHECK = `
const { existsSync, writeFileSync } = require('node:fs');
const [own, other] = process.argv.slice(1);
writeFileSync(own, '');
const until = Date.now() + 10_000;
const look = () => existsSync(other) || Date.now() > until
  ? console.log(JSON.stringify({ passed: 1, failed: existsSync(other) ? 0 : 1 }))
  : setTimeout(look, 20);
look();`;

/**
 * @param {import('node:test').TestContext} t
 * @param {{other?: string}} [options] `other`: of the file that the second server waits for
 */
function aCampaign(t, { other = 'one' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-trial-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const of = (/** @type {string} */ id, /** @type {string} */ awaited) => ({
    ...{ id, base: id, folder },
    manifest: {
      title: id,
      native: { start: ['node', '-e', SERVER, '{port}', join(folder, id), join(folder, awaited)] },
      ready: { tcp: { send: 'is it?', expect: 'right' }, timeoutSec: awaited === 'nobody' ? 1 : 10 },
      endpoint: { url: 'tcp://{host}:{port}' },
      workloads: { counters: { transports: ['tcp'] } },
      conformance: {
        command: ['node', '-e', CHECK, ...[id, awaited].map((name) => join(folder, `${name}.asked`))],
      },
    },
  });
  const stacks = /** @type {any[]} */ ([of('one', 'other'), of('other', other)]);
  const systems = stacks.map(({ id }) => ({ id, role: 'system', engine: 'native' }));
  const trials = [{ systems: ['one', 'other'], transport: 'tcp' }];
  const plan = /** @type {any} */ ({ systems, trials, options: { endpoints: {}, ports: {} } });
  const heldOf = heldSystems(plan, stacks);
  const campaign = /** @type {any} */ ({
    ...{ plan, heldOf, project: null, runFolder: folder, nonconforming: new Map() },
    signal: new AbortController().signal,
  });
  return { campaign, folder, held: ['one', 'other'].map(heldOf) };
}

test('systems of a trial are started at the same time, and asked whether they are right, once', async (t) => {
  const { campaign, folder, held } = aCampaign(t);
  // As two variants of a system that has a --port.
  const port = await freePort();
  campaign.plan.options.ports = { one: port, other: port };
  await askConforming(campaign);
  campaign.plan.options.ports = {};
  assert.deepEqual(await Promise.all(campaign.nonconforming.values()), [null, null]);
  for (const name of ['one', 'other'])
    for (const file of ['asked', 'stopped']) rmSync(join(folder, `${name}.${file}`));
  const failed = (/** @type {Error} */ error) => assert.fail(error);
  const names = await perform(campaign, { held, transport: 'tcp', failed }, async (up) => {
    assert.equal(existsSync(join(folder, 'one.stopped')), false);
    return up.map(({ url }) => url.replace(/\d+$/, ''));
  });
  assert.equal(existsSync(join(folder, 'one.asked')), false, 'who was asked is asked no more');
  assert.deepEqual(names, ['tcp://127.0.0.1:', 'tcp://127.0.0.1:']);
  for (const name of ['one', 'other']) assert.ok(existsSync(join(folder, `${name}.stopped`)), name);
});

test('where one of them does not start, its reason is said and the other one is stopped', async (t) => {
  const { campaign, folder, held } = aCampaign(t, { other: 'nobody' });
  const never = async () => assert.fail('it is loaded');
  /** @type {string[]} */
  const told = [];
  const failed = (/** @type {Error} */ { message }) => told.push(message);
  assert.equal(await perform(campaign, { held, transport: 'tcp', failed }, never), null);
  assert.match(told.join('\n'), /^other.*not.*ready/);
  assert.ok(existsSync(join(folder, 'one.stopped')));
});

test('what a load cannot measure is told, of an interrupted run nothing, and what nobody foresaw is thrown', async (t) => {
  const { campaign, folder, held } = aCampaign(t);
  await askConforming(campaign);
  /** @type {string[]} */
  const told = [];
  const failed = (/** @type {Error} */ { message }) => told.push(message);
  const trial = { held, transport: 'tcp', failed };
  const breaks = (/** @type {Error} */ error) => async () => {
    throw error;
  };
  assert.equal(await perform(campaign, trial, breaks(new BenchError('a setting did not take'))), null);
  assert.deepEqual(told, ['a setting did not take']);
  await assert.rejects(perform(campaign, trial, breaks(new RangeError('a mistake'))), /a mistake/);
  const stopping = new AbortController();
  const load = async () => {
    stopping.abort();
    throw new BenchError('k6 was interrupted');
  };
  assert.equal(await perform({ ...campaign, signal: stopping.signal }, trial, load), null);
  assert.equal(told.length, 1);
  assert.ok(existsSync(join(folder, 'one.stopped')));
});
