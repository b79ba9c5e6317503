import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cargoFindings, goFindings, npmFindings, unexplained } from './findings.js';
import { licenceIn, licencesOf, listOf, UNKNOWN } from './licences.js';
import { cargoLock, goLock, npmLock, readLocks } from './locks.js';
import { sbomOf } from './sbom.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const locks = readLocks(ROOT, execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n'));

test('every package of every language is locked with a hash', () => {
  assert.deepEqual(
    locks.flatMap((l) => l.problems),
    [],
  );
  for (const language of ['npm', 'cargo', 'go'])
    assert.ok(
      locks.some((l) => l.language === language && l.packages.length > 5),
      language,
    );
});

test('a package without a hash is named, with its lock file', () => {
  const npm = {
    packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { link: true } },
  };
  assert.deepEqual(npmLock('x', JSON.stringify(npm)).problems, ['x: a 1.0.0 has no hash']);
  const source = 'source = "git+https://host.invalid/a"';
  const cargo = `[[package]]\nname = "own"\nversion = "0.1.0"\n\n[[package]]\nname = "a"\nversion = "1.0.0"\n${source}\n`;
  assert.deepEqual(cargoLock('y', cargo).problems, ['y: a 1.0.0 has no hash']);
  const mod = 'module m\n\nrequire (\n\ta.b/c v1.0.0\n\ta.b/d v1.1.0 // indirect\n)\nrequire e.f/g v0.1.0\n';
  const sums = 'a.b/c v1.0.0 h1:AAA=\na.b/d v1.1.0/go.mod h1:BBB=\n';
  assert.deepEqual(goLock('z', mod, sums).problems, ['z: e.f/g v0.1.0 has no hash']);
  assert.deepEqual(
    readLocks(ROOT, ['lib/Cargo.toml']).flatMap((l) => l.problems),
    ['lib/Cargo.lock: missing'],
  );
});

test('the bill of materials names each package once, with its hash and where it is locked', () => {
  const text = sbomOf({ name: 'ladderbench', version: '0.1.0' }, locks);
  assert.equal(
    sbomOf({ name: 'ladderbench', version: '0.1.0' }, [...locks].reverse()),
    text,
    'always the same',
  );
  const bom = JSON.parse(text);
  assert.equal(`${bom.bomFormat} ${bom.specVersion}`, 'CycloneDX 1.6');
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies;
  for (const [name, version] of Object.entries(own)) {
    const [component, ...more] = bom.components.filter(
      (/** @type {any} */ c) => c.purl === `pkg:npm/${name}@${version}`,
    );
    assert.deepEqual(more, [], name);
    assert.match(component?.hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, name);
    assert.ok(component.properties.some((/** @type {any} */ p) => p.value === 'package-lock.json'));
  }
  assert.equal(new Set(bom.components.map((/** @type {any} */ c) => c.purl)).size, bom.components.length);
  assert.ok(bom.components.some((/** @type {any} */ c) => c.purl.startsWith('pkg:golang/go.k6.io/k6/v2@')));
  assert.ok(bom.components.some((/** @type {any} */ c) => c.purl.startsWith('pkg:cargo/')));
});

test('findings of each tool are read, and no answer is no "nothing found"', () => {
  const advisory = { source: 1, name: 'a', title: 'bad', url: 'https://host.invalid/advisories/GHSA-x' };
  const npm = { vulnerabilities: { a: { via: [advisory] }, b: { via: ['a'] } } };
  assert.deepEqual(npmFindings(JSON.stringify(npm)), [{ id: 'GHSA-x', package: 'a', title: 'bad' }]);
  assert.deepEqual(npmFindings('{"vulnerabilities": {}}'), []);
  assert.throws(() => npmFindings('{"message": "405 Method Not Allowed", "error": {"summary": ""}}'), /405/);
  const go = [
    { config: { scanner_name: 'govulncheck' } },
    { osv: { id: 'GO-1', summary: 'bad' } },
    { finding: { osv: 'GO-1', trace: [{ module: 'm', version: 'v1.0.0' }] } },
    { finding: { osv: 'GO-1', trace: [{ module: 'm', package: 'm/p', function: 'F' }] } },
  ];
  const said = go.map((m) => JSON.stringify(m, null, 2)).join('\n');
  assert.deepEqual(goFindings(said), [{ id: 'GO-1', package: 'm', title: 'bad' }]);
  assert.throws(() => goFindings(''), /no answer/);
  const cargo = {
    vulnerabilities: { list: [{ advisory: { id: 'RUSTSEC-1', title: 'bad' }, package: { name: 'c' } }] },
  };
  assert.deepEqual(cargoFindings(JSON.stringify(cargo)), [{ id: 'RUSTSEC-1', package: 'c', title: 'bad' }]);
  assert.throws(() => cargoFindings(''));
});

test('where no database answers, one line each says so, after what is known without them; --strict then fails', () => {
  const nobody = 'http://127.0.0.1:1';
  const run = (/** @type {string[]} */ flags) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'audit.mjs'), ...flags], {
      encoding: 'utf8',
      env: {
        ...process.env,
        ...{ GOVULNDB: nobody, CARGO_AUDIT_COMMAND: 'no-such-cargo-audit' },
        ...{ npm_config_registry: nobody, npm_config_fetch_retries: '0' },
      },
    });
  const { status, stdout, stderr } = run([]);
  assert.deepEqual([status, stderr], [0, '']);
  const [pinned, ...lines] = stdout.trim().split('\n');
  const [, some, all] =
    /^pinned by version and hash: (\d+) of (\d+) packages in \d+ lock files$/.exec(pinned) ?? [];
  assert.ok(Number(all) > 500 && some === all, pinned);
  for (const [i, tool] of ['npm audit', 'govulncheck', 'cargo audit'].entries())
    assert.match(lines[i], new RegExp(`^${tool}: unavailable: \\S.*$`));
  assert.equal(lines[3], '0 findings, 0 unexplained, 3 of 3 databases unavailable');
  assert.equal(lines.length, 4, stdout);
  assert.equal(run(['--strict']).status, 4);
});

test('a finding is open until somebody says why it is none here', () => {
  const finding = { id: 'GHSA-x', package: 'a', title: 'bad' };
  assert.deepEqual(unexplained([finding], []), [finding]);
  assert.deepEqual(unexplained([finding], [{ id: 'GHSA-x', package: 'b', why: 'not used' }]), [finding]);
  assert.deepEqual(unexplained([finding], [{ id: 'GHSA-x', package: 'a', why: ' ' }]), [finding]);
  assert.deepEqual(unexplained([finding], [{ id: 'GHSA-x', package: 'a', why: 'not used' }]), []);
});

test('a licence is told by what it begins with, and the list of all has k6 under the AGPL, with what that asks', () => {
  const begin = 'GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3';
  for (const [text, name] of [
    [`${begin}\n the GNU General Public License`, 'AGPL-3.0'],
    [`Mozilla Public License Version 2.0\n or the ${begin}`, 'MPL-2.0'],
    ['Apache License\n   Version 2.0, January 2004', 'Apache-2.0'],
    ['Redistribution and use in source and binary forms … Neither the name of', 'BSD-3-Clause'],
    ['Redistribution and use in source and binary forms …', 'BSD-2-Clause'],
    ['All rights reserved.', UNKNOWN],
  ])
    assert.equal(licenceIn(text), name);
  const hasGo = spawnSync('go', ['version']).status === 0;
  const own = locks.filter(
    (l) => l.file === 'package-lock.json' || (hasGo && l.file === 'k6/extension/go.sum'),
  );
  const licences = licencesOf(ROOT, own);
  assert.deepEqual(
    [...licences].filter(([, licence]) => licence === UNKNOWN),
    [],
  );
  const [k6] = [...licences].filter(([name]) => name.startsWith('pkg:golang/go.k6.io/k6/'));
  if (hasGo) assert.equal(k6?.[1], 'AGPL-3.0');
  assert.match(listOf(licences), /under the AGPL-3\.0: whoever passes that\s+program on/);
});
