/** A machine without Go or Rust, and a release: our programs come from there, and nowhere else where `--build` is given. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { create } from 'tar';
import { which } from '../process/tool.js';
import { generatorBuild, isBuilt, RELEASE, runBuild } from '../setup/builds.js';
import { archiveName } from '../setup/releases.js';
import {
  addSystem,
  newestRun,
  nothingIsLeft,
  responder,
  runCommand,
  shortProfile,
  temporaryFolder,
} from './harness.js';

const folder = temporaryFolder();
const stacks = join(folder, 'stacks');
const release = join(folder, 'release');
const PATH = String(process.env.PATH)
  .split(delimiter)
  .filter((p) => ['go', 'cargo'].every((tool) => which(join(p, tool)) === null))
  .join(delimiter);
const skip =
  ['node', 'sh', 'ps'].some((tool) => !PATH.split(delimiter).some((p) => which(join(p, tool)))) &&
  'Go lies beside what else is needed';

/**
 * @param {string} name of cache and reports
 * @param {string[]} [flags]
 */
function run(name, flags = []) {
  const reports = join(folder, name);
  const profile = shortProfile(folder, {
    warmupSec: 0,
    steps: [{ id: 'c2', model: 'closed', vus: 2, durationSec: 3 }],
  });
  const env = { PATH, LADDERBENCH_RELEASES: release, LADDERBENCH_CACHE: join(folder, `${name}-cache`) };
  const args = [
    profile,
    '--stacks',
    stacks,
    '--systems',
    'honest',
    '--no-live',
    '--reports',
    reports,
    ...flags,
  ];
  return { reports, ended: runCommand(args, { env }) };
}

test('without Go a run takes k6 from a release, and with --build, or where its sum is wrong, it says what is missing', {
  skip,
}, async () => {
  addSystem(stacks, 'honest');
  mkdirSync(release);
  const sums = [];
  for (const [build, starts] of /** @type {const} */ ([
    [generatorBuild(), ['k6', 'version']],
    [responder().build, ['null', '--version']],
  ])) {
    if (!isBuilt(build)) await runBuild(build);
    const content = join(folder, starts[0]);
    cpSync(build.output, content, { recursive: true });
    writeFileSync(join(content, RELEASE), JSON.stringify({ starts }));
    const file = join(release, archiveName(build));
    create({ sync: true, gzip: { level: 1 }, cwd: content, file }, [starts[0], RELEASE]);
    sums.push(`${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${archiveName(build)}\n`);
  }
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));

  const taken = run('taken');
  const { code, stderr } = await taken.ended;
  assert.ok(code === 0 || code === 4, stderr);
  assert.match(stderr, /k6 with extensions +from a release, checksum verified/);
  assert.doesNotMatch(stderr, /building/);
  const [{ operations }] = newestRun(taken.reports).records;
  assert.ok(Object.values(operations).some((o) => Number(o.count) > 100));

  const built = await run('built', ['--build']).ended;
  assert.equal(built.code, 2, built.stderr);
  assert.match(built.stderr, /"go" is not on PATH/);
  assert.doesNotMatch(built.stderr, /release/);

  const [first] = sums;
  writeFileSync(join(release, 'SHA256SUMS'), `${first[0] === '0' ? '1' : '0'}${first.slice(1)}${sums[1]}`);
  const wrong = await run('wrong').ended;
  assert.equal(wrong.code, 2, wrong.stderr);
  assert.match(wrong.stderr, /k6 with extensions +not from the release, so it is built: its checksum is/);
  assert.match(wrong.stderr, /"go" is not on PATH/);
});

after(() => nothingIsLeft(folder));
