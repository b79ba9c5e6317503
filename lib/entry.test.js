import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { faultsPage, PAGE, testNames } from '../scripts/faults.js';
import { FLAGS, flagsOf, helpOf, MEASURE, VERBS } from './args.js';
import { EXIT, EXIT_MEANINGS } from './errors.js';
import { ROOT } from './paths.js';

test('--help and the README give each exit code the same meaning', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const table = readme.slice(readme.indexOf('### Exit codes'));
  for (const [code, meaning] of EXIT_MEANINGS)
    assert.ok(table.includes(`| ${code} | ${meaning} |`), `${code}`);
  assert.deepEqual(
    EXIT_MEANINGS.map(([code]) => code),
    Object.values(EXIT),
  );
});

test('every command and flag that is known has its help, its place in completion, and no other', () => {
  const help = spawnSync(join(ROOT, 'run-all.sh'), ['help'], { encoding: 'utf8' }).stdout;
  for (const verb of VERBS) assert.ok(help.includes(`./run-all.sh ${verb}`), verb);
  for (const flag of flagsOf(MEASURE)) assert.ok(help.includes(`--${flag}`), flag);
  for (const verb of VERBS) {
    const text = helpOf(verb);
    for (const flag of flagsOf(verb)) assert.ok(text.includes(`--${flag}`), `${verb} --${flag}`);
    for (const [code, meaning] of EXIT_MEANINGS) assert.ok(text.includes(`${code}  ${meaning}`), `${code}`);
  }
  const known = [MEASURE, ...VERBS].flatMap(flagsOf);
  assert.deepEqual(
    Object.keys(FLAGS).filter((f) => !known.includes(f)),
    [],
  );
});

test('completion answers in bash as a person would type', () => {
  const script = spawnSync(join(ROOT, 'run-all.sh'), ['completion', 'bash'], { encoding: 'utf8' });
  assert.equal(script.status, 0, script.stderr);
  const ask = (/** @type {string[]} */ words) =>
    spawnSync(
      'bash',
      [
        '-c',
        `${script.stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ladderbench; printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        './run-all.sh',
        ...words,
      ],
      { encoding: 'utf8', cwd: ROOT },
    )
      .stdout.trim()
      .split('\n');
  assert.deepEqual(ask(['qui']), ['quick']);
  assert.deepEqual(ask(['clean', '--ca']), ['--cache']);
  assert.deepEqual(ask(['clean', '--rep']), ['']);
  assert.deepEqual(ask(['quick', '--engine', 'd']), ['docker']);
  assert.deepEqual(ask(['report', 'lat']), ['latest']);
  const zsh = spawnSync(join(ROOT, 'run-all.sh'), ['completion', 'zsh'], { encoding: 'utf8' });
  assert.match(zsh.stdout, /^autoload -U \+X bashcompinit/);
});

test('what a command does not know is an error, and what k6 knows is answered', () => {
  for (const [args, message] of /** @type {[string[], RegExp][]} */ ([
    [['clean', '--repeats', '5'], /--repeats is no flag of "clean": it is one of <profile>/],
    [['smoke', '--prune', '5'], /--prune is no flag of a profile: it is one of report/],
    [['systems', 'extra'], /too many words for "systems": "extra"/],
    [['compare', 'a', 'b', 'c'], /too many words for "compare": "c"/],
    [['smoke', '--vus', '5'], /"--vus" is k6's: the ladder of users is the profile/],
    [['smoke', '-e', 'A=b'], /"-e" is k6's: settings of a system/],
    [['run', 'script.js'], /"run script.js" is k6's way/],
    [['help', 'repor'], /no command "repor": did you mean "?report/],
    [['--steps', '1,2', '--step-duration', '5s'], /--steps is of --script/],
    [['--on', 'local'], /--on without a profile/],
    [['stress', '--until-decided', '--dry-run'], /--until-decided is for systems side by side/],
    [['completion', 'fish'], /no completion for "fish"/],
  ])) {
    const { status, stderr } = spawnSync(join(ROOT, 'run-all.sh'), args, { encoding: 'utf8' });
    assert.match(stderr, message);
    assert.equal(status, 2, args.join(' '));
  }
  const version = spawnSync(join(ROOT, 'run-all.sh'), ['--version'], { encoding: 'utf8' });
  assert.match(version.stdout, /^ladderbench \d+\.\d+\.\d+\n$/);
});

test('the entry is found through links, relative ones too', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-entry-'));
  t.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(relative(folder, join(ROOT, 'run-all.sh')), join(folder, 'first'));
  symlinkSync('first', join(folder, 'second'));
  const { status, stdout, stderr } = spawnSync(join(folder, 'second'), ['--help'], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^ladderbench: /);
});

test('the page of faults says what the tests try', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), faultsPage(), 'write it again: node scripts/faults.js');
});

test('names of tests are found in either kind of quotes, within loops, and over two lines; nothing else is one', () => {
  const text = [
    "test('it\\'s plain', () => {",
    'test(`of @{what.name} by \\`clean\\``, () => {',
    '  test(`in a loop: @{name}`, () => {',
    'test(',
    "  'on a line of its own', () => {",
    "testInContainers('in a container', async () => {",
    "const latest = 'no test(';",
    "protest('this one is none', () => {",
  ]
    .join('\n')
    .replaceAll('@{', '${');
  assert.deepEqual(testNames(text), [
    "it's plain",
    'of … by `clean`',
    'in a loop: …',
    'on a line of its own',
    'in a container',
  ]);
  const rows = faultsPage()
    .split('\n')
    .filter((line) => line.startsWith('- '));
  assert.ok(rows.length >= 60, `${rows.length} rows`);
  for (const row of rows) assert.doesNotMatch(row, /NO_COLOR|\$\{/);
});

const noFlock = spawnSync('flock', ['--version']).error ? 'no flock here' : false;

test('three first runs of one clone at once install the packages once', { skip: noFlock }, async (t) => {
  const clone = mkdtempSync(join(tmpdir(), 'lb-clone-'));
  t.after(() => rmSync(clone, { recursive: true, force: true }));
  for (const folder of ['lib', 'bin']) mkdirSync(join(clone, folder));
  cpSync(join(ROOT, 'run-all.sh'), join(clone, 'run-all.sh'));
  writeFileSync(join(clone, 'package-lock.json'), '{}');
  writeFileSync(join(clone, 'lib', 'cli.js'), '');
  const npm = [
    '#!/bin/sh',
    `mkdir '${clone}/installing' || exit 1`,
    `echo once >>'${clone}/log'; sleep 0.5; mkdir -p '${clone}/node_modules'`,
    `echo '{}' >'${clone}/node_modules/.package-lock.json'; rmdir '${clone}/installing'`,
  ];
  writeFileSync(join(clone, 'bin', 'npm'), `${npm.join('\n')}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(clone, 'bin')}:${process.env.PATH}` };
  const codes = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise((resolve) => {
          spawn(join(clone, 'run-all.sh'), ['x'], { env, stdio: 'ignore' }).on('exit', resolve);
        }),
    ),
  );
  assert.deepEqual(codes, [0, 0, 0]);
  assert.equal(readFileSync(join(clone, 'log'), 'utf8'), 'once\n');
});

test('a package that is missing from node_modules is installed again, and is no stack trace', (t) => {
  const clone = mkdtempSync(join(tmpdir(), 'lb-clone-'));
  t.after(() => rmSync(clone, { recursive: true, force: true }));
  for (const folder of ['lib', 'bin', 'node_modules/@scope/here'])
    mkdirSync(join(clone, folder), { recursive: true });
  cpSync(join(ROOT, 'run-all.sh'), join(clone, 'run-all.sh'));
  writeFileSync(join(clone, 'package-lock.json'), '{}');
  writeFileSync(join(clone, 'lib', 'cli.js'), '');
  writeFileSync(join(clone, 'node_modules/@scope/here/package.json'), '{}');
  const installed = {
    packages: { 'node_modules/@scope/here': {}, 'node_modules/gone': { version: '1.0.0' } },
  };
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), JSON.stringify(installed, null, 2));
  const npm = `#!/bin/sh\necho once >>'${clone}/log'\nmkdir '${clone}/node_modules/gone'\necho '{}' >'${clone}/node_modules/gone/package.json'\n`;
  writeFileSync(join(clone, 'bin', 'npm'), npm, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(clone, 'bin')}:${process.env.PATH}` };
  for (const _ of ['the first installs it', 'the second finds it']) {
    const { status, stderr } = spawnSync(join(clone, 'run-all.sh'), ['x'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
  assert.equal(readFileSync(join(clone, 'log'), 'utf8'), 'once\n');
});
