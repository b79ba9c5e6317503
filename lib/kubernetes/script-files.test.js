import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { loadWorkloads } from '../config/workloads.js';
import { BenchError } from '../errors.js';
import { ROOT } from '../paths.js';
import { scriptFiles } from './script-files.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-scripts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name @param {Record<string, string>} files */
function stack(name, files) {
  const path = join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

test('of every system and workload of this checkout all imports come along, and no test does', async () => {
  const { stacks } = loadStacks();
  const fileOf = new Map((await loadWorkloads()).map(({ id, file }) => [id, file]));
  const loads = stacks.flatMap((s) =>
    Object.keys(s.manifest.workloads).map((workload) => ({
      ...{ stackFolder: s.folder, workload, workloadFile: fileOf.get(workload) },
    })),
  );
  assert.ok(loads.length > 20, String(loads.length));
  for (const load of loads) {
    const { files, main, stackFolder } = scriptFiles(load);
    const paths = files.map((f) => f.path);
    assert.ok(paths.includes(main) && paths.includes(`${stackFolder}/client.js`));
    assert.ok(paths.includes(`k6/workloads/${load.workload}.${load.workloadFile ? 'json' : 'js'}`));
    assert.deepEqual(
      paths.filter((p) => /\.test\.js$|^lib\/|^\.\.|^\//.test(p)),
      [],
    );
    // Read once more by another eye than the one that collected them.
    for (const { path, text } of files)
      for (const [, specifier] of text.matchAll(/^(?:import|export|\}) [^;]*?from '(\.[^']+)';/gm))
        assert.ok(paths.includes(posix.join(posix.dirname(path), specifier)), `${path}: ${specifier}`);
  }
});

test('a stack and a workload from outside lie beside the checkout, with what they import of their own', () => {
  const stackFolder = stack('mine', {
    'client.js': 'import { a } from "./parts/a.js"\nimport burst from \'k6/x/burst\';\nexport default a\n',
    'parts/a.js': "// import { b } from './b.js' was here\nexport * from '../b.js';\n",
    'b.js': 'export const a = 1;\n',
  });
  const workloadFile = join(stack('own', { 'w.js': 'export const facts = {};\n' }), 'w.js');
  const found = scriptFiles({ stackFolder, workload: 'w', workloadFile });
  assert.deepEqual(
    found.files.map((f) => f.path).filter((p) => p.startsWith('outside')),
    [
      ...['outside/stack/b.js', 'outside/stack/client.js', 'outside/stack/parts/a.js'],
      'outside/workload/w.js',
    ],
  );
  assert.deepEqual([found.stackFolder, found.workloadFile], ['outside/stack', 'outside/workload/w.js']);
});

test('an import that a pod would not find is refused, with the file and what to do', () => {
  const load = (/** @type {string} */ name, /** @type {string} */ specifier) => ({
    stackFolder: stack(name, { 'client.js': `export { default } from '${specifier}';\n` }),
    workload: 'counters',
  });
  const refused = (/** @type {RegExp} */ message) => (/** @type {unknown} */ e) =>
    e instanceof BenchError && message.test(e.message);
  assert.throws(
    () => scriptFiles(load('absolute', join(ROOT, 'stacks', '_null', 'client.js'))),
    refused(/absolute\/client\.js imports \/.*, which a pod would not find/),
  );
  assert.throws(
    () => scriptFiles(load('beside', '../mine/b.js')),
    refused(/imports \.\.\/mine\/b\.js, which a pod/),
  );
  assert.throws(
    () => scriptFiles(load('gone', './gone.js')),
    refused(/imports \.\/gone\.js, which is not there/),
  );
});
