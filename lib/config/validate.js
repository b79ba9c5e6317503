import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { suggest } from './nearest.js';

/** @import { ErrorObject, ValidateFunction } from 'ajv' */

/** @typedef {'stack' | 'profile' | 'workload' | 'result' | 'compare' | 'figures' | 'systems' | 'proven'} SchemaName files of lib/schema */

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  // A command judges a few dozen files: to make the checks faster takes longer than they do.
  code: { optimize: false },
  // For scripts/types.mjs alone.
  keywords: ['tsType'],
});
/** @type {Map<string, ValidateFunction>} */
const compiled = new Map();

/**
 * @param {SchemaName} name
 * @returns {ValidateFunction}
 */
function validator(name) {
  let validate = compiled.get(name);
  if (!validate) {
    const schema = JSON.parse(
      readFileSync(new URL(`../schema/${name}.schema.json`, import.meta.url), 'utf8'),
    );
    validate = ajv.compile(schema);
    compiled.set(name, validate);
  }
  return validate;
}

/** Keywords whose own message only repeats what their parts already said. */
const REPEATING = new Set(['if', 'not', 'anyOf']);

/**
 * @param {SchemaName} name which schema
 * @param {unknown} value
 * @returns {string[]} every problem as `path: what is wrong`; empty when valid
 */
export function schemaProblems(name, value) {
  const validate = validator(name);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter((e) => !REPEATING.has(e.keyword));
  const list = errors.length > 0 ? errors : (validate.errors ?? []);
  return [...new Set(list.map(describe))];
}

/**
 * @param {ErrorObject} error
 * @returns {string}
 */
function describe(error) {
  const at = error.instancePath === '' ? 'top level' : error.instancePath.slice(1).replaceAll('/', '.');
  const { keyword, params } = error;
  if (keyword === 'additionalProperties') {
    const known = Object.keys(/** @type {any} */ (error.parentSchema)?.properties ?? {});
    return `${at}: unknown field "${params.additionalProperty}"; ${suggest(params.additionalProperty, known)}`;
  }
  if (keyword === 'enum') {
    return `${at}: "${error.data}" is not allowed; ${suggest(String(error.data), params.allowedValues)}`;
  }
  if (keyword === 'required') return `${at}: the field "${params.missingProperty}" is missing`;
  if (keyword === 'oneOf') {
    const choices = /** @type {any} */ (error.schema ?? []).flatMap(
      (/** @type {any} */ s) => s.required ?? [],
    );
    return `${at}: needs exactly one of ${choices.join(', ')}`;
  }
  return `${at}: ${error.message}`;
}
