import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const REPORT = dirname(fileURLToPath(import.meta.url));
const LIB = dirname(REPORT);

/** Where figures are decided; the report is open to what comes out of there, and to the method's own words. */
const CLOSED_ROOMS = /^(?:judge|stats|sample)\/(?!method\.js$)/;

/** What would decide a figure again: by the name of a reason, by a verdict of a cell, or by arithmetic of its own. */
const CLOSED = Object.freeze({
  'a reason asked for by its name': /\.includes\('[a-z]+[_-][a-z]+'\)|'set.by.client'|'unattributed'/,
  'the results of a cell': /(?<!facts)\.operations\[|\.resources\b|\.wholeMs\b|\.serviceMs\?\./,
  'a median or an interval of its own': />> 1\]|\b(?:median|medianInterval|pairedRatio|unpairedRatio)\(/,
  'an interval of its own draw': /RESAMPLES|createRng/,
});

const FILES = readdirSync(REPORT, { recursive: true, encoding: 'utf8' })
  .filter((f) => f.endsWith('.js') && !f.endsWith('.test.js') && !f.endsWith('testing.js'))
  .map((f) => ({ file: f, text: readFileSync(join(REPORT, f), 'utf8') }));

test('the report takes its figures from the record room, and nothing from judge and stats', () => {
  assert.ok(FILES.length > 40, `only ${FILES.length} files were seen`);
  const taken = FILES.flatMap(({ file, text }) =>
    [...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)';/gms)].map((m) => ({
      file,
      from: relative(LIB, join(REPORT, dirname(file), m[1])),
    })),
  );
  const outside = taken.filter(({ from }) => !from.startsWith('report/') && !from.startsWith('..'));
  assert.ok(outside.length > 40, `only ${outside.length} imports were seen`);
  assert.deepEqual(
    outside.filter(({ from }) => CLOSED_ROOMS.test(from)),
    [],
  );
});

for (const [what, pattern] of Object.entries(CLOSED)) {
  test(`the report decides no figure: ${what}`, () => {
    const found = FILES.filter(({ text }) => pattern.test(text)).map((f) => f.file);
    assert.deepEqual(found, []);
  });
}

test('no question, comparison or load is taken apart as text: what it is stands in its fields', () => {
  const folders = [
    'matrix',
    'sections/ladder',
    'sections/cost',
    'sections/promises',
    'sections/first-screen',
  ];
  const parsed = folders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, import.meta.url), 'utf8')
      .filter((file) => file.endsWith('.js') && !file.includes('.test.'))
      .flatMap((file) => {
        const code = readFileSync(new URL(`${folder}/${file}`, import.meta.url), 'utf8');
        const found = code.match(
          /\b(text|where|why|head|label|unit|measure)(Text\(\w+\))?\.(split|slice|replace|match)\(/g,
        );
        return (found ?? []).map((at) => `${folder}/${file}: ${at}`);
      }),
  );
  assert.deepEqual(parsed, []);
});
