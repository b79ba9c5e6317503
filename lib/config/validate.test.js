import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { ROOT } from '../paths.js';
import { suggest } from './nearest.js';
import { schemaProblems } from './validate.js';
import { loadWorkloads } from './workloads.js';

/** @import { ErrorObject } from 'ajv' */
/** @import { SchemaName } from './validate.js' */

const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const below = (/** @type {string} */ folder, /** @type {RegExp} */ name) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((f) => name.test(f) && !f.includes('node_modules'))
    .map((f) => read(join(folder, f)));

const system = {
  ...{ system: 'one', state: 'ready', ways: ['native'], origin: 'upstream', missing: null, takes: null },
  ...{ workloads: ['counters'], seen: 'native 1.0' },
};

/** What the suite itself holds against each schema. @type {Partial<Record<SchemaName, any[]>>} */
const VALUES = {
  stack: below('stacks', /stack\.json$/),
  profile: below('profiles', /\.json$/),
  proven: below('stacks', /proven\.json$/),
  workload: (await loadWorkloads()).flatMap(({ id: _, file: __, data, ...facts }) => (data ? [] : [facts])),
  data: below('k6', /(examples|workloads).*\.json$/),
  result: below('lib/report/testdata', /records\.json$/).flatMap((records) =>
    Object.values(records).slice(0, 3),
  ),
  systems: [{ schemaVersion: 1, systems: [system] }],
};

/** In place of every part of a value, one after another. */
const OTHERS = [
  null,
  true,
  -1,
  0,
  0.5,
  1e6,
  '',
  'Not so!',
  'x'.repeat(300),
  [],
  ['a', 'a'],
  [{}],
  {},
  { a: 1 },
];

/**
 * @param {any} value
 * @returns {Generator<any>} copies of it, each changed in one place
 */
function* mutants(value) {
  for (const other of OTHERS) yield other;
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { ...value, unknown: 1 };
  for (const key of Object.keys(value)) {
    const copy = () => (Array.isArray(value) ? [...value] : { ...value });
    const less = copy();
    if (Array.isArray(less)) less.splice(Number(key), 1);
    else delete less[key];
    yield less;
    for (const changed of mutants(/** @type {any} */ (value)[key]))
      yield Object.assign(copy(), { [key]: changed });
  }
}

/** @param {ErrorObject} error */
function wordsOf({ instancePath, keyword, params, parentSchema, schema, data, message }) {
  const at = instancePath === '' ? 'top level' : instancePath.slice(1).replaceAll('/', '.');
  /** @type {Record<string, () => string>} */
  const own = {
    additionalProperties: () =>
      `unknown field "${params.additionalProperty}"; ${suggest(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))}`,
    enum: () => `"${data}" is not allowed; ${suggest(String(data), params.allowedValues)}`,
    required: () => `the field "${params.missingProperty}" is missing`,
    oneOf: () =>
      `needs exactly one of ${/** @type {any[]} */ (schema).flatMap((s) => s.required ?? []).join(', ')}`,
    not: () => /** @type {any} */ (schema).description ?? message,
    uniqueItems: () =>
      `the items ${Math.min(params.i, params.j)} and ${Math.max(params.i, params.j)} are the same`,
  };
  return `${at}: ${own[keyword]?.() ?? message}`;
}

/** @param {import('ajv').ValidateFunction} validate @param {any} value */
function problemsByAjv(validate, value) {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const telling = errors.filter((e) => !['if', 'not', 'anyOf'].includes(e.keyword));
  return [...new Set((telling.length > 0 ? telling : errors).map(wordsOf))];
}

const ajv = new Ajv({
  ...{ allErrors: true, verbose: true, strict: true, allowUnionTypes: true },
  ...{ strictTypes: false, strictRequired: false, keywords: ['tsType'] },
});

test('every schema is one that a full validator takes in strict mode', () => {
  for (const name of readdirSync(join(ROOT, 'lib/schema'))) ajv.compile(read(`lib/schema/${name}`));
});

for (const [name, values] of Object.entries(VALUES)) {
  test(`of what is changed in one place, a full validator finds the same problems: ${name}`, () => {
    const validate = ajv.getSchema(read(`lib/schema/${name}.schema.json`).$id);
    assert.ok(validate && values.length > 0);
    let tried = 0;
    let refused = 0;
    for (const value of values) {
      assert.deepEqual(schemaProblems(/** @type {SchemaName} */ (name), value), []);
      // Of the largest ones a part: whole, they take minutes and hold the same fields again and again.
      const all = [...mutants(value)];
      const each = Math.ceil(all.length / 600);
      for (const changed of all.filter((_, i) => i % each === 0)) {
        const expected = problemsByAjv(validate, changed).sort();
        assert.deepEqual(schemaProblems(/** @type {SchemaName} */ (name), changed).sort(), expected);
        tried++;
        refused += Number(expected.length > 0);
      }
    }
    assert.ok(tried > 200 && refused > tried / 4, `${refused} of ${tried} are refused`);
  });
}
