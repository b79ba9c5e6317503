import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillSettings, settingsProblems, settingVariables, shownSettings, withSettings } from './settings.js';

/** @type {any} */
const manifest = {
  workloads: {},
  settings: { save: '', appendonly: 'no', 'io-threads': '1' },
  traits: { peers: 'none' },
  variants: { aof: { title: 'AOF', settings: { appendonly: 'yes', appendfsync: 'everysec' } } },
  native: { start: ['server', '--port', '{port}', '{settings}'] },
  docker: { service: 'my-cache', port: 6379, images: {} },
};
/** A variable of a compose file, with its default. */
const use = (/** @type {string} */ name, value = '') => `$\{${name}:-${value}}`;
const COMPOSE = [
  use('MY_CACHE_SAVE'),
  use('MY_CACHE_APPENDONLY', 'no'),
  use('MY_CACHE_IO_THREADS', '1'),
  use('MY_CACHE_APPENDFSYNC', 'always'),
].join(' ');

test('{settings} in an argument list is every setting by its name, and {setting.name} one of them', () => {
  assert.deepEqual(withSettings(['server', '{settings}', '--dir', '{data}'], manifest.settings), [
    'server',
    '--save',
    '',
    '--appendonly',
    'no',
    '--io-threads',
    '1',
    '--dir',
    '{data}',
  ]);
  assert.equal(
    fillSettings('io {setting.io-threads}; {setting.other}', manifest.settings),
    'io 1; {setting.other}',
  );
});

test('a compose file is given each setting by a variable of its service, capitals as they are', () => {
  assert.deepEqual(settingVariables({ ...manifest, settings: { 'io-threads': '1', QUEUE_SIZE: '8' } }), {
    MY_CACHE_IO_THREADS: '1',
    QUEUE_SIZE: '8',
  });
});

test('what is printed is what was given, then the traits', () => {
  assert.deepEqual(Object.keys(shownSettings(manifest)), ['save', 'appendonly', 'io-threads', 'peers']);
});

test('settings in their places are no problem', () => {
  assert.deepEqual(
    settingsProblems(manifest, () => COMPOSE),
    [],
  );
});

test('a setting that reaches no server is named, natively and in containers', () => {
  const native = { start: ['server', '{setting.save}', '{setting.sav}'], config: ['server.conf'] };
  const problems = settingsProblems({ ...manifest, variants: undefined, native }, (file) =>
    file === 'compose.yml'
      ? use('MY_CACHE_SAVE') + use('MY_CACHE_APPENDONLY', 'yes')
      : 'appendonly {setting.appendonly}',
  );
  assert.deepEqual(problems, [
    'settings.io-threads: native does not pass it on: add {settings} or {setting.io-threads} where it belongs',
    'native: {setting.sav} is not a setting; known: save, appendonly, io-threads',
    `settings.appendonly: compose.yml's default of MY_CACHE_APPENDONLY is "yes", not "no"`,
    `settings.io-threads: compose.yml does not use ${use('MY_CACHE_IO_THREADS', '…')}`,
  ]);
});

test('each variant passes on its own settings, and no others are asked of it', () => {
  const native = { start: ['server', '{settings}'] };
  const over = (/** @type {object} */ own) =>
    settingsProblems(
      { ...manifest, native, docker: undefined, variants: { big: { title: 'Big', ...own } } },
      String,
    );
  assert.deepEqual(over({ native: null, settings: { cache: '1' } }), [], 'it does not run natively');
  const passed = { start: ['server', '{setting.save}', '{setting.cache}', '{setting.appendonly}'] };
  assert.deepEqual(over({ native: passed, settings: { cache: '1', 'io-threads': null } }), []);
  assert.deepEqual(over({ native: passed, settings: {} }), [
    'settings.io-threads: native does not pass it on: add {settings} or {setting.io-threads} where it belongs',
    'native: {setting.cache} is not a setting; known: save, appendonly, io-threads',
  ]);
});
