import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTarget, readSettings } from './settings.js';

test('an address is taken apart, and nonsense is refused with an example', () => {
  assert.deepEqual(parseTarget('scheme://127.0.0.1:6379', ''), {
    url: 'scheme://127.0.0.1:6379',
    host: '127.0.0.1',
    port: 6379,
    transport: 'scheme',
  });
  assert.equal(parseTarget('http://user:secret@[::1]:80/path', 'resp').host, '[::1]');
  const { url, login } = parseTarget('resp://user:secret@h:1', 'resp');
  assert.deepEqual([url, login], ['resp://h:1', { user: 'user', password: 'secret' }]);
  assert.deepEqual(parseTarget('resp://h:1', 'resp', 's:e:c').login, { user: 's', password: 'e:c' });
  assert.deepEqual(parseTarget('resp://h:1', 'resp', ':only').login, { password: 'only' });
  assert.throws(() => parseTarget('nowhere', ''), /BASE_URL "nowhere" is no URL such as/);
});

test('a missing variable is named', () => {
  assert.throws(
    () => readSettings({ SYSTEM: 'x', PROFILE: 'smoke' }),
    /-e BASE_URL=… is missing|-e WORKLOAD=…/,
  );
});
