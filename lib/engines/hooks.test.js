import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { notesOf } from '../config/notes.js';
import { runHook } from './hooks.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-hooks-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} id @param {string} script @returns {any} */
function aStack(id, script) {
  const at = join(folder, id);
  mkdirSync(join(at, 'hooks'), { recursive: true });
  writeFileSync(join(at, 'hooks', 'after-up'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { id, folder: at };
}

test('a hook runs in the folder of its stack, and is told where the system is', async () => {
  const stack = aStack('told', 'echo "$BASE_URL $STACK" > said');
  await runHook(stack, 'after-up', { BASE_URL: 'x://h:1' });
  assert.equal(readFileSync(join(stack.folder, 'said'), 'utf8'), `x://h:1 ${stack.folder}\n`);
});

test('a hook that fails is a failure of the system, with its last words', async () => {
  const stack = aStack('failing', 'echo first >&2; echo "it was refused" >&2; exit 3');
  await assert.rejects(runHook(stack, 'after-up', {}), (/** @type {any} */ error) => {
    assert.equal(error.message, 'failing: the hook after-up failed: it was refused');
    assert.deepEqual([error.exitCode, error.detail], [3, ['first']]);
    return true;
  });
});

test('a stack without the hook needs none', async () => {
  const stack = /** @type {any} */ ({ id: 'none', folder: join(folder, 'none') });
  await runHook(stack, 'after-up', {});
  assert.ok(!existsSync(stack.folder));
});

test('notes are the paragraphs and items of one section of the README', () => {
  const at = join(folder, 'noted');
  mkdirSync(at);
  assert.deepEqual(notesOf(at), []);
  writeFileSync(
    join(at, 'README.md'),
    '# X\n\n## Architecture and durability\n\nOne\nparagraph.\n\n- an item\n- another\n\n## More\n\nNot this.\n',
  );
  assert.deepEqual(notesOf(at), ['One paragraph.', 'an item', 'another']);
});
