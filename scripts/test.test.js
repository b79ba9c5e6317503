import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'lb-runner-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} name
 * @param {string} body of a test
 * @returns {string} the path of its file, from the checkout
 */
function testFile(name, body) {
  const path = join(folder, `${name}.test.js`);
  const imports = `import { existsSync, writeFileSync } from 'node:fs';\nimport { tmpdir } from 'node:os';\nimport { test } from 'node:test';`;
  writeFileSync(path, `${imports}\ntest('it', (t) => {\n${body}\n});\n`);
  return relative(ROOT, path);
}

/** @param {string} only */
function runner(only) {
  // What this file was started with is not for the files that the runner starts.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.js', '--only', only], {
    ...{ cwd: ROOT, env, encoding: 'utf8', timeout: 120_000 },
  });
  return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) };
}

test('what fails once is run again, alone, and named; its folder for temporary files is its own', () => {
  const seen = join(folder, 'seen');
  const tries = `
    const before = existsSync('${seen}');
    writeFileSync('${seen}', tmpdir() + '\\n', { flag: 'a' });
    writeFileSync(tmpdir() + '/left', '');
    if (!before) throw new Error('the first try');`;
  const { status, stdout, last } = runner(testFile('unsteady', tries));
  assert.match(stdout, /once more, alone: \S*unsteady\.test\.js/);
  assert.match(stdout, /failed once and held when run again: \S*unsteady\.test\.js/);
  assert.deepEqual([status, last], [0, '1 passed, 0 failed, 0 skipped']);
  const folders = readFileSync(seen, 'utf8').trim().split('\n');
  assert.equal(new Set(folders).size, 2, 'a folder for each try');
  assert.ok(
    folders.every((f) => !existsSync(f)),
    'none is left',
  );
});

test('what fails twice fails, and what is skipped is counted', () => {
  const wrong = runner(testFile('wrong', "throw new Error('always');"));
  assert.deepEqual([wrong.status, wrong.last], [1, '0 passed, 1 failed, 0 skipped']);
  assert.match(
    wrong.stdout,
    /^failed: tests: \S*wrong\.test\.js\n\ntest at \S*wrong\.test\.js:\S+\n✖ it .+\n +Error: always$/m,
  );
  // Node names the helper that calls `test`, which has no tests of its own to run again.
  writeFileSync(
    join(folder, 'helper.js'),
    "import { test } from 'node:test';\nexport const helped = (body) => test('helped', body);\n",
  );
  writeFileSync(
    join(folder, 'helped.test.js'),
    "import { helped } from './helper.js';\nhelped(() => {\n  throw new Error('always');\n});\n",
  );
  const helped = runner(relative(ROOT, join(folder, 'helped.test.js')));
  assert.deepEqual([helped.status, helped.last], [1, '0 passed, 1 failed, 0 skipped']);
  const skipped = runner(testFile('skipped', "t.skip('not here');"));
  assert.deepEqual([skipped.status, skipped.last], [0, '0 passed, 0 failed, 1 skipped']);
});

test('a name of nothing is a failure', () => {
  const { status, stdout, last } = runner('no-such-stage-or-path');
  assert.match(stdout, /no stage and no path is called "no-such-stage-or-path"/);
  assert.deepEqual([status, last], [1, '0 passed, 1 failed, 0 skipped']);
});
