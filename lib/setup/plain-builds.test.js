import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { which } from '../process/tool.js';
import { goBuild, runBuild } from './builds.js';

/** @param {import('node:test').TestContext} t @param {Record<string, string>} env */
function inFolder(t, env) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-plain-'));
  const set = { LADDERBENCH_CACHE: join(folder, 'cache'), ...env };
  const before = Object.fromEntries(Object.keys(set).map((name) => [name, process.env[name]]));
  Object.assign(process.env, set);
  t.after(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test('what a user once set for Go, in its file or in variables, does not reach a program that is built', {
  skip: which('go') === null && 'needs Go',
}, async (t) => {
  const folder = inFolder(t, { GOARCH: 'mips', GOEXPERIMENT: 'nosuchthing' });
  const settings = join(folder, 'env');
  writeFileSync(settings, 'GOOS=plan9\nGOAMD64=v4\nGOFLAGS=-tags=odd\n');
  process.env.GOENV = settings;
  t.after(() => delete process.env.GOENV);
  const source = join(folder, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'go.mod'), 'module plain\n\ngo 1.21\n');
  writeFileSync(join(source, 'main.go'), 'package main\n\nfunc main() { print(what) }\n');
  writeFileSync(join(source, 'plain.go'), '//go:build !odd\n\npackage main\n\nconst what = "plain"\n');
  writeFileSync(join(source, 'odd.go'), '//go:build odd\n\npackage main\n\nconst what = "odd"\n');
  const build = goBuild('plain', source);
  await runBuild(build);
  const said = execFileSync('sh', ['-c', '"$0" 2>&1', join(build.output, 'plain')], { encoding: 'utf8' });
  assert.equal(said, 'plain');
});

test('nor does what was set for cargo', { skip: which('cargo') === null && 'needs Rust' }, async (t) => {
  const folder = inFolder(t, { CARGO_BUILD_TARGET: 'no-such-target' });
  const source = join(folder, 'source');
  mkdirSync(join(source, 'src'), { recursive: true });
  mkdirSync(join(folder, '.cargo'));
  writeFileSync(join(folder, '.cargo', 'config.toml'), '[build]\nrustflags = ["--cfg", "odd"]\n');
  writeFileSync(
    join(source, 'Cargo.toml'),
    '[package]\nname = "plain"\nversion = "0.1.0"\nedition = "2021"\n\n[lints.rust]\nunexpected_cfgs = "allow"\n',
  );
  writeFileSync(
    join(source, 'src', 'main.rs'),
    'fn main() { print!("{}", if cfg!(odd) { "odd" } else { "plain" }); }\n',
  );
  const output = join(folder, 'out');
  const command = ['cargo', 'install', '--quiet', '--path', '.', '--root', '{cache}'];
  await runBuild({ title: 'plain', source, command, output, about: '', origin: '' });
  assert.equal(execFileSync(join(output, 'bin', 'plain'), { encoding: 'utf8' }), 'plain');
});
