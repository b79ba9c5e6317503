import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { loadProfile } from '../lib/config/profiles.js';
import { loadStacks } from '../lib/config/stacks.js';
import { readOptions } from '../lib/options.js';
import { ROOT } from '../lib/paths.js';
import { PLATFORMS } from './release.js';

const text = readFileSync(join(ROOT, '.github/workflows/weekly.yml'), 'utf8');
const DASHBOARDS = join(ROOT, 'stacks/_shared/grafana/dashboards');
const { jobs, on, permissions } = parse(text);
const { steps, strategy } = jobs.smoke;
/** @type {{family: string, systems: string, workloads: string}[]} */
const families = strategy.matrix.include;
const { stacks } = loadStacks();
const systems = stacks.filter((s) => s.id === s.base && !s.id.startsWith('_'));

/** @param {typeof families[number]} family @returns {string[]} the command line of a job */
function commandOf(family) {
  const [command] = steps.flatMap((/** @type {any} */ s) =>
    s.run?.startsWith('./run-all.sh') ? [s.run] : [],
  );
  const filled = command.replaceAll(
    /\$\{\{ matrix\.(\w+) \}\}/g,
    (/** @type {string} */ _, /** @type {string} */ name) =>
      /** @type {Record<string, string>} */ (family)[name],
  );
  return filled.trim().split(/\s+/).slice(1);
}

test('every family names a profile, workloads and systems that exist, and systems that have the workloads in containers', () => {
  for (const family of families) {
    const { words, options } = readOptions(commandOf(family));
    assert.ok(loadProfile(words[0]), words[0]);
    assert.equal(options.engine, 'docker');
    for (const id of options.systems ?? []) {
      const stack = systems.find((s) => s.id === id);
      assert.ok(stack, `${family.family}: no system "${id}"`);
      assert.ok(stack.manifest.docker, `${id} does not run in containers`);
      for (const workload of options.workloads ?? [])
        assert.ok(stack.manifest.workloads[workload], `${id} has no workload "${workload}"`);
    }
  }
});

test('every system that a registry or this checkout has an image of is in every one of its families', () => {
  const missing = systems
    .filter((s) => !Object.values(s.manifest.docker?.images ?? {}).some((i) => i.endsWith(':unpublished')))
    .flatMap((s) =>
      Object.keys(s.manifest.workloads)
        .filter(
          (w) =>
            !families.some((f) => f.systems.split(',').includes(s.id) && f.workloads.split(',').includes(w)),
        )
        .map((w) => `${s.id}: ${w}`),
    );
  assert.deepEqual(missing, []);
});

test('by hand it starts every profile but those of whose images nobody has any, and pictures dashboards that there are', () => {
  const said = jobs.compose.steps.map((/** @type {any} */ step) => step.run ?? '').join('\n');
  const left = /grep -vxE '([^']+)'/.exec(said)?.[1].split('|');
  const unpublished = systems
    .filter((s) => Object.values(s.manifest.docker?.images ?? {}).some((i) => i.endsWith(':unpublished')))
    .map((s) => s.id);
  assert.deepEqual(left?.sort(), ['generator', ...unpublished].sort());
  const boards = readdirSync(DASHBOARDS).map(
    (name) => JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')).uid,
  );
  assert.deepEqual(/for board in ([^;]+);/.exec(said)?.[1].split(' ').sort(), boards.sort());
  const [line] = said.split('\n').filter((/** @type {string} */ l) => l.startsWith('./run-all.sh'));
  const { words, options } = readOptions(line.split(' ').slice(1));
  assert.ok(loadProfile(words[0]) && options.live);
  for (const id of options.systems ?? [])
    assert.ok(
      systems.some((s) => s.id === id),
      id,
    );
});

test('it runs weekly, may read alone, and keeps what was measured whatever came of it', () => {
  assert.match(on.schedule[0].cron, /^\d+ \d+ \* \* [0-6]$/);
  assert.deepEqual(permissions, { contents: 'read' });
  for (const job of Object.values(jobs)) {
    const last = /** @type {any} */ (job).steps.at(-1);
    assert.match(last.uses, /^actions\/upload-artifact@/);
    assert.equal(last.if, 'always()');
    assert.ok(/** @type {any} */ (job)['timeout-minutes'] > 0);
  }
  const reports = commandOf(families[0]).at(commandOf(families[0]).indexOf('--reports') + 1);
  assert.equal(steps.at(-1).with.path, reports);
  assert.equal(strategy['fail-fast'], false);
});

test('what the lock files pin is held against databases that all have to answer, and its bill is kept', () => {
  const commands = jobs.audit.steps.flatMap((/** @type {any} */ s) => s.run ?? []);
  const [, script, flags] = /^npm run (\w+) -- (.*)$/.exec(commands.at(-1)) ?? [];
  assert.ok(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts[script]);
  const { values } = parseArgs({
    args: flags.split(' '),
    options: { sbom: { type: 'string' }, strict: { type: 'boolean' } },
  });
  assert.equal(values.strict, true);
  assert.equal(jobs.audit.steps.at(-1).with.path, values.sbom);
});

const workflows = readdirSync(join(ROOT, '.github/workflows')).map((name) => ({
  name,
  text: readFileSync(join(ROOT, '.github/workflows', name), 'utf8'),
}));

test('every action is pinned by a full commit, with its version beside it', () => {
  for (const { name, text } of workflows) {
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    assert.ok(uses.length > 0, name);
    for (const line of uses) assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

test('what a workflow may do beyond reading is said of the job that does it', () => {
  for (const { name, text } of workflows)
    assert.deepEqual(parse(text).permissions, { contents: 'read' }, name);
});

test('a change is tried on every version of Node.js that the README names, and on the oldest', () => {
  const { test } = parse(readFileSync(join(ROOT, '.github/workflows/test.yml'), 'utf8')).jobs;
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, named] = /on Node\.js ((?:\d+, )+\d+ and \d+)/.exec(readme) ?? [];
  assert.deepEqual(named?.match(/\d+/g)?.map(Number), test.strategy.matrix.node);
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.equal(engines.node, `>=${test.strategy.matrix.node[0]}`);
});

test('a release is built for each of its platforms, and what it calls is there', () => {
  const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'));
  const built = jobs.build.strategy.matrix.include.flatMap((/** @type {any} */ m) => m.platforms.split(','));
  assert.deepEqual([...new Set(built)].sort(), [...PLATFORMS].sort());
  const scripts = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
  for (const job of Object.values(jobs))
    for (const { run = '' } of /** @type {any} */ (job).steps)
      for (const [, script] of run.matchAll(/npm run ([\w:]+)/g)) assert.ok(scripts[script], script);
});
