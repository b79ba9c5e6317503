import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { faultsPage, PAGE, testNames } from '../scripts/faults.js';
import { loadStacks } from './config/stacks.js';
import { EXIT, EXIT_MEANINGS } from './errors.js';
import { FLAGS, flagsOf, helpOf, MEASURE, VERBS } from './options.js';
import { ROOT } from './paths.js';

const systems = loadStacks().stacks.filter(({ id, base }) => id === base && !id.startsWith('_'));
const [{ id: SYSTEM, manifest }] = systems;
/** A workload that it has not. */
const ELSE = String(
  systems.flatMap((s) => Object.keys(s.manifest.workloads)).find((w) => !manifest.workloads[w]),
);

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
    const text = helpOf(verb, []);
    for (const flag of flagsOf(verb)) assert.ok(text.includes(`--${flag}`), `${verb} --${flag}`);
    for (const [code, meaning] of EXIT_MEANINGS) assert.ok(text.includes(`${code}  ${meaning}`), `${code}`);
  }
  const known = [MEASURE, ...VERBS].flatMap(flagsOf);
  assert.deepEqual(
    Object.keys(FLAGS).filter((f) => !known.includes(f)),
    [],
  );
});

test('help of a profile says what it measures, and has no flag of another measurement', () => {
  const { stdout } = spawnSync(join(ROOT, 'run-all.sh'), ['help', 'realtime'], { encoding: 'utf8' });
  assert.match(
    stdout,
    /^ {2}workloads: realtime\n {2}steps: 1 user; 20 users; .*1000 users\n {2}repeats: \d/m,
  );
  assert.match(stdout, /--systems/);
  assert.doesNotMatch(stdout, /--script mine|--step-duration|--force/);
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
  assert.deepEqual(ask(['ladder', '--on', 'k']), ['kubernetes']);
  assert.deepEqual(ask(['report', 'latest', '--format', 'b']), ['bmf']);
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
    [['realtime', '--steps', '1,7', '--dry-run'], /--steps 7: the profile has steps of 1, 20, 50, 100, 200/],
    [['help', 'realtme'], /no command or profile "realtme": did you mean "?realtime/],
    [['help', 'repor'], /no command or profile "repor": did you mean "?report/],
    [
      ['--steps', '1,2', '--step-duration', '5s'],
      /--steps without --script or a profile: nothing says what to measure/,
    ],
    [['--on', 'local'], /--on without a profile or --resume: nothing says/],
    [
      ['stress', '--until-decided', '--dry-run'],
      /--until-decided needs a profile that compares systems side by side/,
    ],
    [['completion', 'fish'], /no completion for "fish"/],
    [
      [SYSTEM],
      new RegExp(
        `unknown profile or command "${SYSTEM}"[^\\n]*\\nhint: to measure ${SYSTEM}: ./run-all.sh smoke`,
      ),
    ],
    [
      ['stress', SYSTEM],
      new RegExp(`too many words: "${SYSTEM}"\\nhint: to measure ${SYSTEM}: ./run-all.sh stress`),
    ],
    [['ladder', '--rate', '100'], /hint: \.\/run-all\.sh --script mine\.js --rate 100,500,1000/],
    [['--resume', 'latest', '--systems', SYSTEM], /hint: \.\/run-all\.sh smoke --systems a,b@variant/],
    [['smoke', '--', '-e', 'A=b'], /hint: \.\/run-all\.sh --script mine\.js -- -e NAME=value/],
    [
      ['smoke', '--build', '--no-build'],
      /--build and --no-build contradict each other\nhint: give one of them/,
    ],
    [['smoke', '--live', '--no-live'], /--live and --no-live contradict each other/],
    [['--resume'], /--resume needs a value\nhint: write --resume run/],
    [['smoke', '--json=yes'], /--json takes no value\nhint: write --json\n/],
    [
      ['clean', '--all'],
      /unknown flag "--all": none of the \d+ that are known is like it\nhint: `\.\/run-all\.sh help`/,
    ],
    [['compare', 'latest'], /compare needs two runs\nhint: \.\/run-all\.sh compare BASE NEW/],
    [['report'], /which run\?\nhint: a run is a folder of reports\/.*`latest`/],
    [['report', 'nowhere'], /no run "nowhere": .*\nhint: a run is a folder of reports\//],
    [['check', 'smokee'], /unknown profile "smokee": did you mean "smoke"/],
    [['/nowhere/mine.json'], /unknown profile "\/nowhere\/mine\.json": there is no such file/],
    [['new-workload'], /which name\?\nhint: .*new-workload mine/],
    [['smoke', '--port', '6379'], /unknown system "6379" in --port.*\nhint: write --port system=port/],
    [
      ['smoke', '--endpoint', SYSTEM],
      new RegExp(`--endpoint ${SYSTEM}: no value\\nhint: write --endpoint system=url`),
    ],
    [['smoke', '--systems', `${SYSTEM}@nothing-like-it`], new RegExp(`known: ${SYSTEM}, ${SYSTEM}@default`)],
    [['smoke', '--systems', 'nothing-like-it'], /hint: `\.\/run-all\.sh systems` lists them/],
    [
      ['smoke', '--systems', SYSTEM, '--workloads', ELSE, '--dry-run'],
      /no chosen system takes part in .*\nhint: these do: --systems /,
    ],
  ])) {
    const { status, stderr } = spawnSync(join(ROOT, 'run-all.sh'), args, { encoding: 'utf8' });
    assert.match(stderr, message);
    assert.equal(status, 2, args.join(' '));
  }
  assert.equal(spawnSync(join(ROOT, 'run-all.sh'), ['check', 'smoke']).status, 0, 'a profile by its name');
  const version = spawnSync(join(ROOT, 'run-all.sh'), ['--version'], { encoding: 'utf8' });
  assert.match(version.stdout, /^ladderbench \d+\.\d+\.\d+\n$/);
});

test('a Node.js that is too old is told so, with what to install', () => {
  const start = join(ROOT, 'lib', 'start.cjs');
  const aged = `Object.defineProperty(process.versions, 'node', { value: '18.20.8' }); require('${start}')`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', aged], { encoding: 'utf8' });
  assert.deepEqual(
    [status, stdout, stderr],
    [2, '', 'error: Node.js 18 is too old\nhint: install Node.js 20 or later: https://nodejs.org\n'],
  );
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

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} npm lines of what stands in for npm there
 * @returns {{clone: string, env: NodeJS.ProcessEnv}} a fresh checkout without packages and history
 */
function freshClone(t, npm) {
  const clone = mkdtempSync(join(tmpdir(), 'lb-clone-'));
  t.after(() => rmSync(clone, { recursive: true, force: true }));
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of stdout.split('\n'))
    if (/^(lib|k6|profiles|stacks|run-all|package)(?!.*testdata)/.test(file) && existsSync(join(ROOT, file)))
      cpSync(join(ROOT, file), join(clone, file));
  symlinkSync(join(ROOT, 'reports'), join(clone, 'reports'));
  mkdirSync(join(clone, 'bin'));
  writeFileSync(join(clone, 'bin', 'npm'), ['#!/bin/sh', ...npm].join('\n'), { mode: 0o755 });
  return { clone, env: { ...process.env, PATH: `${join(clone, 'bin')}:${process.env.PATH}` } };
}

test('help, systems, profiles, --version, completion and a mistyped name need no npm packages', (t) => {
  const { clone, env } = freshClone(t, [`touch "$(dirname "$0")/called"; exit 1`]);
  for (const [words, code] of /** @type {[string, number][]} */ ([
    ...['help', 'help report', 'systems', 'profiles', '--version', 'completion bash'].map((w) => [w, 0]),
    ...[
      ['smokee', 2],
      ['', 2],
    ],
  ])) {
    const { status, stderr } = spawnSync(join(clone, 'run-all.sh'), words.split(' ').filter(Boolean), {
      ...{ env, encoding: 'utf8' },
    });
    assert.equal(status, code, `${words}: ${stderr}`);
  }
  assert.equal(existsSync(join(clone, 'bin', 'called')), false);
  const { status, stderr } = spawnSync(join(clone, 'run-all.sh'), ['smoke', '--dry-run'], {
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 2);
  assert.match(stderr, /^npm packages: installing \(once\)\nerror: npm ci failed/);
});

/** @param {string} command @returns {number} seconds of CPU time, the least of five tries */
function cpuSecOf(command) {
  const tries = [1, 2, 3, 4, 5].map(() => {
    const timed = `TIMEFORMAT='%U %S'; { time ${command} >/dev/null 2>&1 || true; }`;
    const env = { ...process.env, LC_ALL: 'C' };
    const { stderr } = spawnSync('bash', ['-c', timed], { cwd: ROOT, encoding: 'utf8', env });
    return stderr.split(' ').reduce((sum, n) => sum + Number(n), 0);
  });
  return Math.min(...tries);
}

test('what needs no packages answers at once: 0.15 s of CPU time', () => {
  // A machine that is slow, or shared, is so for Node.js alone, too.
  const most = Math.max(0.15, 2.5 * cpuSecOf('node -e 0'));
  for (const words of ['help', 'profiles', '--version', 'smokee']) {
    const took = cpuSecOf(`./run-all.sh ${words}`);
    assert.ok(took > 0 && took <= most, `${words}: ${took} of ${most}`);
  }
});

/** @param {string} clone @param {NodeJS.ProcessEnv} env */
function install(clone, env) {
  const program = `import('${clone}/lib/setup/packages.js').then((m) => m.ensurePackages({ say() {} }))`;
  return once(spawn('node', ['-e', program], { env, stdio: 'ignore' }), 'exit').then(([code]) => code);
}

test('three first runs of one clone at once install the packages once', { skip: noFlock }, async (t) => {
  const { clone, env } = freshClone(t, [
    `root="$(dirname "$0")/.."; mkdir "$root/installing" || exit 1`,
    `echo once >>"$root/log"; sleep 0.5; mkdir -p "$root/node_modules"`,
    `echo '{}' >"$root/node_modules/.package-lock.json"; rmdir "$root/installing"`,
  ]);
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => install(clone, env))), [0, 0, 0]);
  assert.equal(readFileSync(join(clone, 'log'), 'utf8'), 'once\n');
});

test('a package that is missing from node_modules is installed again, and is no stack trace', async (t) => {
  const { clone, env } = freshClone(t, [
    `cd "$(dirname "$0")/.."; echo "$*" >>log; mkdir node_modules/gone; echo '{}' >node_modules/gone/package.json`,
  ]);
  mkdirSync(join(clone, 'node_modules/@scope/here'), { recursive: true });
  writeFileSync(join(clone, 'node_modules/@scope/here/package.json'), '{}');
  const installed = {
    packages: { 'node_modules/@scope/here': {}, 'node_modules/gone': { version: '1.0.0' } },
  };
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), JSON.stringify(installed, null, 2));
  for (const _ of ['the first installs it', 'the second finds it'])
    assert.equal(await install(clone, env), 0);
  assert.match(readFileSync(join(clone, 'log'), 'utf8'), /^ci --omit=dev [^\n]*\n$/);
});
