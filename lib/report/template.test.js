import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { HELPERS } from './helpers.js';
import { plainText } from './table.js';
import { phrase, templateBeside } from './template.js';

/** @import { Plan } from '../types.d.ts' */

const work = mkdtempSync(join(tmpdir(), 'lb-template-'));
after(() => rmSync(work, { recursive: true, force: true }));
const plan = /** @type {Plan} */ (
  /** @type {unknown} */ ({ systems: [{ id: 'a', title: 'Alpha' }], workloads: [], profile: { steps: [] } })
);
let files = 0;

/** @param {string} text of a template @param {object} fields */
function written(text, fields) {
  const name = `${++files}.hbs`;
  writeFileSync(join(work, name), text);
  return templateBeside(pathToFileURL(join(work, 'section.js')).href, name)(plan, fields);
}

test('a template has the words, and code the fields: names, numbers and plurals are printed as everywhere', () => {
  const made = written(
    '### {{titleOf id}}\n\n{{counted n "run"}}, {{significant x}} op/s, {{listed names}}.\n',
    {
      ...{ id: 'a', n: 1, x: 12345.6 },
      names: ['x', 'y', 'z'],
    },
  );
  assert.deepEqual(made, {
    text: '### Alpha\n\n1 run, 12\u202f300 op/s, x, y and z.',
    charts: [],
    tables: [],
  });
});

test('a row of a table is a row of the list, with the heads of the template, and nothing leaves its cell', () => {
  const { text, tables } = written(
    '{{#table rows caption="Two"}}\n{{left "name" name}}\n{{#each @root.more}}\n{{right this ../x strong=true}}\n{{/each}}\n{{/table}}',
    {
      more: ['p99, ms'],
      rows: [
        { name: 'a|b', x: '1.5' },
        { name: '<script>', x: null },
      ],
    },
  );
  assert.equal(text, 'Two\n\n| name | p99, ms |\n|---|---:|\n| a\\|b | **1.5** |\n| &lt;script> | **–** |');
  assert.equal(tables[0].rows.length, 2);
  assert.equal(plainText(tables[0].rows[0][0]), 'a|b');
});

test('a chart stands where the template puts it, with its values for who cannot see it', () => {
  const model = /** @type {const} */ ({
    ...{ kind: 'lines', title: 'T', unit: 'ms', log: false, name: 'users', places: [1, 2] },
    series: [{ name: 'A', color: '#000', shape: 'circle', points: [null, { median: 3, low: 3, high: 3 }] }],
  });
  const chart = /** @type {any} */ ({ file: 't.svg', model });
  const { text, charts } = written('before\n{{charts (array chart)}}\nafter', { chart });
  assert.match(text, /^before\n\n<img src="charts\/t\.svg" alt="T.* 3.*">\n\nafter$/);
  assert.deepEqual(charts, [chart]);
});

test('what a run says is text: no HTML, no place of another chart', () => {
  const { text } = written('{{said}} `{{said}}`', { said: '<b>\u00000' });
  assert.equal(text, '&lt;b>0 `<b>0`');
});

test('a field that is missing throws, and so does a helper that nobody knows', () => {
  assert.throws(() => written('{{nothing}}', {}), /nothing/);
  assert.throws(() => written('{{guess 1}}', {}), /guess/);
});

test('a sentence is one line, and names systems by their titles', () => {
  const fields = { of: 'nothing', system: 'a', failure: 'it ended' };
  assert.equal(phrase('failingAnswer', fields, plan), '**Alpha has no figure**: it ended.');
});

test('no helper has the name of a field that rows have', () => {
  for (const field of ['title', 'system', 'step', 'text', 'figure', 'ratio', 'name', 'operation'])
    assert.ok(!(field in HELPERS), field);
});
