import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from '../options.js';
import { commandLines } from './command-line.js';

test('a folder of this machine stands in the command that goes on with a run, not in the one that measures it again', () => {
  const { options } = readOptions(['smoke', '--reports', '/some/folder', '--repeats', '2', '--no-live']);
  const lines = commandLines('smoke', options.given, { systems: ['one'], variables: [], k6Options: [] });
  assert.deepEqual(lines, {
    measure: 'smoke --systems one --repeats 2 --no-live',
    resume: '--reports /some/folder',
    profile: 'smoke',
  });
});

test('what drives a system by its address is given again, and a process, which has another id then, is not', () => {
  const argv = ['smoke', '--endpoint', 'shop:pages=http://10.0.0.7:80', '--watch', 'shop=12'];
  const { options } = readOptions(argv);
  const lines = commandLines('smoke', options.given, { systems: ['shop'], variables: [], k6Options: [] });
  assert.equal(lines.measure, 'smoke --systems shop --endpoint shop:pages=http://10.0.0.7:80 --watch shop');
});
