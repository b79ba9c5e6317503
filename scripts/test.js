/**
 * `npm test`: static checks, unit tests with the golden reports, and an end-to-end test of each family. `--all`
 * (`npm run test:all`): everything that must hold before a change lands. `--static`: only format, lint, types and shell.
 * `--only name` runs the stages whose name contains it, and `--only path` the tests of that file, or below that folder,
 * whatever `npm test` would leave out. The last line counts: `N passed, N failed, N skipped`.
 *
 * Without packages, because it also installs those of a fresh checkout.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cachePath } from '../lib/paths.js';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: flags } = parseArgs({
  options: { static: { type: 'boolean' }, all: { type: 'boolean' }, only: { type: 'string' } },
});
/** What `--only` names in the checkout, relative; null where it names a stage. */
const onlyPath =
  flags.only && existsSync(join(ROOT, flags.only)) ? relative(ROOT, join(ROOT, flags.only)) : null;
/** End-to-end tests of `npm test`: a family of workloads each, and systems side by side. */
const ONE_EACH = ['same-system', 'documents', 'events', 'side-by-side'].map((f) => `lib/e2e/${f}.test.js`);
/**
 * End-to-end tests that hold whatever else the machine does: of ends and mistakes, of what is stored, of pages, of
 * stand-ins for clusters. The longest first.
 */
const PATIENT = [
  ...['soak', 'events', 'interruptions', 'kills', 'ends', 'documents', 'kubernetes', 'companions'],
  ...['dashboards', 'lifecycle', 'durability', 'live', 'script', 'power-loss', 'wrong-answers'],
  ...['generators', 'release', 'client-pattern', 'page', 'pods', 'own-workload', 'outputs', 'real-servers'],
  ...['clock', 'settings-taken', 'testrun-definition', 'thousand-runners', 'grafana', 'crowd', 'k6-page'],
  ...['k6-example', 'new-system', 'password', 'escaped'],
].map((f) => `lib/e2e/${f}.test.js`);
/**
 * Tests that ask for moments, of loads that leave the machine idle for the most part: two files at once take nothing from
 * each other. One of them is of servers: how users are spread over time.
 */
const PACED = ['lib/e2e/chaos.test.js', 'stacks/_meshql/thinking.test.js'];
/** So many tests at once beyond one for each CPU, where most of them wait. */
const WAITING = 2;
/** The module of the load path, whose tests ask for times. */
const LOAD_PATH = 'k6/extension';
/** Seconds for each fuzz target. */
const FUZZ_SEC = 3;
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
/** What failed once and held when it ran again. @type {string[]} */
const unsteady = [];
/** Times are tested on machines that others use: what fails is run again, alone; more than these are a fault of ours. */
const MOST_AGAIN = 3;
/** Seconds that files of tests took, first tries and second ones. @type {Map<string, number>} */
const tookSec = new Map();
/** A file of tests that takes longer hangs; the longest one takes half of it on a busy machine. */
const MOST_SEC = 1200;
/** Files that are named at the end, the longest first. */
const LONGEST = 12;
const work = mkdtempSync(join(tmpdir(), 'lb-test-'));
// Without debug information tests of Rust are built faster; for all of them, or some are built twice.
process.env.CARGO_PROFILE_DEV_DEBUG ??= '0';

/**
 * @typedef {{passed: number, failed: number, skipped: number}} Counts
 * @param {string} name
 * @param {() => Counts | boolean | {skip: string} | Promise<Counts | boolean | {skip: string}>} run
 */
async function stage(name, run) {
  if (flags.only && onlyPath === null && !name.includes(flags.only)) return;
  const started = Date.now();
  console.log(`\n== ${name}`);
  const outcome = await run();
  /** @type {Counts} */
  let counts;
  if (typeof outcome === 'boolean')
    counts = { passed: Number(outcome), failed: Number(!outcome), skipped: 0 };
  else if ('skip' in outcome) {
    console.log(`skipped: ${outcome.skip}`);
    counts = { passed: 0, failed: 0, skipped: 1 };
  } else counts = outcome;
  for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) total[key] += counts[key];
  if (counts.failed > 0) failures.push(name);
  console.log(
    `-- ${name}: ${counts.failed > 0 ? 'FAILED' : 'ok'} in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
}

/**
 * @param {string} binary
 * @param {string[]} args
 * @param {{cwd?: string, env?: Record<string, string>, quiet?: boolean}} [options] `quiet`: what it says is returned
 * @returns {Promise<{ok: boolean, stdout: string, stderr: string}>}
 */
async function run(binary, args, { cwd = ROOT, env = {}, quiet = false } = {}) {
  const out = quiet ? 'pipe' : 'inherit';
  const child = spawn(binary, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', out, out] });
  const said = (/** @type {import('node:stream').Readable | null} */ stream) => (stream ? text(stream) : '');
  try {
    const [stdout, stderr, [status]] = await Promise.all([
      said(child.stdout),
      said(child.stderr),
      once(child, 'close'),
    ]);
    return { ok: status === 0, stdout, stderr };
  } catch (error) {
    return { ok: false, stdout: '', stderr: String(error) };
  }
}

/**
 * @param {string} binary
 * @param {string[]} args
 * @returns {Promise<boolean>} whether it ended well
 */
async function holds(binary, args) {
  return (await run(binary, args)).ok;
}

/** @param {string} name of an npm package's program */
function bin(name) {
  return join(ROOT, 'node_modules', '.bin', name);
}

/** @param {string} tool */
async function onPath(tool) {
  return (await run('sh', ['-c', `command -v ${tool}`], { quiet: true })).ok;
}

/** Packages of this checkout, when they are missing or older than the lock file. */
async function ensurePackages() {
  const stamp = join(ROOT, 'node_modules', '.package-lock.json');
  const lock = join(ROOT, 'package-lock.json');
  // A run installs what it needs itself, and none of the tools of tests.
  const tools = existsSync(bin('tsc')) && existsSync(bin('biome'));
  if (tools && existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log('npm packages: installing');
  if (!(await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])).ok) {
    console.log('npm ci failed\n0 passed, 1 failed, 0 skipped');
    process.exit(1);
  }
}

/**
 * @param {string} name of a file that marks a module
 * @returns {Promise<string[]>} folders below the checkout that hold one, relative
 */
async function modules(name) {
  const found = await run('git', ['ls-files', '-co', '--exclude-standard', '--', `*${name}`], {
    quiet: true,
  });
  return found.stdout
    .split('\n')
    .filter((f) => f.endsWith(`/${name}`) && existsSync(join(ROOT, f)))
    .map((f) => dirname(f));
}

/** Shell scripts of the checkout, by their first line. */
async function shellScripts() {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard'], { quiet: true });
  return stdout.split('\n').filter((f) => {
    if (f === '' || !existsSync(join(ROOT, f)) || !/(\.sh|^\.ci\/run|\/hooks\/[^.]+)$/.test(f)) return false;
    return readFileSync(join(ROOT, f), 'utf8').startsWith('#!');
  });
}

/** @returns {Promise<{path: string, env: Record<string, string>} | null>} from PATH or unpacked from Debian */
async function tool(/** @type {string} */ name) {
  const { obtainNeed } = await import('../lib/setup/needs.js');
  const result = await obtainNeed({ binary: name, debian: name });
  return 'found' in result ? result.found : null;
}

/**
 * Real servers for the tests of Go and Rust: what the stacks need and the live view's store, from PATH or unpacked.
 * @returns {Promise<Record<string, string>>} variables to run the tests with
 */
async function realServers() {
  const [{ loadStacks }, { obtainNeed }, { INFLUXD }] = await Promise.all([
    import('../lib/config/stacks.js'),
    import('../lib/setup/needs.js'),
    import('../lib/setup/setup.js'),
  ]);
  const needs = loadStacks().stacks.flatMap((s) => s.manifest.native?.needs ?? []);
  /** @type {string[]} */
  const folders = [];
  /** @type {Set<string>} */
  const libraries = new Set();
  for (const need of [...needs, INFLUXD]) {
    const result = await obtainNeed(need);
    if (!('found' in result)) continue;
    folders.push(dirname(result.found.path));
    if (result.found.env.LD_LIBRARY_PATH) libraries.add(result.found.env.LD_LIBRARY_PATH);
  }
  const env = { PATH: [process.env.PATH, ...folders].join(':') };
  return libraries.size > 0 ? { ...env, LD_LIBRARY_PATH: [...libraries].join(':') } : env;
}

async function shellcheck() {
  const found = await tool('shellcheck');
  if (!found) return { skip: 'shellcheck is neither on PATH nor to be had from Debian' };
  return (await run(found.path, ['-x', ...(await shellScripts())], { env: found.env })).ok;
}

async function shfmt() {
  const found = await tool('shfmt');
  if (!found) return { skip: 'shfmt is neither on PATH nor to be had from Debian' };
  return (await run(found.path, ['-i', '2', '-ci', '-d', ...(await shellScripts())], { env: found.env })).ok;
}

/**
 * @param {string} folder
 * @returns {Promise<boolean>}
 */
async function goStatic(folder) {
  const { stdout } = await run('gofmt', ['-l', '.'], { cwd: join(ROOT, folder), quiet: true });
  const unformatted = stdout.trim();
  if (unformatted) console.log(`not formatted by gofmt: ${unformatted}`);
  // Compiled as the suite builds its programs (lib/setup/builds.js), which then finds the packages ready.
  const vet = await run('go', ['vet', '-trimpath', './...'], {
    cwd: join(ROOT, folder),
    env: { CGO_ENABLED: '0' },
  });
  return unformatted === '' && vet.ok;
}

/** @returns {Promise<string[]>} flags of the race detector, which needs a C compiler */
async function goRace() {
  return (await onPath('gcc')) || (await onPath('cc')) ? ['-race'] : [];
}

/**
 * @param {string} folder
 * @param {Record<string, string>} env
 * @returns {Promise<Counts>}
 */
async function goTest(folder, env) {
  const cwd = join(ROOT, folder);
  // Only packages with tests: all that a program imports would be compiled for the race detector, too.
  const template = '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}';
  const list = await run('go', ['list', '-f', template, './...'], { cwd, quiet: true });
  const tested = list.stdout.split('\n').filter(Boolean);
  let { counts, failed, said } = await goTestsOnce(tested, cwd, env);
  if (failed.length > 0 && failed.length === counts.failed && failed.length <= MOST_AGAIN) {
    console.log(`${quoted(said)}once more: ${failed.join(', ')}`);
    const again = await goTestsOnce(['-run', `^(${failed.join('|')})$`, ...tested], cwd, env);
    counts.passed += counts.failed - again.counts.failed;
    counts.failed = again.counts.failed;
    if (counts.failed === 0) unsteady.push(...failed);
    said = again.said;
  }
  if (said !== '') console.log(said);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts;
}

/**
 * @param {string[]} args of go test
 * @param {string} cwd
 * @param {Record<string, string>} env
 * @returns {Promise<{counts: Counts, failed: string[], said: string}>} with the names of the tests that failed, and what those
 *   printed that failed or were skipped
 */
async function goTestsOnce(args, cwd, env) {
  const own = ['test', ...(await goRace()), '-count=1', '-json', ...args];
  const { stdout, stderr, ok } = await run('go', own, { cwd, env, quiet: true });
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @type {string[]} */
  const failed = [];
  let said = '';
  let all = '';
  /** @type {Map<string, string[]>} */
  const output = new Map();
  const toldBy = (/** @type {string} */ id) =>
    (output.get(id) ?? []).filter((o) => !o.startsWith('=== ')).join('');
  for (const line of stdout.split('\n').filter((l) => l.startsWith('{'))) {
    const event = JSON.parse(line);
    const id = `${event.Package} ${event.Test ?? ''}`;
    if (event.Action === 'output') {
      all += event.Output;
      output.set(id, [...(output.get(id) ?? []), event.Output]);
    }
    if (event.Action === 'fail') said += toldBy(id);
    if (!event.Test || event.Test.includes('/')) continue;
    if (event.Action === 'pass') counts.passed++;
    if (event.Action === 'fail') failed.push(event.Test);
    if (event.Action === 'skip') {
      counts.skipped++;
      said += toldBy(id);
    }
  }
  counts.failed = failed.length;
  if (!ok && counts.failed === 0) {
    counts.failed = 1;
    said += stderr;
  }
  // A race fails whatever runs at that moment, and its report stands with any of them, also with one that passed.
  const races = all.match(/^WARNING: DATA RACE\n[\s\S]*?^={18}$/gm) ?? [];
  return { counts, failed, said: [...races, said].join('\n') };
}

/**
 * Each fuzz target of a module for a few seconds, beyond what is kept beside it, which go test replays. What breaks
 * one is left in testdata/fuzz by go, to be fixed and added to what is kept.
 * @param {{folder: string, name: string}[]} targets
 * @returns {Promise<Counts>}
 */
async function goFuzz(targets) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { folder, name } of targets) {
    const own = ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', `${FUZZ_SEC}s`];
    const { ok, stdout, stderr } = await run('go', own, { cwd: join(ROOT, folder), quiet: true });
    counts[ok ? 'passed' : 'failed']++;
    if (!ok) console.log(stdout + stderr);
  }
  console.log(`${targets.length} fuzz targets, ${FUZZ_SEC} s each`);
  return counts;
}

/**
 * @param {string} module a folder
 * @returns {Promise<{folder: string, name: string}[]>} its fuzz targets, and the folders of their packages
 */
async function fuzzTargets(module) {
  const found = await run('git', ['ls-files', '-co', '--exclude-standard', '--', `${module}/*_test.go`], {
    quiet: true,
  });
  const files = found.stdout.split('\n').filter((f) => f !== '' && existsSync(join(ROOT, f)));
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => ({
      folder: dirname(file),
      name,
    })),
  );
}

/**
 * @param {string} folder
 * @param {Record<string, string>} env
 * @returns {Promise<Counts>}
 */
async function cargoTest(folder, env) {
  const once = (/** @type {string[]} */ args) =>
    run('cargo', ['test', '--locked', '--all-features', '--no-fail-fast', ...args], {
      cwd: join(ROOT, folder),
      quiet: true,
      env: { ...env, ...cargoEnv() },
    });
  const { stdout, stderr, ok } = await once([]);
  if (!ok) console.log(stdout + stderr);
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, ignored] of stdout.matchAll(/(\d+) passed; (\d+) failed; (\d+) ignored/g)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(ignored);
  }
  const failed = [...stdout.matchAll(/^test (\S+) \.\.\. FAILED$/gm)].map(([, name]) => name);
  if (failed.length > 0 && failed.length === counts.failed && failed.length <= MOST_AGAIN) {
    console.log(`once more: ${failed.join(', ')}`);
    const again = await once(['--', '--exact', ...failed]);
    if (again.ok) {
      counts.passed += counts.failed;
      counts.failed = 0;
      unsteady.push(...failed);
    } else console.log(again.stdout);
  } else if (!ok && counts.failed === 0) counts.failed = 1;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts;
}

/** Build results of Rust outside the checkout, shared by its crates. */
function cargoEnv() {
  return { CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? cachePath('cargo') };
}

/**
 * Types of a TypeScript program with packages of its own.
 * @param {string} folder
 * @returns {Promise<boolean>}
 */
async function typeScript(folder) {
  const cwd = join(ROOT, folder);
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return (
    (await run('npm', install, { cwd })).ok && (await run(bin('tsc'), ['-p', '.', '--noEmit'], { cwd })).ok
  );
}

/**
 * Each file in a process and a folder for temporary files of its own. What fails is run again when all others have ended.
 * @param {string[]} files
 * @param {{atOnce?: number, beside?: (() => Promise<void>)[]}} [options] `atOnce`: how many of them; `beside`: what else is
 *   done meanwhile, in the place of a file each
 * @returns {Promise<Counts>}
 */
async function nodeTest(files, { atOnce = 1, beside = [] } = {}) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const add = (/** @type {Counts} */ counts) => {
    for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) sum[key] += counts[key];
  };
  /** @type {{file: string, counts: Counts, said: string}[]} */
  const failed = [];
  const testFile = async (/** @type {string} */ file) => {
    const { counts, said } = await nodeTestsOf(file);
    if (counts.failed > 0) failed.push({ file, counts, said });
    else {
      process.stdout.write(said);
      add(counts);
    }
  };
  const left = [...beside, ...files.map((file) => () => testFile(file))];
  const worker = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const [i, { file, ...first }] of failed.entries()) {
    let { counts, said } = first;
    if (i < MOST_AGAIN) {
      console.log(`${quoted(said)}once more: ${file}`);
      ({ counts, said } = await nodeTestsOf(file));
      if (counts.failed === 0) unsteady.push(file);
    }
    process.stdout.write(said);
    add(counts);
  }
  return sum;
}

/**
 * @param {string} file with tests
 * @returns {Promise<{counts: Counts, said: string}>} with what the tests have printed
 */
async function nodeTestsOf(file) {
  const began = Date.now();
  const own = mkdtempSync(join(work, 't-'));
  const tap = join(work, `${basename(own)}.tap`);
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=tap', `--test-reporter-destination=${tap}`],
  ];
  const child = spawn(process.execPath, [...reporters, file], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: own },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_SEC * 1000,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const left = remainder(own);
  tookSec.set(file, (tookSec.get(file) ?? 0) + (Date.now() - began) / 1000);
  const ok = status === 0 && left === null;
  const told = existsSync(tap) ? readFileSync(tap, 'utf8') : '';
  const count = (/** @type {string} */ name) =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(told)?.[1] ?? 0);
  const failed = count('fail') + count('cancelled');
  // Without the summary, which tells every failure again.
  const lines = stdout.split('✖ failing tests:')[0].split('\n');
  return {
    counts: {
      passed: count('pass'),
      failed: !ok && failed === 0 ? 1 : failed,
      skipped: count('skipped') + count('todo'),
    },
    said: `${lines
      .filter((line) => !line.startsWith('ℹ '))
      .join('\n')
      .trimEnd()}\n${ok ? '' : `${stderr}${left ?? ''}`}${signal ? `${file} was ended by ${signal}: it may take ${MOST_SEC} s\n` : ''}`,
  };
}

/**
 * @param {string} folder that is removed
 * @returns {string | null} why it cannot be: something is still mounted there, or writes into it
 */
function remainder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    return null;
  } catch (error) {
    return `left behind: ${error}`;
  }
}

/**
 * @param {string} said of a first try: no result yet, and not to be read as one
 * @returns {string}
 */
function quoted(said) {
  const plain = said.trimEnd().replaceAll('✖', 'did not hold:').replaceAll('--- FAIL:', '--- did not hold:');
  return plain.replaceAll(/^/gm, '  first try | ').concat('\n');
}

/**
 * The tests of a package inside the checkout, by vitest; K6 is our k6.
 * @param {string} folder
 * @returns {Promise<Counts | {skip: string}>}
 */
async function packageTest(folder) {
  const cwd = join(ROOT, folder);
  const ci = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!existsSync(join(cwd, 'node_modules')) && !(await run('npm', ci, { cwd })).ok)
    return { skip: `its packages cannot be had: cd ${folder} && npm ci` };
  const { generatorBuild, isBuilt, runBuild } = await import('../lib/setup/builds.js');
  if (!(await onPath('go'))) return { skip: 'go is not on PATH' };
  if (!isBuilt(generatorBuild())) await runBuild(generatorBuild());
  const report = join(work, 'vitest.json');
  const env = { K6: join(generatorBuild().output, 'k6') };
  const flags = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { ok } = await run(join(cwd, 'node_modules', '.bin', 'vitest'), ['run', ...flags], { cwd, env });
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
  return {
    passed: numPassedTests,
    failed: !ok && numFailedTests === 0 ? 1 : numFailedTests,
    skipped: numPendingTests,
  };
}

/**
 * @param {string} folder of a package
 * @returns {boolean} whether it is a nested one with tests of its own
 */
function hasTests(folder) {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  return folder !== '.' && scripts?.test !== undefined;
}

/**
 * @param {string} folder
 * @returns {string[]} *.test.js below it, relative to the checkout
 */
function testFiles(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((e) => {
    const path = join(folder, e.name);
    if (e.isDirectory()) return e.name === 'node_modules' ? [] : testFiles(path);
    return e.name.endsWith('.test.js') ? [relative(ROOT, join(ROOT, path))] : [];
  });
}

/** Servers, the module, every end-to-end test, containers. */
async function everyOther() {
  const servers = await realServers();
  await goModule(LOAD_PATH, servers);
  const ofGo = await modules('go.mod');
  const beside = [
    () => stage('docker', inDocker),
    async () => {
      for (const folder of ofGo) await fuzz(folder);
    },
    ...ofGo.filter((folder) => folder !== LOAD_PATH).map((folder) => () => goModule(folder, servers)),
    async () => {
      // One after another: they share a folder of results, and its lock.
      for (const folder of await modules('Cargo.toml')) await crate(folder, servers);
    },
    ...(await modules('tsconfig.json')).map(
      (folder) => () => stage(`types: ${folder}`, () => typeScript(folder)),
    ),
    ...(await modules('package.json'))
      .filter(hasTests)
      .map((folder) => () => stage(`npm test: ${folder}`, () => packageTest(folder))),
  ];
  // Stages within a stage that was not asked for would be left out with it.
  if (flags.only) for (const task of beside) await task();
  // Most of them wait for a server, a clock or a disk: more at once than there are CPUs.
  const together = { atOnce: availableParallelism() + WAITING, beside: flags.only ? [] : beside };
  const ofServers = testFiles('stacks').filter((f) => !PACED.includes(f));
  await stage('servers and ends, beside one another', () => nodeTest([...ofServers, ...PATIENT], together));
  await stage('paced, two at once', () => nodeTest(PACED, { atOnce: 2 }));
  const alone = endToEnd.filter((f) => !PATIENT.includes(f) && !PACED.includes(f));
  await stage('end to end, alone', () => nodeTest(alone));
}

/**
 * @param {string} folder of a Go module
 * @param {Record<string, string>} servers
 */
async function goModule(folder, servers) {
  const missing = (await onPath('go')) ? null : { skip: 'go is not on PATH' };
  await stage(`go vet: ${folder}`, () => missing ?? goStatic(folder));
  await stage(`go test: ${folder}`, () => missing ?? goTest(folder, servers));
}

/** @param {string} folder of a Go module */
async function fuzz(folder) {
  const targets = (await onPath('go')) ? await fuzzTargets(folder) : [];
  if (targets.length > 0) await stage(`go fuzz: ${folder}`, () => goFuzz(targets));
}

/**
 * @param {string} folder of a crate
 * @param {Record<string, string>} servers
 */
async function crate(folder, servers) {
  const missing = (await onPath('cargo')) ? null : { skip: 'cargo is not on PATH' };
  const cwd = join(ROOT, folder);
  const env = cargoEnv();
  const clippy = ['clippy', '--locked', '--all-features', '--all-targets', '--', '-D', 'warnings'];
  await stage(`cargo fmt and clippy: ${folder}`, async () => {
    if (missing) return missing;
    const formatted = (await run('cargo', ['fmt', '--check'], { cwd })).ok;
    return (await run('cargo', clippy, { cwd, env })).ok && formatted;
  });
  await stage(`cargo test: ${folder}`, () => missing ?? cargoTest(folder, servers));
}

/** @returns {Promise<Counts | {skip: string}>} */
async function inDocker() {
  const { askDocker } = await import('../lib/docker/answers.js');
  const answer = await askDocker();
  return 'problem' in answer
    ? { skip: `${answer.problem}; to change it: ${answer.hint}` }
    : nodeTest(inContainers);
}

/**
 * @param {string} path of a test file, or of a folder
 */
async function testsBelow(path) {
  const files = statSync(join(ROOT, path)).isDirectory() ? testFiles(path) : [path];
  if (files.length > 0) await stage(`tests: ${path}`, () => nodeTest(files));
  const inside = (/** @type {string} */ folder) =>
    folder === path || folder.startsWith(`${path}/`) || path.startsWith(`${folder}/`);
  const servers = await realServers();
  for (const folder of (await modules('go.mod')).filter(inside))
    await stage(`go test: ${folder}`, () => goTest(folder, servers));
  for (const folder of (await modules('Cargo.toml')).filter(inside))
    await stage(`cargo test: ${folder}`, () => cargoTest(folder, servers));
}

await ensurePackages();
const inContainers = testFiles('lib/e2e/docker');
const endToEnd = testFiles('lib/e2e').filter((f) => !inContainers.includes(f));
const unit = [...testFiles('lib'), ...testFiles('k6'), ...testFiles('scripts')].filter(
  (f) => !endToEnd.includes(f) && !inContainers.includes(f),
);

if (onlyPath !== null) await testsBelow(onlyPath);
else {
  await stage('format and lint', () => holds(bin('biome'), ['check', '.']));
  await stage('types of the schemas', () => holds(process.execPath, ['scripts/types.mjs', '--check']));
  await stage('proven', () => holds(process.execPath, ['scripts/proven.mjs', '--check']));
  await stage('colours of the dashboards', () =>
    holds(process.execPath, ['scripts/dashboards.mjs', '--check']),
  );
  await stage('images', () => holds(process.execPath, ['scripts/images.mjs', '--verify']));
  await stage('types', () => holds(bin('tsc'), ['-p', '.']));
  await stage('shellcheck', shellcheck);
  await stage('shfmt', shfmt);
  await stage('manifests and profiles', () => holds('./run-all.sh', ['check']));
  if (!flags.static) await stage('unit tests', () => nodeTest(unit, { atOnce: availableParallelism() }));
  // A stage that is asked for by its name runs, whoever would leave it out.
  if (flags.all || (flags.only && !flags.static)) await everyOther();
  else if (!flags.static) await stage('end to end, one of each family', () => nodeTest(ONE_EACH));
}
if (flags.only && total.passed + total.failed + total.skipped === 0) {
  console.log(`no stage and no path is called "${flags.only}"`);
  failures.push(flags.only);
  total.failed++;
}
rmSync(work, { recursive: true, force: true });
const longest = [...tookSec].sort(([, a], [, b]) => b - a).slice(0, LONGEST);
if (longest.length > 1)
  console.log(`\nthe longest: ${longest.map(([file, sec]) => `${file} ${sec.toFixed(0)} s`).join(', ')}`);
if (unsteady.length > 0) console.log(`\nfailed once and held when run again: ${unsteady.join(', ')}`);
if (failures.length > 0) console.log(`\nfailed: ${failures.join(', ')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
