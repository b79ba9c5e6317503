import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkAll } from '../config/check.js';
import { missingImports } from '../config/clients.js';
import { loadStacks, stackFolders } from '../config/stacks.js';
import { BenchError } from '../errors.js';
import { readOptions } from '../options.js';
import { namedEndpoints } from '../plan/select.js';
import { newVerb } from './new.js';

const NONE = readOptions([]).options;

/** @param {import('node:test').TestContext} t a folder outside the checkout */
function outside(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-new-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const systems = loadStacks().stacks.filter((s) => s.id === s.base && !s.id.startsWith('_'));
const silent = /** @type {any} */ ({ say: () => {}, result: () => {} });

test('a folder like each system, outside the checkout, passes the check', async (t) => {
  const stacks = outside(t);
  for (const { id } of systems) await newVerb([`own-${id}`], { ...NONE, like: id, stacks: [stacks] }, silent);
  assert.equal(readdirSync(stacks).length, systems.length);
  const { problems } = await checkAll({ stackFolders: stackFolders([stacks]) });
  assert.deepEqual(problems, []);
});

test('a new system has a variable of its own for its program, and no claims of the system that it is like', async (t) => {
  const stacks = outside(t);
  const models = systems.filter((s) => s.manifest.native?.override);
  assert.ok(models.length > 0);
  for (const { id } of models) {
    await newVerb([`own-${id}`], { ...NONE, like: id, stacks: [stacks] }, silent);
    const files = readdirSync(join(stacks, `own-${id}`));
    assert.ok(files.includes('client.js') && !files.includes('proven.json'), files.join(' '));
    const { native, title } = JSON.parse(readFileSync(join(stacks, `own-${id}`, 'stack.json'), 'utf8'));
    const variable = `OWN_${id.toUpperCase().replaceAll('-', '_')}_BIN`;
    assert.deepEqual(
      [native.override.env, native.override.path, native.override.title],
      [variable, undefined, title],
    );
  }
});

test('what is taken, or is no name, is refused, and a dry run writes nothing', async (t) => {
  const stacks = outside(t);
  const [{ id }] = systems;
  const make = (/** @type {string[]} */ words, /** @type {object} */ flags) =>
    newVerb(words, { ...NONE, stacks: [stacks], ...flags }, silent);
  await assert.rejects(() => make(['mine'], {}), /like which system\?/);
  await assert.rejects(() => make([], { like: id }), /which name\?/);
  await assert.rejects(() => make(['mine'], { like: `${id}x` }), /unknown system .* in --like: did you mean/);
  await assert.rejects(() => make(['../mine'], { like: id }), /no name of a system/);
  await assert.rejects(() => make([id], { like: id }), /is taken/);
  assert.equal(await make(['mine'], { like: id, dryRun: true }), 0);
  assert.deepEqual(readdirSync(stacks), []);
  await make(['mine'], { like: id });
  await assert.rejects(() => make(['mine'], { like: id }), /is taken|is there already/);
});

test('check says which file a client imports that is not there', async (t) => {
  const stacks = outside(t);
  const [{ id }] = systems;
  await newVerb(['mine'], { ...NONE, like: id, stacks: [stacks] }, silent);
  const client = join(stacks, 'mine', 'client.js');
  mkdirSync(join(stacks, 'mine', 'parts'));
  writeFileSync(join(stacks, 'mine', 'parts', 'deep.js'), "import { x } from '../gone.js';\n");
  writeFileSync(client, `import './parts/deep.js';\n${readFileSync(client, 'utf8')}`);
  const [problem, ...others] = missingImports(client);
  assert.match(problem, /deep\.js: imports \.\.\/gone\.js, and there is no .*gone\.js$/);
  assert.deepEqual(others, []);
});

test('a running server is measured under a name of its own by the client of a system', () => {
  const stacks = loadStacks().stacks;
  const [{ id }] = systems;
  const { endpoints, named } = namedEndpoints([`other:${id}=x://h:1`, `${id}=x://h:2`], stacks);
  assert.deepEqual(endpoints, ['other=x://h:1', `${id}=x://h:2`]);
  assert.deepEqual([named[0].id, named[0].like, named[0].manifest.title], ['other', id, 'other']);
  assert.equal(named[0].folder, stacks.find((s) => s.id === id)?.folder);
  assert.throws(() => namedEndpoints([`${id}:${id}=x://h:1`], stacks), /is taken/);
  assert.throws(() => namedEndpoints(['other:nobody=x://h:1'], stacks), /unknown system "nobody"/);
  assert.throws(() => namedEndpoints([`o:${id}=x://h:1`, `o:${id}=x://h:2`], stacks), /is taken/);
});

test('a file in the place of a folder is one line, and a full disk leaves no half system', async (t) => {
  const folder = outside(t);
  const [{ id }] = systems;
  writeFileSync(join(folder, 'file'), '');
  await assert.rejects(
    () => newVerb(['mine'], { ...NONE, like: id, stacks: [join(folder, 'file')] }, silent),
    (e) => e instanceof BenchError && e.exitCode === 2 && /--stacks .*file: not a folder/.test(e.message),
  );
  await assert.rejects(
    () => newVerb(['mine'], { ...NONE, like: id, stacks: ['/proc/nowhere/stacks'] }, silent),
    (e) => e instanceof BenchError && e.exitCode === 2 && /cannot write .*nowhere/.test(e.message),
  );
  const mount = join(folder, 'small');
  mkdirSync(mount);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', mount]).status !== 0)
    return t.skip('a small file system cannot be mounted here');
  try {
    await assert.rejects(
      () => newVerb(['mine'], { ...NONE, like: id, stacks: [mount] }, silent),
      (e) => e instanceof BenchError && e.exitCode === 2 && /no space left/.test(e.message),
    );
    assert.deepEqual(readdirSync(mount), []);
  } finally {
    spawnSync('umount', [mount]);
  }
});
