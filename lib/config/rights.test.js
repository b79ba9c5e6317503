import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../paths.js';
import { servicesIn } from './compose.js';
import { loadStacks } from './stacks.js';

/** What is taken from every container. */
const TAKEN = [/^ +cap_drop: \[ALL\]$/m, /^ +security_opt: \['no-new-privileges:true'\]$/m];

/** What gives something back; a comment right above says what for. */
const GIVEN = /^ +(cap_add:|user: ('?0|root)|read_only: false|devices:|ipc:|pid:|userns_mode:)/;

const base = readFileSync(join(ROOT, 'stacks', '_shared', 'base.yml'), 'utf8');
const main = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const files = loadStacks()
  .stacks.filter((s) => s.id === s.base)
  .map((s) => ({ name: s.id, path: join(s.folder, 'compose.yml') }))
  .filter(({ path }) => existsSync(path))
  .map(({ name, path }) => ({ name, text: readFileSync(path, 'utf8') }));

test('what every system extends has no capability, gains none, and writes to its volume and to /tmp alone', () => {
  for (const pattern of [...TAKEN, /^ +pids: \d+$/m, /^ +read_only: true$/m, /^ +tmpfs: \[\/tmp\]$/m])
    assert.match(base, pattern);
});

test('every service of every stack extends it, and takes nothing of it back', () => {
  assert.ok(files.length > 10);
  for (const { name, text } of files) {
    const services = Object.entries(servicesIn(text));
    assert.ok(services.length > 0, name);
    for (const [service, own] of services) {
      assert.deepEqual(
        own.extends,
        { file: '../_shared/base.yml', service: 'system' },
        `${name}: ${service}`,
      );
      for (const word of ['cap_drop', 'security_opt', 'deploy', 'privileged'])
        assert.ok(!(word in own), `${name}: ${service}: ${word}`);
    }
  }
});

test('the live view and the generator have the same, each of them', () => {
  const services = servicesIn(main);
  assert.deepEqual(Object.keys(services).sort(), ['cadvisor', 'generator', 'grafana', 'influxdb']);
  for (const [name, own] of Object.entries(/** @type {Record<string, any>} */ (services))) {
    assert.deepEqual([own.cap_drop, own.security_opt], [['ALL'], ['no-new-privileges:true']], name);
    assert.ok(own.deploy.resources.limits.pids > 0, name);
    assert.ok(!own.privileged, name);
    assert.equal(typeof own.read_only, 'boolean', name);
  }
});

test('whoever gets a right back has the reason right above it', () => {
  for (const { name, text } of [...files, { name: 'docker-compose.yml', text: main }]) {
    const lines = text.split('\n');
    for (const [at, line] of lines.entries()) {
      if (!GIVEN.test(line)) continue;
      const before = lines.slice(0, at).reverse();
      const above = before.find((l) => !GIVEN.test(l));
      assert.match(String(above), /^ +# /, `${name}: ${line.trim()}`);
    }
  }
});

test('nothing is published beyond loopback', () => {
  for (const { name, text } of [...files, { name: 'docker-compose.yml', text: main }]) {
    const lists = [...text.matchAll(/^ +ports:\n((?: +- .*\n)+)/gm)].map(([, list]) => list);
    for (const list of lists)
      for (const line of list.trimEnd().split('\n')) assert.match(line, /^ +- 127\.0\.0\.1:/, name);
  }
});
