import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadStacks } from './config/stacks.js';
import { ROOT } from './paths.js';

/** The script and all that it imports; the extension speaks protocols, and names them, and so do types of its modules. */
const K6 = readdirSync(join(ROOT, 'k6'))
  .filter((name) => name !== 'extension' && !name.endsWith('.d.ts'))
  .map((name) => join('k6', name));

/** Where no system may be named. */
const NEUTRAL = ['lib', ...K6, 'profiles', 'run-all.sh'];

/** @param {string} path @returns {string[]} */
function filesBelow(path) {
  const full = join(ROOT, path);
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .filter((name) => name !== 'testdata')
    .flatMap((name) => filesBelow(join(path, name)));
}

test('nothing outside a system’s folder names it', () => {
  const ids = loadStacks().stacks.map((s) => s.id);
  const names = new RegExp(ids.filter((id) => !id.startsWith('_')).join('|'), 'i');
  const found = NEUTRAL.flatMap(filesBelow).flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (names.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('no image has a floating tag', () => {
  const found = ['stacks', 'profiles', 'lib', 'docker-compose.yml'].flatMap(filesBelow).filter((file) => {
    if (!/\.(json|ya?ml)$/.test(file)) return false;
    return /:latest\b/.test(readFileSync(join(ROOT, file), 'utf8'));
  });
  assert.deepEqual(found, []);
});

test('flags are read in one place: everything behind it sees typed options', () => {
  const found = filesBelow('lib').filter((file) => {
    if (!file.endsWith('.js') || /\.test\.js$|\/e2e\//.test(file)) return false;
    return /\bflags[.[]|Record<string, any>} flags/.test(readFileSync(join(ROOT, file), 'utf8'));
  });
  assert.deepEqual(found, []);
});
