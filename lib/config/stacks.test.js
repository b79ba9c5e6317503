import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../paths.js';
import { colorProblems, loadStacks, stackFolders } from './stacks.js';

test('every system has a colour, and no two of a workload the same', () => {
  const { stacks, problems } = loadStacks();
  assert.deepEqual(problems, []);
  for (const { id, manifest } of stacks.filter((s) => !s.id.startsWith('_')))
    assert.match(String(manifest.color), /^#[0-9A-F]{6}$/, id);
});

test('a colour that another system of the workload has is refused, with whose it is', () => {
  const stacks = loadStacks().stacks;
  const workload = Object.keys(stacks.find((s) => s.manifest.color)?.manifest.workloads ?? {})[0];
  const [one, two] = stacks.filter(
    (s) => s.manifest.color && !s.id.includes('@') && workload in s.manifest.workloads,
  );
  const same = { ...two, manifest: { ...two.manifest, color: one.manifest.color } };
  const problems = colorProblems([one, same]);
  assert.equal(problems.length, 1);
  assert.match(
    problems[0],
    new RegExp(
      `stack\\.json: "color" #[0-9A-F]{6} is already used by ${one.id}, which has \\S+ too; choose another`,
    ),
  );
  assert.deepEqual(colorProblems([one, two]), []);
});

test('a copy of a system in a folder of the user’s own may keep its colour', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-stacks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [id] = readdirSync(join(ROOT, 'stacks')).filter(
    (name) => !name.startsWith('_') && name !== 'README.md',
  );
  cpSync(join(ROOT, 'stacks', id), join(folder, 'mine'), { recursive: true });
  assert.deepEqual(loadStacks(stackFolders([folder])).problems, []);
});

test('what a variant changes is checked as if it stood in a manifest of its own', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-stacks-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const some = loadStacks().stacks.find(
    (s) => s.id !== s.base && s.manifest.native?.start.includes('{settings}'),
  );
  assert.ok(some);
  cpSync(some.folder, join(folder, 'mine'), { recursive: true });
  const path = join(folder, 'mine', 'stack.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const native = { strat: [], start: ['server', '{settings}', '{port.store}'] };
  Object.assign(manifest.variants[some.variant], { native, docker: null });
  writeFileSync(path, JSON.stringify(manifest));
  assert.deepEqual(loadStacks([folder]).problems, [
    `${path}: native: unknown field "strat"; did you mean "start"?`,
    `${path}: native: unknown placeholder {port.store}; known: none`,
  ]);
});
