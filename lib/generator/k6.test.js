import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { k6Command } from './k6.js';

test('what a user once set for another k6 does not reach a load side by side', (t) => {
  const set = { K6_DURATION: '1s', K6_OUT: 'json=/dev/null', K6_VUS: '3', GOMAXPROCS: '1', GOGC: 'off' };
  Object.assign(process.env, set);
  t.after(() => {
    for (const name of Object.keys(set)) delete process.env[name];
  });
  const system = { name: 's0', lane: 0, stackFolder: '/stack', url: 'scheme://127.0.0.1:1' };
  const { env, command } = k6Command({
    binary: 'k6',
    plan: /** @type {any} */ ({ profileId: 'smoke', workloads: [{ id: 'mine', file: '/mine.js' }] }),
    workload: 'mine',
    transport: 'resp',
    profilePath: '/profile.json',
    trial: {
      start: 1,
      users: 2,
      control: 'http://127.0.0.1:2',
      systems: [system, { ...system, name: 's1' }],
    },
    files: { histograms: '/export.json' },
    heldTo: [0],
    apiPort: 1,
  });
  const reaches = { ...process.env, ...env };
  for (const name of Object.keys(set)) assert.equal(reaches[/** @type {never} */ (name)], undefined, name);
  assert.equal(env.BURST_LOOPS, '2');
  assert.ok(command.includes('WORKLOAD_FILE=/mine.js'));
  assert.equal(readFileSync(command[command.indexOf('--config') + 1], 'utf8'), '{}\n', 'its file is empty');
});
