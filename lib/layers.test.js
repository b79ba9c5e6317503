import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const LIB = dirname(fileURLToPath(import.meta.url));

/** Floors of the house, ground floor first: a room imports from rooms below its own, never beside or above. */
const ORDER = [
  ['controls.js', 'errors.js', 'format.js', 'group-by.js'],
  ['stats'],
  ['paths.js', 'store.js', 'output.js'],
  ['process'],
  ['setup'],
  ['config'],
  ['docker', 'options.js'],
  ['sample'],
  ['judge'],
  ['record'],
  ['figures'],
  ['engines'],
  ['generator', 'environment', 'plan', 'live'],
  ['kubernetes'],
  ['lifecycle'],
  ['run', 'report'],
  ['verbs'],
  ['cli.js'],
];
const FLOOR = new Map(ORDER.flatMap((rooms, floor) => rooms.map((room) => [room, floor])));

/** Tests look into every room, and so do the end-to-end tests' helpers. */
const isCode = (/** @type {string} */ path) =>
  path.endsWith('.js') && !path.endsWith('.test.js') && !path.startsWith('e2e/');

/**
 * @param {string} text of a module
 * @returns {string[]} what it imports or exports from, as written; imports of types are no arrows
 */
function specifiers(text) {
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)';|\bimport\('(\.[^']+)'\)(?!\.)/gms),
  ].map((m) => m[1] ?? m[2]);
}

/** @returns {{from: string, to: string}[]} arrows between rooms, as files */
function arrows() {
  const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter(isCode);
  return files.flatMap((from) =>
    specifiers(readFileSync(join(LIB, from), 'utf8'))
      .map((specifier) => relative(LIB, join(LIB, dirname(from), specifier)))
      .filter((to) => !to.startsWith('..') && to.split('/')[0] !== from.split('/')[0])
      .map((to) => ({ from, to })),
  );
}

const floorOf = (/** @type {string} */ file) => FLOOR.get(file.split('/')[0]);

test('every room of lib stands in the one written order', () => {
  const rooms = new Set(
    readdirSync(LIB, { recursive: true, encoding: 'utf8' })
      .filter(isCode)
      .map((file) => file.split('/')[0]),
  );
  assert.deepEqual([...FLOOR.keys()].sort(), [...rooms].sort());
});

test('a room of lib imports only rooms below it', () => {
  const all = arrows();
  assert.ok(all.length > 200, `only ${all.length} imports were seen`);
  const upwards = all.filter(({ from, to }) => Number(floorOf(to)) >= Number(floorOf(from)));
  assert.deepEqual(
    upwards.map(({ from, to }) => `${from} imports ${to}`),
    [],
  );
});

test('docs/architecture.md names every room of lib once, in that order', () => {
  const page = readFileSync(join(LIB, '..', 'docs', 'architecture.md'), 'utf8');
  const table = page.slice(page.indexOf('## Folders of lib')).match(/^\| `.*$/gm) ?? [];
  const named = table.flatMap((row) => [...row.split(' | ')[0].matchAll(/`([\w.-]+)\/?`/g)].map((m) => m[1]));
  assert.deepEqual([...named].sort(), [...FLOOR.keys()].sort());
  const floors = named.map((room) => Number(FLOOR.get(room)));
  assert.deepEqual(
    floors,
    floors.toSorted((a, b) => a - b),
  );
});
