import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { layOut, smallRun } from '../record/testing.js';
import { verifyRun } from '../record/verify.js';
import { besideOf, NOTE } from './beside.js';
import { renderRun } from './render.js';

/** @param {import('node:test').TestContext} t */
function folderOf(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-note-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a note is on the first screen of both pages, with its links; it is no part of what was measured, and without it nothing is there', (t) => {
  for (const layIn of [smallRun, (/** @type {string} */ f) => layOut('run-suite', f)]) {
    const folder = folderOf(t);
    layIn(folder);
    const read = () => ['README.md', 'report.html'].map((file) => readFileSync(join(folder, file), 'utf8'));
    renderRun(folder);
    const [before] = read();
    assert.doesNotMatch(before, /\*\*Note:/);
    writeFileSync(join(folder, NOTE), 'It was *slower* in the\n[run before](../2026-11-01/README.md).\n');
    for (let times = 0; times < 2; times++) renderRun(folder);
    const [page, html] = read();
    assert.match(
      page.split('\n<details>')[0],
      /^\*\*Note:\*\* It was \*slower\* in the \[run before\]\(\.\.\/2026-11-01\/README\.md\)\.$/m,
    );
    assert.match(
      html.split('<details>')[0],
      /<p><strong>Note:<\/strong> It was <em>slower<\/em> in the <a href="\.\.\/2026-11-01\/report\.html">run before<\/a>\.<\/p>/,
    );
    assert.ok(!verifyRun(folder).some((problem) => problem.includes(NOTE)));
    rmSync(join(folder, NOTE));
    renderRun(folder);
    assert.equal(read()[0], before);
  }
});

test('an empty note is none, a long one and what is no file are one clear error', (t) => {
  const folder = folderOf(t);
  const path = join(folder, NOTE);
  assert.equal(besideOf(folder).note, null);
  writeFileSync(path, ' \n\n');
  assert.equal(besideOf(folder).note, null);
  writeFileSync(path, `${'a'.repeat(400)}\n`);
  assert.equal(besideOf(folder).note, 'a'.repeat(400));
  writeFileSync(path, 'a'.repeat(1601));
  assert.throws(() => besideOf(folder).note, {
    message: `${path} has 1601 characters, and a report shows at most 400`,
    hint: 'shorten it, or link to a page that says the rest',
  });
  rmSync(path);
  mkdirSync(path);
  assert.throws(() => besideOf(folder).note, { message: `cannot read ${path}: it is no regular file` });
});
