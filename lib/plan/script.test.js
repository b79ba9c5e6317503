import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cellsOf } from '../config/trials.js';
import { readOptions } from '../options.js';
import { createPlan } from './plan.js';
import { readScript, stacksOfScript, valuesForResume } from './script.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-script-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'My shop.js');
writeFileSync(file, 'export default function () {}\n');

/** @param {string[]} argv */
function scriptOf(...argv) {
  return readScript(readOptions(argv).options);
}

/** @param {string[]} argv */
function planOf(...argv) {
  const script = /** @type {NonNullable<ReturnType<typeof scriptOf>>} */ (scriptOf(...argv));
  return createPlan({
    runId: 'run',
    profileId: 'script',
    profile: script.profile,
    repeats: 2,
    systems: script.systems,
    absent: [],
    workloads: [script.facts],
    stacks: script.stacks,
    options: {
      endpoints: script.options.endpoints,
      ports: {},
      generatorCpus: null,
      live: false,
      script: script.options.script,
    },
    hostCores: 2,
  });
}

test('a script is a workload of one cell for each target, number of users and repeat', () => {
  const plan = planOf(
    '--script',
    file,
    '--steps',
    '1,20',
    '--step-duration',
    '3s',
    '--endpoint',
    'a=http://x:1',
  );
  assert.deepEqual(
    cellsOf(plan).map((c) => c.id),
    [
      'my-shop.script.a.c1.r1',
      'my-shop.script.a.c20.r1',
      'my-shop.script.a.c1.r2',
      'my-shop.script.a.c20.r2',
    ],
  );
  const own = planOf('--script', file);
  assert.deepEqual(
    own.systems.map((s) => [s.id, s.endpoint]),
    [['target', undefined]],
    'without an endpoint the script knows what it addresses',
  );
});

test('at a rate a step is a number of iterations a second, and its users are there for iterations of a second', () => {
  const script = scriptOf('--script', file, '--rate', '5,100,5000', '--by', 'name');
  assert.deepEqual(
    script?.profile.steps.map(({ id, model, ratePerSec, vus }) => [id, model, ratePerSec, vus]),
    [
      ['rate5', 'open', 5, 10],
      ['rate100', 'open', 100, 100],
      ['rate5000', 'open', 5000, 1000],
    ],
  );
  assert.equal(script?.options.script.by, 'name');
  assert.equal(script?.profile.title, 'The script My shop.js, at 5, 100, 5000 iterations a second');
});

test('two scripts on one endpoint are two systems in turns, by their names, or by their folders where these are alike', () => {
  const other = join(folder, 'b.js');
  writeFileSync(other, 'export default function () {}\n');
  const url = 'a=http://127.0.0.1:1';
  const script = scriptOf('--compare-scripts', file, other, '--endpoint', url, '--watch', 'a');
  assert.deepEqual(
    script?.systems.map((s) => [s.id, s.title, s.endpoint]),
    [
      ['my-shop', 'My shop.js', 'http://127.0.0.1:1'],
      ['b', 'b.js', 'http://127.0.0.1:1'],
    ],
  );
  assert.deepEqual(
    Object.values(script?.options.scripts ?? {}).map((s) => s.path),
    [file, other],
  );
  assert.deepEqual([script?.profile.repeats, script?.options.watch], [5, { 'my-shop': [], b: [] }]);
  mkdirSync(join(folder, 'v2'));
  const newer = join(folder, 'v2', 'b.js');
  writeFileSync(newer, 'export default function () {}\n');
  const alike = scriptOf('--compare-scripts', other, newer);
  assert.deepEqual(
    alike?.systems.map((s) => [s.id, s.title.split('/').at(-2) === 'v2']),
    [
      ['b-1', false],
      ['b-2', true],
    ],
  );
});

test('values of variables stand in no plan, however k6 lets them be written', () => {
  const words = [
    '-e',
    'LB_A=s3cret',
    '--env=LB_B=x=y',
    '-eLB_C=1',
    '-ve=LB_D=2',
    '-e',
    'LB_E',
    '--tag',
    '-e=b',
  ];
  const script = scriptOf('--script', file, '--', ...words);
  assert.deepEqual(script?.options.script.k6Options, ['-v', '--tag', '-e=b']);
  assert.deepEqual(script?.values, { LB_A: 's3cret', LB_B: 'x=y', LB_C: '1', LB_D: '2', LB_E: '' });
  const plan = planOf('--script', file, '--', ...words);
  assert.doesNotMatch(JSON.stringify(plan), /s3cret/);
  assert.throws(() => stacksOfScript(plan, {}), /was given the variable LB_A/);
  assert.equal(stacksOfScript(plan, script?.values ?? {}).length, 1);
  assert.deepEqual(valuesForResume({ k6: ['-e', 'LB_A=1'] }), { LB_A: '1' });
  assert.throws(() => valuesForResume({ k6: ['--rps', '1'] }), /goes on with the options/);
});

test('a run goes on with the script that it began with, or not at all', () => {
  const other = join(folder, 'other.js');
  writeFileSync(other, 'export default function () {}\n');
  const plan = planOf('--script', other);
  assert.deepEqual(
    stacksOfScript(plan, {}).map((s) => s.id),
    ['target'],
  );
  writeFileSync(other, 'export default function () { throw 1 }\n');
  assert.throws(() => stacksOfScript(plan, {}), /is not the script that the run began with/);
});

test('what does not go with a script is told in one line', () => {
  for (const [argv, message] of /** @type {[string[], RegExp][]} */ ([
    [['--script', join(folder, 'none.js')], /none\.js: there is no such file/],
    [['--script', folder], /not a file/],
    [['--script', file, '--systems', 'a'], /--systems works with a profile, not with --script/],
    [['smoke', '--script', file], /a profile and --script: give only one of them/],
    [
      ['smoke', '--', '--tag', 'a=b'],
      /what follows "--" works with --script and --resume, not with a profile/,
    ],
    [['smoke', '--force'], /--force works with --resume, not with a profile/],
    [['smoke', '--resume', 'latest'], /a profile and --resume: give only one of them/],
    [
      ['--resume', 'latest', '--repeats', '3'],
      /--repeats works with a profile and --script, not with --resume/,
    ],
    [['--script', file, '--', '--vus', '3'], /"--vus" after "--"/],
    [['--script', file, '--', '-i5'], /"-i5" after "--"/],
    [['--script', file, '--', '-d1s'], /"-d1s" after "--"/],
    [['--script', file, '--', '-vi=5'], /"-i=5" after "--"/],
    [['--script', file, '--', '--tag', 'a=b', '-u=3'], /"-u=3" after "--"/],
    [['--script', file, '--', '--stage', '1s:1'], /"--stage" after "--"/],
    [['--script', file, '--', 'other.js'], /"other.js" after "--" is not an option/],
    [['--script', file, '--', '-e', 'A-B=1'], /letters, digits/],
    [['--script', file, '--', '-o', 'json=x'], /before the "--"/],
    [['--script', file, '--', '-ojson=x'], /before the "--"/],
    [['--script', file, '--steps', '1,1'], /1 stands there twice/],
    [['--script', file, '--steps', '0'], /needs a whole number/],
    [['--script', file, '--step-duration', '3'], /needs a duration/],
    [['--script', file, '--rate', '10', '--steps', '5'], /--rate and --steps contradict each other/],
    [['--script', file, '--rate', '10', '--', '--rps', '5'], /--rate and "--rps" after "--" contradict/],
    [['--script', file, '--rate', '10', '--', '--rps=5'], /contradict each other/],
    [['--script', file, '--rate', '10', '--', '--vus', '5'], /"--vus" after "--"/],
    [['--script', file, '--rate', '0.5'], /needs a whole number/],
    [['--script', file, '--rate', '10,10'], /10 stands there twice/],
    [['smoke', '--rate', '10'], /--rate works with --script, not with a profile/],
    [['--script', file, '--by', 'a b'], /not the name of a tag/],
    [['--compare-scripts', file], /needs two scripts, and was given 1/],
    [['--compare-scripts', file, join(folder, 'none.js')], /none\.js: there is no such file/],
    [['--script', file, '--compare-scripts', file, file], /contradict each other/],
    [
      ['--compare-scripts', file, file, '--endpoint', 'a=http://x', '--endpoint', 'b=http://y'],
      /takes one --endpoint, and was given 2/,
    ],
    [['--script', file, '--endpoint', 'http://x'], /write name=url/],
    [['--script', file, '--endpoint', 'a=x'], /not a URL/],
    [['--script', file, '--endpoint', 'a=http://u:p@x'], /a password would stand in the report/],
    [['--script', file, '--endpoint', 'a=http://x', '--endpoint', 'a=http://y'], /stands there twice/],
  ]))
    assert.throws(() => scriptOf(...argv), message, argv.join(' '));
  assert.equal(scriptOf('smoke'), null);
});
