import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { suggest } from './nearest.js';

/** @typedef {'stack' | 'profile' | 'workload' | 'data' | 'result' | 'compare' | 'figures' | 'index' | 'systems' | 'proven' | 'run'} SchemaName files of lib/schema */

/**
 * One problem of a value. `repeats`: it only says that one of its parts has a problem.
 * @typedef {{at: string, text: string, repeats?: boolean}} Problem
 */

/** @type {Map<string, any>} */
const schemas = new Map();

/** @param {SchemaName} name */
function schemaOf(name) {
  const schema =
    schemas.get(name) ??
    JSON.parse(readFileSync(new URL(`../schema/${name}.schema.json`, import.meta.url), 'utf8'));
  schemas.set(name, schema);
  return schema;
}

/**
 * Reads the schemas as they are: to compile them takes longer than most commands do, and needs a package. A test holds it
 * against a full validator of JSON Schema.
 * @param {SchemaName} name which schema
 * @param {unknown} value
 * @returns {string[]} every problem as `path: what is wrong`; empty when valid
 */
export function schemaProblems(name, value) {
  const root = schemaOf(name);
  return told(problemsOf(value, root, root, ''));
}

/**
 * @param {SchemaName} name
 * @param {string} part one of its definitions
 * @param {unknown} value
 * @returns {string[]} as of {@link schemaProblems}
 */
export function partProblems(name, part, value) {
  const root = schemaOf(name);
  return told(problemsOf(value, root.definitions[part], root, ''));
}

/** @param {Problem[]} all @returns {string[]} */
function told(all) {
  const own = all.filter((p) => !p.repeats);
  return [...new Set((own.length > 0 ? own : all).map(({ at, text }) => `${at || 'top level'}: ${text}`))];
}

/**
 * @param {any} value
 * @param {any} schema
 * @param {any} root whose definitions `$ref` names
 * @param {string} at path of the value
 * @returns {Problem[]}
 */
function problemsOf(value, schema, root, at) {
  /** @type {Problem[]} */
  const problems = [];
  const say = (/** @type {string} */ text, repeats = false) => problems.push({ at, text, repeats });
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(value, type))) say(`must be ${types.join()}`);
  if (isOf(value, 'number')) numberProblems(value, schema, say);
  if (typeof value === 'string') stringProblems(value, schema, say);
  const within = (/** @type {any} */ part, /** @type {any} */ sub, /** @type {string | number} */ key) =>
    problems.push(...problemsOf(part, sub, root, at === '' ? `${key}` : `${at}.${key}`));
  if (Array.isArray(value)) {
    sizeProblems(value.length, 'items', schema.minItems, schema.maxItems, say);
    if (schema.uniqueItems) {
      const i = value.findIndex((one, k) => value.slice(0, k).some((o) => isDeepStrictEqual(o, one)));
      if (i >= 0)
        say(`the items ${value.findIndex((o) => isDeepStrictEqual(o, value[i]))} and ${i} are the same`);
    }
    if (schema.items) for (const [i, item] of value.entries()) within(item, schema.items, i);
  }
  if (isOf(value, 'object')) objectProblems(value, schema, root, at, say, within, problems);
  const here = (/** @type {any} */ sub) => problemsOf(value, sub, root, at);
  if (schema.$ref) {
    const path = schema.$ref.split('/').slice(1);
    problems.push(
      ...here(path.reduce((/** @type {any} */ at, /** @type {string} */ name) => at[name], root)),
    );
  }
  if (schema.enum && !schema.enum.some((/** @type {any} */ one) => isDeepStrictEqual(one, value)))
    say(`"${value}" is not allowed; ${suggest(String(value), schema.enum)}`);
  if ('const' in schema && !isDeepStrictEqual(schema.const, value)) say('must be equal to constant');
  if (schema.not && here(schema.not).length === 0) say(schema.not.description ?? 'must NOT be valid', true);
  if (schema.anyOf) {
    const tried = schema.anyOf.map(here);
    if (tried.every((/** @type {Problem[]} */ t) => t.length > 0)) {
      problems.push(...tried.flat());
      say('must match a schema in anyOf', true);
    }
  }
  if (schema.oneOf) {
    const tried = schema.oneOf.map(here);
    const fitting = tried.filter((/** @type {Problem[]} */ t) => t.length === 0).length;
    if (fitting === 0) problems.push(...tried.flat());
    if (fitting !== 1)
      say(
        `needs exactly one of ${schema.oneOf.flatMap((/** @type {any} */ s) => s.required ?? []).join(', ')}`,
      );
  }
  if (schema.if) {
    const branch = here(schema.if).length === 0 ? 'then' : 'else';
    const found = schema[branch] ? here(schema[branch]) : [];
    problems.push(...found);
    if (found.length > 0) say(`must match "${branch}" schema`, true);
  }
  return problems;
}

/**
 * @param {any} value
 * @param {string} type of JSON Schema
 */
export function isOf(value, type) {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}

/**
 * @param {number} value
 * @param {any} schema
 * @param {(text: string) => void} say
 */
function numberProblems(value, { minimum, maximum, exclusiveMinimum, exclusiveMaximum }, say) {
  if (value < minimum) say(`must be >= ${minimum}`);
  if (value > maximum) say(`must be <= ${maximum}`);
  if (value <= exclusiveMinimum) say(`must be > ${exclusiveMinimum}`);
  if (value >= exclusiveMaximum) say(`must be < ${exclusiveMaximum}`);
}

/**
 * @param {string} value
 * @param {any} schema
 * @param {(text: string) => void} say
 */
function stringProblems(value, { minLength, maxLength, pattern }, say) {
  sizeProblems([...value].length, 'characters', minLength, maxLength, say);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) say(`must match pattern "${pattern}"`);
}

/**
 * @param {number} size
 * @param {string} of
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {(text: string) => void} say
 */
function sizeProblems(size, of, least = 0, most = Number.POSITIVE_INFINITY, say) {
  if (size < least) say(`must NOT have fewer than ${least} ${of}`);
  if (size > most) say(`must NOT have more than ${most} ${of}`);
}

/**
 * @param {Record<string, any>} value
 * @param {any} schema
 * @param {any} root
 * @param {string} at
 * @param {(text: string) => void} say
 * @param {(part: any, sub: any, key: string) => void} within
 * @param {Problem[]} problems
 */
function objectProblems(value, schema, root, at, say, within, problems) {
  const { required = [], dependencies = {}, properties = {}, additionalProperties, propertyNames } = schema;
  const keys = Object.keys(value);
  const has = (/** @type {string} */ key) => Object.hasOwn(value, key) && value[key] !== undefined;
  sizeProblems(keys.length, 'properties', schema.minProperties, schema.maxProperties, say);
  for (const key of required) if (!has(key)) say(`the field "${key}" is missing`);
  for (const [key, needed] of Object.entries(dependencies)) {
    if (has(key) && !needed.every(has))
      say(
        `must have ${needed.length > 1 ? 'properties' : 'property'} ${needed.join(', ')} when property ${key} is present`,
      );
  }
  for (const key of keys) {
    if (propertyNames && problemsOf(key, propertyNames, root, at).length > 0) {
      problems.push(...problemsOf(key, propertyNames, root, at));
      say('property name must be valid');
    }
    if (Object.hasOwn(properties, key)) continue;
    if (additionalProperties === false)
      say(`unknown field "${key}"; ${suggest(key, Object.keys(properties))}`);
    else if (typeof additionalProperties === 'object') within(value[key], additionalProperties, key);
  }
  for (const [key, sub] of Object.entries(properties)) if (has(key)) within(value[key], sub, key);
}
