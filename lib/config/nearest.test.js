import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, suggest } from './nearest.js';

test('the edit distance counts insertions, deletions and replacements', () => {
  assert.equal(editDistance('kitten', 'sitting'), 3);
  assert.equal(editDistance('', 'abc'), 3);
  assert.equal(editDistance('same', 'same'), 0);
});

test('a near name is suggested, and a far one gets the list', () => {
  assert.equal(suggest('ladr', ['ladder', 'smoke']), 'did you mean "ladder"?');
  assert.equal(suggest('zzzzzz', ['ladder', 'smoke']), 'known: ladder, smoke');
  assert.equal(suggest('x', []), 'none are known');
  assert.equal(suggest('xml', ['md', 'csv']), 'known: md, csv');
  assert.equal(suggest('kye', ['value', 'key']), 'did you mean "key"?');
  const many = Array.from({ length: 21 }, (_, i) => `name-${i}`);
  assert.equal(suggest('else', many), 'none of the 21 that are known is like it');
});
