import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../paths.js';

test('each check that the method names is there', () => {
  const text = readFileSync(join(ROOT, 'docs/method.md'), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+(?:\.test\.js|_test\.go))`/g)].map(([, file]) => file);
  assert.ok(named.length > 30, `only ${named.length} were seen`);
  assert.deepEqual(
    named.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});
