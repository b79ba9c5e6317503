import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const LIB = dirname(fileURLToPath(import.meta.url));

/** Lines of code that there may be: lowered whenever there are fewer, never raised for what could be merged. */
const MOST = Object.freeze({ all: 21_574, report: 3_754, room: 1_800 });

/** @param {string} text @returns {number} lines that are neither blank nor comment */
function linesOfCode(text) {
  let [lines, inside] = [0, false];
  for (const line of text.split('\n').map((l) => l.trim())) {
    if (inside) inside = !line.includes('*/');
    else if (line.startsWith('/*')) inside = !line.includes('*/');
    else if (line !== '' && !line.startsWith('//')) lines++;
  }
  return lines;
}

test('comments and blank lines are no code', () => {
  assert.equal(linesOfCode('/** one */\n\n// two\n/*\n three\n */\nconst a = 1; // four\nconst b = 2;'), 2);
});

test('lib keeps to its budget of lines, and no room outgrows the others', () => {
  /** @type {Map<string, number>} */
  const rooms = new Map();
  for (const path of readdirSync(LIB, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js') || /\.test\.js$|testing|testdata|^e2e\//.test(path)) continue;
    const room = path.includes('/') ? path.split('/')[0] : '(ground)';
    rooms.set(room, (rooms.get(room) ?? 0) + linesOfCode(readFileSync(join(LIB, path), 'utf8')));
  }
  const all = [...rooms.values()].reduce((sum, n) => sum + n, 0);
  const told = [...rooms].map(([room, n]) => `${room} ${n}`).join(', ');
  assert.ok(all <= MOST.all, `${all} lines of code: ${told}`);
  for (const [room, lines] of rooms) {
    const most = room === 'report' ? MOST.report : MOST.room;
    assert.ok(lines <= most, `${room}: ${lines} of ${most}`);
  }
});
