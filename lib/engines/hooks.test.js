import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { notesOf } from '../config/notes.js';
import { setUpHooks } from '../setup/setup.js';
import { runHook } from './hooks.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-hooks-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} id @param {string} script @returns {any} */
function aStack(id, script) {
  const at = join(folder, id);
  mkdirSync(join(at, 'hooks'), { recursive: true });
  writeFileSync(join(at, 'hooks', 'after-up'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { id, base: id, folder: at, manifest: { title: id } };
}

test('a hook runs in the folder of its stack, and is told where the system is', async () => {
  const stack = aStack('told', 'echo "$BASE_URL $STACK" > said');
  await runHook(stack, 'native', { BASE_URL: 'x://h:1' });
  assert.equal(readFileSync(join(stack.folder, 'said'), 'utf8'), `x://h:1 ${stack.folder}\n`);
});

test('a hook that fails is a failure of the system, with its last words', async () => {
  const stack = aStack('failing', 'echo first >&2; echo "it was refused" >&2; exit 3');
  await assert.rejects(runHook(stack, 'native', {}), (/** @type {any} */ error) => {
    assert.equal(error.message, 'failing: the hook after-up failed: it was refused');
    assert.deepEqual([error.exitCode, error.detail], [3, ['first']]);
    return true;
  });
});

test('what hooks need is built before, for the engines that need it, and named to them', async () => {
  const cache = process.env.LADDERBENCH_CACHE;
  process.env.LADDERBENCH_CACHE = join(folder, 'cache');
  try {
    const stack = aStack('loaded', 'echo "$BUILD_ONE/wasm $BUILD_TWO" > said');
    for (const name of ['one', 'two']) {
      mkdirSync(join(stack.folder, name));
      writeFileSync(join(stack.folder, name, 'build.sh'), `#!/bin/sh\necho ${name} > "$1/wasm"\n`, {
        mode: 0o755,
      });
    }
    const build = (/** @type {string} */ name, /** @type {string[]} */ engines) => ({
      name,
      folder: name,
      command: ['./build.sh', '{cache}'],
      engines,
    });
    const whole = {
      ...stack,
      manifest: { title: 'Loaded', hookBuild: [build('one', ['external']), build('two', ['docker'])] },
    };
    const output = /** @type {any} */ ({ task: () => () => {} });
    const said = () => readFileSync(join(stack.folder, 'said'), 'utf8').trim();
    await runHook(whole, 'external', {});
    assert.equal(said(), '/wasm', 'nothing is built yet');
    assert.deepEqual(await setUpHooks([whole], 'external', output, true), new Map());
    await runHook(whole, 'external', {});
    assert.equal(readFileSync(said(), 'utf8'), 'one\n');
    const refused = await setUpHooks([whole], 'docker', output, false);
    assert.match(String(refused.get('loaded')), /is not built, and --no-build forbids/);
  } finally {
    if (cache === undefined) delete process.env.LADDERBENCH_CACHE;
    else process.env.LADDERBENCH_CACHE = cache;
  }
});

test('a stack without the hook needs none', async () => {
  const stack = /** @type {any} */ ({ id: 'none', folder: join(folder, 'none') });
  await runHook(stack, 'native', {});
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
