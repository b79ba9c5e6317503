import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { loadProfile } from '../config/profiles.js';
import { loadStacks } from '../config/stacks.js';
import { cellsOf } from '../config/trials.js';
import { loadWorkloads } from '../config/workloads.js';
import { parseEndpoint } from '../engines/endpoint.js';
import { readOptions } from '../options.js';
import { generatorOptions } from '../plan/generators.js';
import { createPlan } from '../plan/plan.js';
import { manifestsOf } from './manifests.js';
import { measureVerb } from './measure.js';

const NONE = readOptions([]).options;

const schema = JSON.parse(
  readFileSync(new URL('../kubernetes/testdata/testrun.schema.json', import.meta.url), 'utf8'),
);
const validate = new Ajv({ allErrors: true }).compile(schema);
/** @param {any} document @returns {boolean} */
const isTestRun = (document) => validate(document);
const { stacks } = loadStacks();
const workloads = (await loadWorkloads()).filter((w) => w.id === 'counters');
const stack = /** @type {import('../types.d.ts').Stack} */ (
  stacks.find((s) => !s.id.startsWith('_') && s.manifest.workloads.counters)
);
const ID = stack.id;
const SCHEME = stack.manifest.endpoint.url.split(':')[0];
const URL_OF_PODS = `${SCHEME}://db.load.svc:6379`;

/** @param {{profile: string, endpoint?: string, wish?: Partial<import('../options.js').Options>}} options */
function planOf({ profile, endpoint = URL_OF_PODS, wish = {} }) {
  const on = { ...NONE, generators: 4, on: /** @type {const} */ ('kubernetes'), renderOnly: true, ...wish };
  const system = {
    ...{ id: ID, title: 'A', origin: 'vendor', engine: 'external', role: 'system' },
    ...{ endpoint: parseEndpoint(stack, endpoint).url, durability: stack.manifest.durability },
    ...{ settings: {}, provenance: 'given' },
  };
  return createPlan({
    ...{ runId: '2026-11-23T11-00-00Z-run', profileId: profile, profile: loadProfile(profile), repeats: 1 },
    ...{ systems: [/** @type {any} */ (system)], absent: [], workloads, stacks, hostCores: 2 },
    options: { endpoints: {}, ports: {}, generatorCpus: null, live: false, generators: generatorOptions(on) },
  });
}

/**
 * @param {string} text
 * @returns {any[]}
 */
function documentsIn(text) {
  return text
    .split(/^---$/m)
    .map((document) => document.replace(/^#.*$/gm, '').trim())
    .filter((document) => document !== '')
    .map((document) => JSON.parse(document));
}

/** @param {any} testRun @returns {Record<string, any>} */
const variablesIn = (testRun) =>
  Object.fromEntries(testRun.spec.runner.env.map((/** @type {any} */ v) => [v.name, v.value ?? v.valueFrom]));

test('what a cluster is asked for is a TestRun for each cell, of fields that the operator knows', () => {
  const plan = planOf({ profile: 'ladder', wish: { generatorCpus: 2 } });
  const documents = documentsIn(manifestsOf(plan, stacks, 'load'));
  const [scripts, ...testRuns] = documents;
  const cells = cellsOf(plan);
  assert.equal(testRuns.length, cells.length);
  assert.equal(new Set(documents.map((d) => d.metadata.name)).size, documents.length);
  for (const [i, testRun] of testRuns.entries()) {
    assert.ok(isTestRun(testRun), JSON.stringify(validate.errors));
    const { metadata, spec } = testRun;
    assert.equal(metadata.namespace, 'load');
    assert.equal(metadata.annotations['ladderbench/cell'], cells[i].id);
    assert.equal(spec.parallelism, Math.min(4, cells[i].step.vus), 'no runner without a user');
    assert.equal(spec.paused, 'true');
    const { runner } = spec;
    assert.deepEqual(runner.resources.requests, runner.resources.limits);
    assert.equal(runner.resources.limits.cpu, '2');
    assert.deepEqual(runner.topologySpreadConstraints[0].labelSelector.matchLabels, {
      k6_cr: metadata.name,
      runner: 'true',
    });
    const variables = variablesIn(testRun);
    assert.equal(variables.RUNNERS, String(spec.parallelism));
    assert.equal(variables.BURST_LOOPS, '2');
    assert.equal(variables.BASE_URL, URL_OF_PODS);
    assert.deepEqual(JSON.parse(variables.STEP_JSON), cells[i].step);
    const { name, items } = runner.volumes[0].configMap;
    assert.equal(name, scripts.metadata.name);
    const inPod = items.map((/** @type {any} */ f) => `/ladderbench/${f.path}`);
    for (const file of [spec.script.localFile, variables.PROFILE_FILE, `${variables.STACK_FOLDER}/client.js`])
      assert.ok(inPod.includes(file), file);
    assert.deepEqual(items.map((/** @type {any} */ f) => f.key).sort(), Object.keys(scripts.data).sort());
  }
  assert.equal(scripts.kind, 'ConfigMap');
  assert.deepEqual(JSON.parse(scripts.data[Object.keys(scripts.data).at(-1) ?? '']), plan.profile);
});

test('a field that the operator does not know, or a number that it wants as a text, is no TestRun', () => {
  const [, testRun] = documentsIn(manifestsOf(planOf({ profile: 'smoke' }), stacks, null));
  assert.ok(isTestRun(testRun), JSON.stringify(validate.errors));
  assert.equal('namespace' in testRun.metadata, false, 'that of the context');
  const changed = (/** @type {object} */ runner, spec = {}) => ({
    ...testRun,
    spec: { ...testRun.spec, runner: { ...testRun.spec.runner, ...runner }, ...spec },
  });
  assert.equal(isTestRun(changed({ nodeSpread: {} })), false);
  assert.equal(isTestRun(changed({ env: [{ name: 'A', value: 1 }] })), false);
  assert.equal(isTestRun(changed({}, { paused: true })), false);
  assert.equal(isTestRun(changed({}, { parallelism: '4' })), false);
});

test('a rate that takes its share of what is measured before it is known to nobody yet', () => {
  const plan = planOf({ profile: 'load' });
  const text = manifestsOf(plan, stacks, null);
  const open = cellsOf(plan).filter((c) => c.step.model === 'open');
  assert.ok(open.length > 0);
  for (const { id } of open) assert.match(text, new RegExp(`^# ${id}: left out, its rate is a share`, 'm'));
  const named = documentsIn(text).map((d) => d.metadata.annotations['ladderbench/cell']);
  assert.deepEqual(
    open.filter(({ id }) => named.includes(id)),
    [],
  );
});

test('a password is in no manifest: the pods have it of a Secret', () => {
  const endpoint = `${SCHEME}://user:s3cret@db.load.svc:6379`;
  const text = manifestsOf(planOf({ profile: 'smoke', endpoint }), stacks, null);
  assert.doesNotMatch(text, /s3cret/);
  const [, testRun] = documentsIn(text);
  assert.ok(isTestRun(testRun), JSON.stringify(validate.errors));
  const { secretKeyRef } = variablesIn(testRun).LADDERBENCH_USERINFO;
  assert.match(secretKeyRef.name, /^lb-[0-9a-f]{10}-login-1$/);
  assert.equal(secretKeyRef.key, 'userinfo');
});

test('--render-only prints for given addresses alone; what it cannot print is one line', async () => {
  /** @type {string[]} */
  const results = [];
  /** @type {any} */
  const output = { say() {}, result: (/** @type {string} */ text) => results.push(text) };
  const render = {
    ...NONE,
    generators: 2,
    on: /** @type {const} */ ('kubernetes'),
    workloads: ['counters'],
    renderOnly: true,
  };
  const endpoint = [`${ID}=${URL_OF_PODS}`];
  assert.equal(await measureVerb('smoke', { ...render, endpoint }, output), 0);
  const kinds = documentsIn(results[0]).map((d) => d.kind);
  assert.deepEqual([kinds[0], ...new Set(kinds.slice(1))], ['ConfigMap', 'TestRun']);
  for (const [asked, why] of /** @type {[typeof NONE, RegExp][]} */ ([
    [render, /loads systems by their address, and none was given$/],
    [{ ...render, endpoint: [`${ID}=${SCHEME}://localhost:6379`] }, /in a pod, that is the pod itself$/],
    [{ ...NONE, renderOnly: true }, /^--render-only needs --on kubernetes/],
    [{ ...render, endpoint, namespace: 'No_Name' }, /^--namespace No_Name: /],
  ]))
    await assert.rejects(
      () => measureVerb('smoke', asked, output),
      (e) => e instanceof Error && why.test(e.message) && /** @type {any} */ (e).exitCode === 2,
      String(why),
    );
});
