import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { runTool } from '../process/tool.js';
import { runCommand, systemsOf, temporaryFolder } from './harness.js';

/**
 * Our TestRuns against the definition that the operator publishes, out of its module, in the version that
 * lib/kubernetes/testdata was written from.
 */
const OPERATOR = 'github.com/grafana/k6-operator@v1.6.0';
const DEFINITION = 'config/crd/bases/k6.io_testruns.yaml';

/**
 * A cluster drops a field that the definition does not have without a word: here it is a fault.
 * @param {any} schema of an OpenAPI definition
 * @returns {any}
 */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== 'object') return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const closed = schema.type === 'object' && schema.properties && schema.additionalProperties === undefined;
  return closed ? { ...inside, additionalProperties: false } : inside;
}

test('what a cluster is asked for holds against the published definition of the resource', async (t) => {
  const folder = temporaryFolder();
  const got = await runTool(['go', 'mod', 'download', '-json', OPERATOR], {
    cwd: folder,
    timeoutMs: 120_000,
  });
  const { Dir: module, Error: problem } = got.stdout.startsWith('{') ? JSON.parse(got.stdout) : {};
  if (!module) return t.skip(`${OPERATOR} cannot be had: ${problem ?? got.stderr}`.replaceAll(/\s+/g, ' '));
  const { spec } = parse(readFileSync(join(module, DEFINITION), 'utf8'));
  const version = spec.versions.find((/** @type {any} */ v) => v.name === 'v1alpha1');
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
    strict(version.schema.openAPIV3Schema),
  );

  const [stack] = systemsOf('counters');
  const endpoint = `${stack.id}=${stack.manifest.endpoint.url.split(':')[0]}://user:s3cret@db.load.svc:6379`;
  const { code, stdout, stderr } = await runCommand([
    ...['ladder', '--workloads', 'counters', '--generators', '3', '--on', 'kubernetes', '--render-only'],
    ...['--endpoint', endpoint, '--namespace', 'load'],
  ]);
  assert.equal(code, 0, stderr);
  const testRuns = stdout
    .split(/^---$/m)
    .map((document) => JSON.parse(document.replace(/^#.*$/gm, '')))
    .filter(({ kind }) => kind === 'TestRun');
  assert.ok(testRuns.length > 1);
  for (const testRun of testRuns) assert.ok(validate(testRun), JSON.stringify(validate.errors));

  const [{ spec: own, ...rest }] = testRuns;
  for (const wrong of [
    { ...own, parallelism: '3' },
    { ...own, runner: { ...own.runner, nodeSpread: {} } },
    { ...own, runner: { ...own.runner, env: [{ name: 'A', value: 1 }] } },
  ])
    assert.equal(validate({ ...rest, spec: wrong }), false, 'a field of another name or kind is refused');
});
