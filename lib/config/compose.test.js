import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { composeProblems } from './compose.js';
import { loadStacks } from './stacks.js';

const work = mkdtempSync(join(tmpdir(), 'lb-compose-'));
after(() => rmSync(work, { recursive: true, force: true }));
const stack = /** @type {import('../types.d.ts').Stack} */ (
  loadStacks().stacks.find((s) => s.manifest.docker && !s.id.startsWith('_'))
);

/** @param {import('../types.d.ts').Stack} stack */
const isBase = ({ id, base }) => id === base;

/** @param {(text: string) => string} change of a real compose file */
function problemsAfter(change) {
  const folder = join(work, 'stack');
  rmSync(folder, { recursive: true, force: true });
  cpSync(stack.folder, folder, { recursive: true, filter: (path) => !path.endsWith('server') });
  const path = join(folder, 'compose.yml');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  return composeProblems({ ...stack, folder });
}

test('every compose file of the checkout starts what its manifest names', () => {
  const found = loadStacks().stacks.flatMap((s) => composeProblems(s).map((p) => `${s.id}: ${p}`));
  assert.deepEqual(found, []);
});

test('what is started by hand, the live view too, wants a port of its own each', () => {
  const files = [
    'docker-compose.yml',
    ...loadStacks()
      .stacks.filter(isBase)
      .map((s) => `stacks/${s.id}/compose.yml`),
  ];
  const ports = files
    .filter((file) => existsSync(join(ROOT, file)))
    .flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/127\.0\.0\.1:\$\{\w+_PORT:-(\d+)\}/g),
    ])
    .map(([, port]) => port)
    .filter((port) => port !== '0');
  assert.ok(ports.length > 15, ports.join());
  assert.deepEqual(
    ports.filter((port, i) => ports.indexOf(port) !== i),
    [],
  );
});

test('a compose file that says something else than the manifest is a problem that names both', () => {
  assert.deepEqual(
    problemsAfter((t) => t),
    [],
  );
  assert.match(problemsAfter((t) => t.replace(/image: .*/, 'image: other:1.0'))[0], /as docker\.images says/);
  assert.match(problemsAfter((t) => t.replace('127.0.0.1:', '')).join('\n'), /published beyond loopback/);
  assert.match(problemsAfter((t) => t.replace('127.0.0.1:', '0.0.0.0:')).join('\n'), /no port "127\.0\.0\.1/);
  assert.match(
    problemsAfter((t) => t.replace('    ports:', '    restart: always\n    ports:'))[0],
    /"restart" must not be set by a system/,
  );
  assert.match(problemsAfter(() => 'services: {').join('\n'), /compose\.yml: it is no YAML: /);
  assert.match(
    problemsAfter((t) => t.replace('service: system', 'service: other'))[0],
    /does not extend "system" of _shared\/base\.yml/,
  );
  const service = String(stack.manifest.docker?.service);
  assert.match(problemsAfter((t) => t.replace(`  ${service}:`, '  another:'))[0], /no service/);
});

test('a compose file is read as Compose reads it, however it is written', () => {
  const port = /- 127\.0\.0\.1:(\$\{\w+:-\d+\}):(\d+)/;
  const inObjects = (/** @type {string} */ host) => (/** @type {string} */ t) =>
    t
      .replace(port, `- {host_ip: ${host}, published: '$1', target: $2}`)
      .replace(/extends:\n +file: (\S+)\n +service: system/, 'extends: {file: $1, service: system}');
  assert.deepEqual(problemsAfter(inObjects('127.0.0.1')), []);
  assert.match(problemsAfter(inObjects('0.0.0.0')).join('\n'), /published beyond loopback/);
  assert.match(problemsAfter(() => 'services: {a: 1}').join('\n'), /a service of it is no mapping/);
});
