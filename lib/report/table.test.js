import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTo, markdownLine, markdownTable, plainText, table, terminalTable } from './table.js';

/** @type {import('./table.js').Column[]} */
const COLUMNS = [
  { head: 'name', align: 'left' },
  { head: 'n', align: 'right' },
];

/** @param {import('./table.js').Cell} cell @returns {string} the Markdown of one cell */
function written(cell) {
  const [, , line] = markdownTable(table(['head'], [[cell]])).split('\n');
  return line.slice(2, -2);
}

test('columns and rows become a table, words to the left and figures to the right', () => {
  const rows = [
    ['a', 1],
    ['', 20_000],
  ];
  assert.equal(
    markdownTable({ columns: COLUMNS, rows }),
    '| name | n |\n|---|---:|\n| a | 1 |\n| | 20\u202f000 |',
  );
});

test('no text breaks out of its table field or line, or becomes HTML or code', () => {
  assert.equal(written('a | b'), 'a \\| b');
  assert.equal(written('a \\| b'), 'a \\\\\\| b');
  assert.equal(written('one\r\n  two\nthree'), 'one two three');
  assert.equal(written('<img src=x>'), '&lt;img src=x>');
  assert.equal(written('&lt; & co'), '&amp;lt; & co');
  assert.equal(written('`rm`'), '\\`rm\\`');
  assert.equal(written('\u001b[31mred\u001b[0m\u0007'), 'red');
  assert.equal(written('\u009b31mred \u202edesrever'), '31mred desrever');
  assert.equal(written('![x](http://192.0.2.1/seen) [0, 1]'), '!\\[x](http://192.0.2.1/seen) [0, 1]');
});

test('no invisible character stays, and no bar in a sentence ends its table field', () => {
  assert.equal(written('a\u200bb\u2060\ufeff\u061c c\u2028d'), 'ab c d');
  assert.equal(written({ markdown: 'a | b \\| c \\\\| d' }), 'a \\| b \\| c \\\\\\| d');
});

test('a link shows the name of a folder and points to it, whatever is in the name', () => {
  assert.equal(linkTo('2026-quick', '2026-quick/README.md'), '[2026-quick](2026-quick/README.md)');
  assert.equal(
    linkTo('a b](javascript:x)\n<img>', 'a b](javascript:x)\n<img>/README.md'),
    '[a b\\](javascript:x) &lt;img>](a%20b%5D%28javascript%3Ax%29%0A%3Cimg%3E/README.md)',
  );
});

test('a heading is escaped like a table field', () => {
  assert.match(markdownTable(table(['a|b'], [])), /^\| a\\\|b \|\n/);
});

test('what stands out keeps its place within a cell, and can be had without its marks', () => {
  const cell = ['plain (', { code: 'a|`b' }, ') ', { strong: '1 < 2' }, { markdown: ' and **so** on' }];
  assert.equal(written(cell), 'plain (``a\\|`b``) **1 &lt; 2** and **so** on');
  assert.equal(plainText(cell), 'plain (a|`b) 1 < 2 and so on');
  assert.equal(plainText(7), '7');
});

test('a line of Markdown keeps its marks and its code, and holds no HTML', () => {
  assert.equal(markdownLine('**a**\nb <i> `x < y`'), '**a** b &lt;i> `x < y`');
});

test('in a terminal the columns stand beside each other, words to the left and figures to the right', () => {
  const rows = [
    ['one', 5, { strong: 'x' }],
    ['another', 12_345, { strong: 'x' }],
  ];
  const columns = [...COLUMNS, ...table([''], []).columns];
  assert.deepEqual(terminalTable({ columns, rows }), [
    'name          n',
    'one           5  x',
    'another  12\u202f345  x',
  ]);
});
