/**
 * `npm test`: static checks, unit tests with the golden reports, and an end-to-end test of each family. `--all`
 * (`npm run test:all`): everything that must hold before a change lands. `--static`: only format, lint, types and shell.
 * `--only name` runs the stages whose name contains it, and `--only path` the tests of that file, or below that folder.
 * The last line counts: `N passed, N failed, N skipped`.
 *
 * Starts without npm packages, because it also installs those of a fresh checkout.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { cachePath } from '../lib/paths.js';

const ROOT = dirname(import.meta.dirname);
const { values: flags } = parseArgs({
  options: { static: { type: 'boolean' }, all: { type: 'boolean' }, only: { type: 'string' } },
});
/** What `--only` names in the checkout; null where it names a stage. */
const onlyPath =
  flags.only && existsSync(join(ROOT, flags.only)) ? relative(ROOT, join(ROOT, flags.only)) : null;
/**
 * Times are tested on machines that others use: so many tests of a stage that failed are run again, alone. A machine that
 * stands still for a minute fails one in each lane, and those beside it in the same file.
 */
const MOST_AGAIN = 6;
/** A file of tests that takes longer hangs; the longest one takes half of it on a busy machine. */
const MOST_MS = 1_200_000;
/** So many of the stages and files that took longest are named, of those that took so long. */
const MOST_SLOW = 40;
const LEAST_SLOW_SEC = 20;
/** Tests of Go that ask for times are called so. */
const TIMED_GO = '^TestTimed';

/** A name, and a command of the shell that holds. */
const STATIC = Object.entries({
  'format and lint': 'biome check .',
  'types of the schemas': 'node scripts/types.mjs --check',
  proven: 'node scripts/proven.mjs --check',
  'results in the README': 'node scripts/results.mjs --check',
  'colours of the dashboards': 'node scripts/dashboards.mjs --check',
  images: 'node scripts/images.mjs --verify',
  types: 'tsc -p .',
  shellcheck: 'shellcheck -x $SCRIPTS',
  shfmt: 'shfmt -i 2 -ci -d $SCRIPTS',
  'manifests and profiles': './run-all.sh check',
});
/** Stages of these names ask for a program of that name. */
const LINTERS = ['shellcheck', 'shfmt'];
/** End-to-end tests of `npm test`: a family of workloads each, and systems side by side. */
const ONE_EACH = e2e('same-system', 'documents', 'events', 'side-by-side');
/** Tests that ask for times or rates: one after another, and nothing else meanwhile. */
const TIMED = e2e(
  ...['injections', 'same-rates', 'side-by-side', 'verdicts', 'script-answers', 'script-failures'],
);
/** Tests that ask for moments, of loads that leave the machine idle for the most part: two at once, the longest first. */
const PACED = [
  ...e2e('chaos', 'script-gates', 'same-system', 'script-sessions', 'script-variables'),
  ...['stacks/_meshql/thinking.test.js', ...e2e('script-rehearsal', 'background', 'home')],
];
/** So many files at once beyond one for each CPU, of tests that wait for the most part. */
const WAITING = 1;
/** Those that take longest begin first, so that none is alone at the end. */
const LONGEST = [
  ...e2e('lies', 'kubernetes'),
  'stacks/_meshql/workloads.test.js',
  ...e2e('events', 'documents', 'real-servers', 'ends', 'live', 'data-everywhere', 'page', 'data-workload'),
  ...e2e('interruptions', 'dashboards', 'kills', 'fit', 'lying-runners', 'password', 'companions', 'soak'),
  'stacks/meshql-mongodb/storage.test.js',
];

/** @typedef {{passed: number, failed: number, skipped: number}} Counts @typedef {[string, () => Promise<Counts>]} Stage */
/** @type {Counts} */
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
/** What failed said of it. @type {string[]} */
const reasons = [];
/** What failed once and held when it ran again. @type {string[]} */
const unsteady = [];
/** Stages and files of tests, each with how long it took. @type {[string, number][]} */
const took = [];
const work = mkdtempSync(join(tmpdir(), 'lb-test-'));
/** @type {NodeJS.ProcessEnv} */
const env = {
  ...process.env,
  TMPDIR: work,
  PATH: [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  // Results of Rust outside the checkout, shared by its crates, and without debug information, which takes long.
  CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? cachePath('cargo'),
  CARGO_PROFILE_DEV_DEBUG: process.env.CARGO_PROFILE_DEV_DEBUG ?? '0',
};

/** @param {string[]} names @returns {string[]} files of end-to-end tests */
function e2e(...names) {
  return names.map((name) => `lib/e2e/${name}.test.js`);
}

/** @param {Stage[]} stages one after another @returns {Promise<void>} */
async function inTurn(stages) {
  for (const [name, task] of stages) {
    if (flags.only && onlyPath === null && !name.includes(flags.only)) continue;
    const began = Date.now();
    console.log(`\n== ${name}`);
    const counts = await task();
    for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) total[key] += counts[key];
    if (counts.failed > 0) failures.push(name);
    const sec = (Date.now() - began) / 1000;
    took.push([name, sec]);
    console.log(
      `-- ${name}: ${counts.failed > 0 ? 'FAILED' : 'ok'}, ${said(counts)}, in ${sec.toFixed(1)} s`,
    );
  }
}

/** @param {Counts} counts */
function said({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * @param {string} command for a shell
 * @param {{folder?: string, live?: boolean}} [options] `live`: what it says is shown while it runs
 * @returns {Promise<{ok: boolean, out: string}>}
 */
async function shell(command, { folder = '.', live = false } = {}) {
  const child = spawn('bash', ['-c', `exec 2>&1; ${command}`], {
    ...{ cwd: join(ROOT, folder), env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    out += part;
    if (live) process.stdout.write(part);
  });
  const [status] = await once(child, 'close');
  return { ok: status === 0, out };
}

/**
 * What a test that failed is called: by go test, by cargo test, and its file by node --test, which names the file that calls
 * `test`; of one that a helper calls so, the trace has the file.
 */
const FAILED =
  /^(?:--- FAIL: (\S+)|test (\S+) \.\.\. FAILED| FAIL {2}(\S+\.test\.ts) > |test at (\S+?\.test\.js):\d+:\d+| +at (?:async )?TestContext\.<anonymous> \(file:\/\/(\S+?\.test\.js):)/gm;

/** The name of a test that failed, in the list at the end of what node --test says. */
const FAILED_NAME = /^test at \S+:\d+:\d+\n✖ (.+) \(\d[\d.]*ms\)$/gm;

/**
 * @param {string | (() => ReturnType<typeof shell>)} command
 * @param {{folder?: string, live?: boolean, again?: (names: string[], titles: string[]) => string}} [options] `again`: the
 *   command for a few tests that failed, of which node tells the title as well; what fails then, too, has failed
 * @returns {Promise<Counts>} of the tests that it ran; of one, where it names none
 */
async function holds(command, { again, ...options } = {}) {
  const first = typeof command === 'string' ? await shell(command, options) : await command();
  for (const [, sec, file] of first.out.matchAll(/^ {2,}(\d+) s {2}(\S+)$/gm)) took.push([file, Number(sec)]);
  const counts = countsIn(first);
  if (first.ok) return counts;
  const named = [...first.out.matchAll(FAILED)].map((m) => m.slice(1).find(Boolean) ?? '');
  const names = [...new Set(named.map((name) => (isAbsolute(name) ? relative(ROOT, name) : name)))];
  const mayHold = again !== undefined && names.length > 0 && names.length <= MOST_AGAIN;
  if (!options.live) console.log(mayHold ? first.out.replaceAll(/^/gm, '  first try | ') : first.out);
  if (!mayHold) {
    reasons.push(reasonIn(first.out));
    return counts;
  }
  const titles = [...first.out.matchAll(FAILED_NAME)].map(([, title]) => title);
  console.log(`once more, alone: ${[...names, ...titles].join(', ')}`);
  let second = await shell(again(names, titles), options);
  // A test within a test has no title that node can start it by.
  const ran = Number(second.out.match(/^ℹ pass (\d+)/m)?.[1] ?? 0);
  if (second.ok && ran < titles.length) second = await shell(again(names, []), options);
  if (second.ok) unsteady.push(...names);
  else reasons.push(reasonIn(second.out));
  if (!second.ok && !options.live) console.log(second.out);
  const { failed } = countsIn(second);
  return { ...counts, passed: counts.passed + Math.max(0, counts.failed - failed), failed };
}

/** @param {string} out @returns {string} the start of each failure that node lists; of others, the end of what they said */
function reasonIn(out) {
  const listed = [...out.matchAll(/^✖ failing tests:\n+((?:.*\n){1,12})/gm)].map(([, lines]) =>
    lines.trimEnd(),
  );
  return listed.length > 0 ? listed.join('\n') : out.trimEnd().split('\n').slice(-20).join('\n');
}

/** @param {{ok: boolean, out: string}} outcome @returns {Counts} */
function countsIn({ ok, out }) {
  const sum = (/** @type {RegExp} */ pattern) =>
    [...out.matchAll(pattern)].reduce((n, m) => n + Number(m.slice(1).find(Boolean) ?? 1), 0);
  const counts = {
    passed: sum(/^--- PASS|(\d+) passed;|^ +Tests .*?(\d+) passed|^ℹ pass (\d+)/gm),
    failed: sum(/^--- FAIL|(\d+) failed;|^ +Tests +(\d+) failed|^ℹ (?:fail|cancelled) (\d+)/gm),
    skipped: sum(/^--- SKIP|(\d+) ignored;|^ +Tests .*?(\d+) skipped|^ℹ (?:skipped|todo) (\d+)/gm),
  };
  if (ok && counts.passed + counts.skipped === 0) counts.passed = 1;
  if (!ok) counts.failed = Math.max(1, counts.failed);
  return counts;
}

/**
 * Each file in a process and a folder for temporary files of its own.
 * @param {string[]} files
 * @param {{atOnce?: number, inOrder?: boolean}} [options] `inOrder`: node --test sorts them, and the longest would come last
 * @returns {Promise<Counts>}
 */
function nodeTests(files, { atOnce = 1, inOrder = false } = {}) {
  const titled = (/** @type {string[]} */ titles) =>
    titles.map((title) => ` --test-name-pattern='/^${title.replaceAll(/[^\w ]/g, '.')}$/'`).join('');
  const command = (/** @type {string[]} */ some, n = 1, /** @type {string[]} */ titles = []) =>
    `node --import ./scripts/own-temporary-folder.js --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=./scripts/slowest-files.js --test-reporter-destination=stdout --test-timeout=${MOST_MS} --test-concurrency=${n}${titled(titles)} ${some.join(' ')}`;
  const again = (/** @type {string[]} */ some, /** @type {string[]} */ titles) => command(some, 1, titles);
  if (!inOrder) return holds(command(files, atOnce), { live: true, again });
  return holds(() => inLanes(files, atOnce, (file) => command([file])), { live: true, again });
}

/**
 * @param {string[]} files the next one begins when one has ended
 * @param {number} lanes
 * @param {(file: string) => string} command of a shell
 * @returns {ReturnType<typeof shell>} of all of them; each is shown when it has ended
 */
async function inLanes(files, lanes, command) {
  const left = [...files];
  /** @type {Awaited<ReturnType<typeof shell>>[]} */
  const ended = [];
  const lane = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const one = await shell(command(file));
      process.stdout.write(one.out);
      ended.push(one);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { ok: ended.every((one) => one.ok), out: ended.map((one) => one.out).join('') };
}

/** @param {string} reason @returns {Promise<Counts>} */
async function skip(reason) {
  console.log(`skipped: ${reason}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/** @param {string} pattern of git @returns {Promise<string[]>} files of the checkout */
async function files(pattern) {
  const { out } = await shell(`git ls-files -co --exclude-standard -- ${pattern}`);
  return out.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/**
 * Programs that checks and tests start: from PATH, or unpacked from the distribution's packages.
 * @param {Parameters<typeof import('../lib/setup/needs.js').obtainNeed>[0][]} needs
 */
async function addToPath(needs) {
  const { obtainNeed } = await import('../lib/setup/needs.js');
  for (const need of needs) {
    const result = await obtainNeed(need);
    if (!('found' in result)) continue;
    const { path, env: its } = result.found;
    env.PATH = [env.PATH, dirname(path)].join(delimiter);
    const libraries = [env.LD_LIBRARY_PATH, its.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
    if (libraries !== '') env.LD_LIBRARY_PATH = libraries;
  }
}

/** Real servers for the tests of modules: what the stacks need, and the store of the live view. */
async function addServers() {
  const [{ loadStacks }, { INFLUXD }] = await Promise.all([
    import('../lib/config/stacks.js'),
    import('../lib/setup/setup.js'),
  ]);
  await addToPath([...loadStacks().stacks.flatMap((s) => s.manifest.native?.needs ?? []), INFLUXD]);
}

/** @param {string} folder of a Go module @returns {Promise<Stage[]>} */
async function goStages(folder) {
  // The race detector needs a C compiler; only packages with tests, or all that a program imports is compiled for it, too.
  const race = (await shell('command -v gcc || command -v cc')).ok ? '-race ' : '';
  const test = (run = '') =>
    `go test ${race}-count=1 -v ${run} $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...)`;
  const again = (/** @type {string[]} */ names) => test(`-run '^(${names.join('|')})$'`);
  const tests = (await files(`'${folder}/*_test.go'`)).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  /** @type {Stage} */
  const timed = [`timed go test: ${folder}`, () => holds(test(`-run '${TIMED_GO}'`), { folder, again })];
  return [
    [
      `go vet: ${folder}`,
      () =>
        holds('test -z "$(gofmt -l . | tee /dev/stderr)" && CGO_ENABLED=0 go vet -trimpath ./...', {
          folder,
        }),
    ],
    [`go test: ${folder}`, () => holds(test(`-skip '${TIMED_GO}'`), { folder, again })],
    ...(tests.some((text) => text.includes('func TestTimed')) ? [timed] : []),
  ];
}

/**
 * Each fuzz target for a few seconds, beyond what is kept beside it. `go test -fuzz` would compile all that a package imports
 * once more, all of k6 among it, and link it for each target; to find its way a fuzzer needs to see the package alone.
 * @returns {Promise<Stage[]>}
 */
async function fuzzStages() {
  return (await files("'*_test.go'")).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => {
      const folder = dirname(file);
      const program = join(work, `fuzz-${folder.replaceAll('/', '-')}`);
      const build = `{ [ -e ${program} ] || CGO_ENABLED=0 go test -c -trimpath -gcflags=-d=libfuzzer -o ${program} .; }`;
      const kept = '-test.fuzzcachedir "$(go env GOCACHE)/fuzz/$(go list .)"';
      const run = `${program} -test.run '^$' -test.fuzztime 3s ${kept} -test.fuzz '^${name}$'`;
      // The end of its time can fall into an input, which Go calls a failure. What it really finds it keeps beside the
      // target, and fails by it again.
      const again = () => run;
      return /** @type {Stage} */ ([
        `go fuzz: ${name}`,
        () => holds(`${build} && ${run}`, { folder, again }),
      ]);
    }),
  );
}

/** @param {string} folder of a crate @returns {Stage[]} */
function crateStages(folder) {
  const test = (only = '') => `cargo test --locked --all-features --no-fail-fast ${only}`;
  const again = (/** @type {string[]} */ names) => test(`-- --exact ${names.join(' ')}`);
  const lint = 'cargo fmt --check && cargo clippy --locked --all-features --all-targets -- -D warnings';
  return [
    [`cargo fmt and clippy: ${folder}`, () => holds(lint, { folder })],
    [`cargo test: ${folder}`, () => holds(test(), { folder, again })],
  ];
}

/** @param {string} folder of an npm package within the checkout @returns {Stage[]} its types, and its tests */
function packageStages(folder) {
  const install =
    '{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; } && ';
  const { scripts } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  /** @type {Stage[]} */
  const stages = [];
  if (existsSync(join(ROOT, folder, 'tsconfig.json')))
    stages.push([`types: ${folder}`, () => holds(`${install}tsc -p . --noEmit`, { folder })]);
  if (scripts?.test)
    stages.push([
      `npm test: ${folder}`,
      async () => {
        const { generatorBuild, isBuilt, runBuild } = await import('../lib/setup/builds.js');
        if (!isBuilt(generatorBuild())) await runBuild(generatorBuild());
        const run = `K6='${join(generatorBuild().output, 'k6')}' npm test`;
        const again = (/** @type {string[]} */ names) => `${run} -- ${names.join(' ')}`;
        return holds(install + run, { folder, again });
      },
    ]);
  return stages;
}

/** .ci/run makes those for the tests in containers meanwhile, with the packages of npm. */
async function untilImagesAreMade() {
  const { TEST_IMAGES_PID: making } = process.env;
  if (making) await shell(`while kill -0 ${making} 2>/dev/null; do sleep 1; done`);
}

/** @returns {Promise<Counts>} */
async function inDocker() {
  await untilImagesAreMade();
  const { askDocker } = await import('../lib/docker/answers.js');
  const answer = await askDocker();
  if ('problem' in answer) return skip(`${answer.problem}; to change it: ${answer.hint}`);
  return nodeTests(await files("'lib/e2e/docker/*.test.js'"));
}

/** @param {string} tool @param {string} manifest of its modules @param {(folder: string) => Stage[] | Promise<Stage[]>} stagesOf */
async function modules(tool, manifest, stagesOf) {
  const folders = (await files(`'*/${manifest}'`)).map(dirname).filter((folder) => {
    const below = `${folder}/`.startsWith(`${onlyPath}/`) || onlyPath?.startsWith(`${folder}/`);
    return onlyPath === null || below;
  });
  const stages = (await Promise.all(folders.map(stagesOf))).flat();
  if ((await shell(`command -v ${tool}`)).ok || stages.length === 0) return stages;
  return [
    /** @type {Stage} */ ([`${tool}: ${folders.length} modules`, () => skip(`${tool} is not on PATH`)]),
  ];
}

async function everything() {
  const all = await files("'*.test.js'");
  const inContainers = all.filter((f) => f.startsWith('lib/e2e/docker/'));
  const ends = all.filter(
    (f) => (f.startsWith('lib/e2e/') || f.startsWith('stacks/')) && !inContainers.includes(f),
  );
  const unit = all.filter((f) => !ends.includes(f) && !inContainers.includes(f));
  await addToPath(LINTERS.map((name) => ({ binary: name, debian: name })));
  env.SCRIPTS = (await shell("git grep --untracked -l '^#!' -- '*.sh' .ci/run '*/hooks/*'")).out.replaceAll(
    '\n',
    ' ',
  );
  const isMissing = async (/** @type {string} */ name) =>
    LINTERS.includes(name) && !(await shell(`command -v ${name}`)).ok;
  await inTurn(
    STATIC.map(([name, command]) => [
      name,
      async () => ((await isMissing(name)) ? skip(`no ${name} on PATH or from Debian`) : holds(command)),
    ]),
  );
  if (flags.static) return;
  const units = inTurn([['unit tests', () => nodeTests(unit, { atOnce: availableParallelism() })]]);
  if (!flags.all && !flags.only) {
    await units;
    return inTurn([['end to end, one of each family', () => nodeTests(ONE_EACH)]]);
  }
  await addServers();
  const go = await modules('go', 'go.mod', goStages);
  // The module of the load path asks for times in most of its tests.
  const timed = go.filter(([name]) => name.startsWith('timed ') || name === 'go test: k6/extension');
  const apart = new Set([...TIMED, ...PACED]);
  const patient = [...new Set([...LONGEST, ...ends])].filter((f) => !apart.has(f));
  await Promise.all([
    // One run in containers after another, and each waits for the engine: that takes about as long as all the rest.
    inTurn([['docker', inDocker]]),
    (async () => {
      await units;
      await Promise.all([
        inTurn([
          [
            'servers and ends, beside one another',
            () => nodeTests(patient, { atOnce: availableParallelism() + WAITING, inOrder: true }),
          ],
        ]),
        (async () => {
          // One crate after another: they share a folder of results, and its lock.
          await inTurn(await modules('cargo', 'Cargo.toml', crateStages));
          await inTurn(go.filter((stage) => !timed.includes(stage)));
          await inTurn([...(await modules('npm', 'package.json', packageStages)), ...(await fuzzStages())]);
          await inTurn([['as plain k6', () => holds('node scripts/as-k6.mjs --rates none', { live: true })]]);
        })(),
      ]);
      await inTurn([['paced, two at once', () => nodeTests(PACED, { atOnce: 2, inOrder: true })]]);
    })(),
  ]);
  await inTurn([
    ...timed,
    ['end to end, timed', () => nodeTests(TIMED)],
    ['as plain k6, at a rate', () => holds('node scripts/as-k6.mjs --rates only', { live: true })],
  ]);
}

/** @param {string} path of a test file, or of a folder */
async function testsBelow(path) {
  const own = path.endsWith('.test.js') ? [path] : await files(`'${path}/*.test.js'`);
  if (own.length > 0) await inTurn([[`tests: ${path}`, () => nodeTests(own)]]);
  const stages = [
    ...(await modules('go', 'go.mod', goStages)),
    ...(await modules('cargo', 'Cargo.toml', crateStages)),
  ];
  if (stages.length > 0) await addServers();
  await inTurn(stages.filter(([name]) => name.includes(' test: ')));
}

const [stamp, lock] = ['node_modules/.package-lock.json', 'package-lock.json'].map((f) => join(ROOT, f));
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
// A run that came first installed what it needs itself: the tools of the tests are not among it.
const lacksTools = Object.keys(devDependencies).some((name) => !existsSync(join(ROOT, 'node_modules', name)));
if (lacksTools || !existsSync(stamp) || statSync(stamp).mtimeMs < statSync(lock).mtimeMs) {
  await untilImagesAreMade();
  await inTurn([['npm packages', () => holds('npm ci --no-audit --no-fund --loglevel=error')]]);
}
await (onlyPath === null ? everything() : testsBelow(onlyPath));
if (flags.only && total.passed + total.failed + total.skipped === 0) {
  console.log(`no stage and no path is called "${flags.only}"`);
  total.failed++;
}
rmSync(work, { recursive: true, force: true });
const slowest = took.filter(([, sec]) => sec >= LEAST_SLOW_SEC).sort(([, a], [, b]) => b - a);
if (slowest.length > 0)
  console.log(
    `\ntook longest: ${slowest
      .slice(0, MOST_SLOW)
      .map(([name, sec]) => `${name} ${sec.toFixed(0)} s`)
      .join(', ')}`,
  );
if (unsteady.length > 0) console.log(`\nfailed once and held when run again: ${unsteady.join(', ')}`);
// Once more where who reads only the end finds them.
if (failures.length > 0) console.log(`\nfailed: ${failures.join(', ')}\n\n${reasons.join('\n\n')}`);
console.log(`\n${said(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
