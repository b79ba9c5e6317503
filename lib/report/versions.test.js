import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemVersion } from './versions.js';

test('a system has the version of its own package, and never that of a program beside it', () => {
  const of = (/** @type {string} */ provenance) =>
    systemVersion({}, /** @type {any} */ ({ id: 'a', provenance }));
  assert.equal(of('Debian package some-server 5:7.0.15-1'), '7.0.15');
  assert.equal(of('named by SOME_BIN, Debian package postgresql-15 15.18-0+deb12u1'), null);
  assert.equal(of('some:aeb5f28 (local), postgres:17.5-bookworm (local)'), null);
});
