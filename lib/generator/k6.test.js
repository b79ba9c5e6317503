import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sideBySideCommand } from './k6.js';

test('what a user once set for another k6 does not reach a load side by side', (t) => {
  const set = { K6_DURATION: '1s', K6_OUT: 'json=/dev/null', K6_VUS: '3', GOMAXPROCS: '1', GOGC: 'off' };
  Object.assign(process.env, set);
  t.after(() => {
    for (const name of Object.keys(set)) delete process.env[name];
  });
  const { env, command } = sideBySideCommand({ binary: 'k6', callFile: 'call.json', apiPort: 1, loops: 2 });
  const reaches = { ...process.env, ...env };
  for (const name of Object.keys(set)) assert.equal(reaches[/** @type {never} */ (name)], undefined, name);
  assert.equal(env.BURST_LOOPS, '2');
  assert.equal(readFileSync(command[command.indexOf('--config') + 1], 'utf8'), '{}\n', 'its file is empty');
});
