import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { notesFor, section } from './section.js';

const notes = ['of every version'];
const notesWhen = [
  { below: '2.0.4', note: 'of the old ones' },
  { from: '2.0.4', note: 'of the new ones' },
];

test('a note of a range of versions is printed where one of it ran, and else nowhere', () => {
  const all = (/** @type {string | null} */ version) => notesFor({ notes, notesWhen }, version);
  assert.deepEqual(all('1.2.0'), ['of every version', 'of the old ones']);
  assert.deepEqual(all('2.10.0'), ['of every version', 'of the new ones']);
  assert.deepEqual(all(null), notes, 'its version was not told');
  assert.deepEqual(notesFor({}, '1.2.0'), [], 'an older plan has none');
});

test('the version is that of the cells, or of the starts side by side', () => {
  const systems = [
    { id: 'a', title: 'Alpha', notes, notesWhen },
    { id: 'b', title: 'Beta', notesWhen },
    { id: 'c', title: 'Gamma', notesWhen },
  ];
  const records = [aCell({ system: 'a', record: { version: '1.2.0' } })];
  const run = /** @type {any} */ ({ plan: { systems }, records, sideBySide: [{ versions: { b: '2.8.3' } }] });
  assert.deepEqual(
    section(run)?.parts?.map((p) => [p?.intro, p?.notes]),
    [
      [['**Alpha**'], ['of every version', 'of the old ones']],
      [['**Beta**'], ['of the new ones']],
    ],
  );
});
