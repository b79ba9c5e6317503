/**
 * `npm test`: static checks, unit tests with the golden reports, and an end-to-end test of each family. `--all`
 * (`npm run test:all`): everything that must hold before a change lands. `--static`: only format, lint, types and shell.
 * `--only name` runs the stages whose name contains it, and `--only path` the tests of that file, or below that folder,
 * whatever `npm test` would leave out. The last line counts: `N passed, N failed, N skipped`.
 *
 * Without packages, because it also installs those of a fresh checkout.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
/** What failed once and held when it ran again. @type {string[]} */
const unsteady = [];
/** Times are tested on machines that others use: what fails is run again, alone; more than these are a fault of ours. */
const MOST_AGAIN = 3;
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
 * @param {{cwd?: string, env?: Record<string, string>, quiet?: boolean}} [options]
 */
function run(binary, args, { cwd = ROOT, env = {}, quiet = false } = {}) {
  const result = spawnSync(binary, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return {
    ok: result.status === 0,
    stdout: result.stdout ?? '',
    stderr: result.stderr ?? String(result.error ?? ''),
  };
}

/** @param {string} name of an npm package's program */
function bin(name) {
  return join(ROOT, 'node_modules', '.bin', name);
}

/** @param {string} tool */
function onPath(tool) {
  return run('sh', ['-c', `command -v ${tool}`], { quiet: true }).ok;
}

/** Packages of this checkout, when they are missing or older than the lock file. */
function ensurePackages() {
  const stamp = join(ROOT, 'node_modules', '.package-lock.json');
  const lock = join(ROOT, 'package-lock.json');
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log('npm packages: installing');
  if (!run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']).ok) {
    console.log('npm ci failed\n0 passed, 1 failed, 0 skipped');
    process.exit(1);
  }
}

/**
 * @param {string} name of a file that marks a module
 * @returns {string[]} folders below the checkout that hold one, relative
 */
function modules(name) {
  const found = run('git', ['ls-files', '-co', '--exclude-standard', '--', `*${name}`], {
    quiet: true,
  }).stdout;
  return found
    .split('\n')
    .filter((f) => f.endsWith(`/${name}`) && existsSync(join(ROOT, f)))
    .map((f) => dirname(f));
}

/** Shell scripts of the checkout, by their first line. */
function shellScripts() {
  const files = run('git', ['ls-files', '-co', '--exclude-standard'], { quiet: true }).stdout.split('\n');
  return files.filter((f) => {
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
  return run(found.path, ['-x', ...shellScripts()], { env: found.env }).ok;
}

async function shfmt() {
  const found = await tool('shfmt');
  if (!found) return { skip: 'shfmt is neither on PATH nor to be had from Debian' };
  return run(found.path, ['-i', '2', '-ci', '-d', ...shellScripts()], { env: found.env }).ok;
}

/**
 * @param {string} folder
 * @returns {boolean}
 */
function goStatic(folder) {
  const unformatted = run('gofmt', ['-l', '.'], { cwd: join(ROOT, folder), quiet: true }).stdout.trim();
  if (unformatted) console.log(`not formatted by gofmt: ${unformatted}`);
  // Compiled as the suite builds its programs (lib/setup/builds.js), which then finds the packages ready.
  const vet = run('go', ['vet', '-trimpath', './...'], {
    cwd: join(ROOT, folder),
    env: { CGO_ENABLED: '0' },
  });
  return unformatted === '' && vet.ok;
}

/** @returns {string[]} flags of the race detector, which needs a C compiler */
function goRace() {
  return onPath('gcc') || onPath('cc') ? ['-race'] : [];
}

/**
 * @param {string} folder
 * @param {Record<string, string>} env
 * @returns {Counts}
 */
function goTest(folder, env) {
  const cwd = join(ROOT, folder);
  // Only packages with tests: all that a program imports would be compiled for the race detector, too.
  const template = '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}';
  const tested = run('go', ['list', '-f', template, './...'], { cwd, quiet: true })
    .stdout.split('\n')
    .filter(Boolean);
  let { counts, failed, said } = goTestsOnce(tested, cwd, env);
  if (failed.length > 0 && failed.length === counts.failed && failed.length <= MOST_AGAIN) {
    console.log(`${quoted(said)}once more: ${failed.join(', ')}`);
    const again = goTestsOnce(['-run', `^(${failed.join('|')})$`, ...tested], cwd, env);
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
 * @returns {{counts: Counts, failed: string[], said: string}} with the names of the tests that failed, and what those
 *   printed that failed or were skipped
 */
function goTestsOnce(args, cwd, env) {
  const { stdout, stderr, ok } = run('go', ['test', ...goRace(), '-count=1', '-json', ...args], {
    cwd,
    env,
    quiet: true,
  });
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @type {string[]} */
  const failed = [];
  let said = '';
  /** @type {Map<string, string[]>} */
  const output = new Map();
  for (const line of stdout.split('\n').filter((l) => l.startsWith('{'))) {
    const event = JSON.parse(line);
    const id = `${event.Package} ${event.Test ?? ''}`;
    if (event.Action === 'output') output.set(id, [...(output.get(id) ?? []), event.Output]);
    if (event.Action === 'fail') said += (output.get(id) ?? []).join('');
    if (!event.Test || event.Test.includes('/')) continue;
    if (event.Action === 'pass') counts.passed++;
    if (event.Action === 'fail') failed.push(event.Test);
    if (event.Action === 'skip') {
      counts.skipped++;
      said += (output.get(id) ?? []).filter((o) => !o.startsWith('=== ')).join('');
    }
  }
  counts.failed = failed.length;
  if (!ok && counts.failed === 0) {
    counts.failed = 1;
    said += stderr;
  }
  return { counts, failed, said };
}

/**
 * @param {string} folder
 * @param {Record<string, string>} env
 * @returns {Counts}
 */
function cargoTest(folder, env) {
  const { stdout, ok } = run('cargo', ['test', '--locked'], {
    cwd: join(ROOT, folder),
    quiet: true,
    env: { ...env, ...cargoEnv() },
  });
  if (!ok) console.log(stdout);
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, ignored] of stdout.matchAll(/(\d+) passed; (\d+) failed; (\d+) ignored/g)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(ignored);
  }
  if (!ok && counts.failed === 0) counts.failed = 1;
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
 * @returns {boolean}
 */
function typeScript(folder) {
  const cwd = join(ROOT, folder);
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return run('npm', install, { cwd }).ok && run(bin('tsc'), ['-p', '.', '--noEmit'], { cwd }).ok;
}

/**
 * Each file in a process of its own, one after another.
 * @param {string[]} files
 * @returns {Counts}
 */
function nodeTest(files) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  let again = 0;
  for (const file of files) {
    let { counts, said } = nodeTestsOf(file);
    if (counts.failed > 0 && again++ < MOST_AGAIN) {
      console.log(`${quoted(said)}once more: ${file}`);
      ({ counts, said } = nodeTestsOf(file));
      if (counts.failed === 0) unsteady.push(file);
    }
    process.stdout.write(said);
    for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) sum[key] += counts[key];
  }
  return sum;
}

/**
 * @param {string} file with tests
 * @returns {{counts: Counts, said: string}} with what the tests have printed
 */
function nodeTestsOf(file) {
  const tap = join(work, 'node.tap');
  rmSync(tap, { force: true });
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=tap', `--test-reporter-destination=${tap}`],
  ];
  const { ok, stdout, stderr } = run(process.execPath, [...reporters, file], { quiet: true });
  const text = existsSync(tap) ? readFileSync(tap, 'utf8') : '';
  const count = (/** @type {string} */ name) =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
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
      .trimEnd()}\n${ok ? '' : stderr}`,
  };
}

/**
 * @param {string} text of a first try: no result yet, and not to be read as one
 * @returns {string}
 */
function quoted(text) {
  const plain = text.trimEnd().replaceAll('✖', 'did not hold:').replaceAll('--- FAIL:', '--- did not hold:');
  return plain.replaceAll(/^/gm, '  first try | ').concat('\n');
}

/**
 * The tests of a package inside the checkout, by vitest; K6 is our k6, which the end-to-end tests have built.
 * @param {string} folder
 * @returns {Promise<Counts | {skip: string}>}
 */
async function packageTest(folder) {
  const cwd = join(ROOT, folder);
  const ci = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!existsSync(join(cwd, 'node_modules')) && !run('npm', ci, { cwd }).ok)
    return { skip: `its packages cannot be had: cd ${folder} && npm ci` };
  const { generatorBuild } = await import('../lib/setup/builds.js');
  const report = join(work, 'vitest.json');
  const env = { K6: join(generatorBuild().output, 'k6') };
  const flags = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { ok } = run(join(cwd, 'node_modules', '.bin', 'vitest'), ['run', ...flags], { cwd, env });
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
  for (const folder of modules('go.mod')) {
    const missing = onPath('go') ? null : { skip: 'go is not on PATH' };
    await stage(`go vet: ${folder}`, () => missing ?? goStatic(folder));
    await stage(`go test: ${folder}`, () => missing ?? goTest(folder, servers));
  }
  for (const folder of modules('Cargo.toml')) {
    const missing = onPath('cargo') ? null : { skip: 'cargo is not on PATH' };
    const cwd = join(ROOT, folder);
    const env = cargoEnv();
    await stage(`cargo fmt and clippy: ${folder}`, () => {
      if (missing) return missing;
      const formatted = run('cargo', ['fmt', '--check'], { cwd }).ok;
      return (
        run('cargo', ['clippy', '--locked', '--all-targets', '--', '-D', 'warnings'], { cwd, env }).ok &&
        formatted
      );
    });
    await stage(`cargo test: ${folder}`, () => missing ?? cargoTest(folder, servers));
  }
  for (const folder of modules('tsconfig.json')) {
    await stage(`types: ${folder}`, () => typeScript(folder));
  }
  for (const folder of new Set(testFiles('stacks').map((f) => dirname(f)))) {
    const files = testFiles(folder).filter((f) => dirname(f) === folder);
    await stage(`servers: ${folder}`, () => nodeTest(files));
  }
  await stage('end to end', () => nodeTest(endToEnd));
  for (const folder of modules('package.json').filter(hasTests))
    await stage(`npm test: ${folder}`, () => packageTest(folder));
  await stage('docker', async () => {
    const { askDocker } = await import('../lib/docker/answers.js');
    const answer = await askDocker();
    return 'problem' in answer
      ? { skip: `${answer.problem}; to change it: ${answer.hint}` }
      : nodeTest(inContainers);
  });
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
  for (const folder of modules('go.mod').filter(inside))
    await stage(`go test: ${folder}`, () => goTest(folder, servers));
  for (const folder of modules('Cargo.toml').filter(inside))
    await stage(`cargo test: ${folder}`, () => cargoTest(folder, servers));
}

ensurePackages();
const inContainers = testFiles('lib/e2e/docker');
const endToEnd = testFiles('lib/e2e').filter((f) => !inContainers.includes(f));
const unit = [...testFiles('lib'), ...testFiles('k6'), ...testFiles('scripts')].filter(
  (f) => !endToEnd.includes(f) && !inContainers.includes(f),
);

if (onlyPath !== null) await testsBelow(onlyPath);
else {
  await stage('format and lint', () => run(bin('biome'), ['check', '.']).ok);
  await stage('types of the schemas', () => run(process.execPath, ['scripts/types.mjs', '--check']).ok);
  await stage('proven', () => run(process.execPath, ['scripts/proven.mjs', '--check']).ok);
  await stage(
    'colours of the dashboards',
    () => run(process.execPath, ['scripts/dashboards.mjs', '--check']).ok,
  );
  await stage('images', () => run(process.execPath, ['scripts/images.mjs', '--verify']).ok);
  await stage('types', () => run(bin('tsc'), ['-p', '.']).ok);
  await stage('shellcheck', shellcheck);
  await stage('shfmt', shfmt);
  await stage('manifests and profiles', () => run('./run-all.sh', ['check']).ok);
  if (!flags.static) await stage('unit tests', () => nodeTest(unit));
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
if (unsteady.length > 0) console.log(`\nfailed once and held when run again: ${unsteady.join(', ')}`);
if (failures.length > 0) console.log(`\nfailed: ${failures.join(', ')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
