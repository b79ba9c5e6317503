/** Plain English, held on whatever a person reads that is no report: reports are held where they are rendered. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { helpOf, helpText, VERBS } from '../options.js';
import { ROOT } from '../paths.js';
import { faultsIn, numbersIn, sentencesIn, wordsIn } from './plain-testing.js';

/** Private words are explained there, and nowhere else. */
const EXPLAINS = new Set(['docs/method.md']);
const pages = [
  ...['README.md', 'SECURITY.md', 'stacks/README.md', 'reports/README.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

for (const page of pages)
  test(`one idea a sentence, and no word that stops a reader: ${page}`, () => {
    const faults = faultsIn(readFileSync(join(ROOT, page), 'utf8'));
    assert.deepEqual(
      faults.filter((fault) => !(EXPLAINS.has(page) && fault.startsWith('banned: '))),
      [],
    );
  });

/** Fields of manifests and profiles that are printed. */
const PRINTED = new Set(['title', 'meaning', 'hint', 'about', 'fits', 'note', 'why', 'what', 'storage']);

/** @param {unknown} value @param {string} [name] of its field @returns {string[]} */
function printedIn(value, name = '') {
  if (typeof value === 'string') return PRINTED.has(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => printedIn(part, Array.isArray(value) ? name : key));
}

test('so it is in help, in manifests and in profiles', () => {
  // A flag and its values are code; what it does stands beside them.
  const help = [helpText([]), ...VERBS.map((verb) => helpOf(verb, []))].flatMap((text) =>
    text
      .replace(/^ *\.\/run-all\.sh.*$/gm, '')
      .split('\n')
      .map((line) => String(line.trim().split(/ {2,}/).at(-1))),
  );
  const files = [
    ...readdirSync(join(ROOT, 'stacks')).map((name) => join('stacks', name, 'stack.json')),
    ...readdirSync(join(ROOT, 'profiles')).map((name) => join('profiles', name)),
  ].filter((path) => path.endsWith('.json') && existsSync(join(ROOT, path)));
  const declared = files.flatMap((path) => printedIn(JSON.parse(readFileSync(join(ROOT, path), 'utf8'))));
  assert.ok(declared.length > files.length, 'a title each, and more');
  for (const text of [...help, ...declared]) assert.deepEqual(faultsIn(text), []);
});

test('a long sentence, a third number and a private word are seen; code, names, dates and lists are none', () => {
  const long = `${'word '.repeat(26).trim()}.`;
  assert.match(faultsIn(long)[0], /^26 words, 0 numbers/);
  assert.match(
    faultsIn('It takes 3 ms to start. With 4 MiB of memory on 5 cores it does 6 op/s.')[0],
    /3 numbers/,
  );
  assert.deepEqual(faultsIn('Open files are clinging.'), ['banned: clinging']);
  assert.deepEqual(
    faultsIn('On 2026-11-02 Server 2 had `--x 1 2 3` and 1.2.3 for 1, 20 and 100 users in 1 h 20 min.'),
    [],
  );
  assert.deepEqual(sentencesIn('# Head\n\n| a | b |\n\n- One (an aside). Two\n  goes on.\n\n1 · 2 · 3\n'), [
    'One.',
    'Two goes on.',
    'an aside',
  ]);
  assert.equal(wordsIn('Two words, 3'), 2);
  assert.equal(numbersIn('between 3 to 4 ms and 1 in 1 000'), 2);
});
