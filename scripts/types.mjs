/**
 * npm run types: lib/types.gen.d.ts from the JSON Schemas of lib/schema. With --check nothing is written, and the exit
 * code is 1 where the file is not what the schemas say.
 *
 * A schema with a title becomes a type of that name; keywords that TypeScript cannot say (if, not, dependencies, a choice
 * between required fields) are left to lib/config/validate.js.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compile } from 'json-schema-to-typescript';

const SCHEMAS = ['stack', 'profile', 'workload', 'data', 'result', 'proven', 'index', 'figures', 'compare'];
const OUTPUT = new URL('../lib/types.gen.d.ts', import.meta.url);
const ONLY_AJV = new Set(['if', 'then', 'else', 'not', 'dependencies', 'propertyNames', '$id', '$schema']);
/** Without them lists are lists, not tuples of every length. */
const LENGTHS = new Set(['minItems', 'maxItems']);

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
const text = await generate();
if (!flags.check) writeFileSync(OUTPUT, text);
else if (readFileSync(OUTPUT, 'utf8') !== text) {
  console.error('lib/types.gen.d.ts is not what lib/schema says; type: npm run types');
  process.exitCode = 1;
}

/** @returns {Promise<string>} */
async function generate() {
  /** @type {Record<string, any>} */
  const definitions = {};
  for (const name of SCHEMAS) {
    const schema = JSON.parse(
      readFileSync(new URL(`../lib/schema/${name}.schema.json`, import.meta.url), 'utf8'),
    );
    const { definitions: parts = {}, ...root } = typed(schema);
    for (const [key, part] of Object.entries({ ...parts, [root.title]: root })) {
      if (key in definitions && JSON.stringify(definitions[key]) !== JSON.stringify(part))
        throw new Error(`lib/schema has two meanings of ${key}`);
      definitions[key] = part;
    }
  }
  const all = { title: 'Schemas', type: 'object', additionalProperties: false, definitions };
  return plain(
    await compile(all, 'Schemas', {
      additionalProperties: false,
      bannerComment:
        '/** Written by `npm run types` from the JSON Schemas of lib/schema: not to be edited. */',
      unreachableDefinitions: true,
      style: { singleQuote: true, printWidth: 110 },
    }),
  );
}

/**
 * @param {string} types
 * @returns {string} without what only the generator needs, and comments of one line on one line
 */
function plain(types) {
  return types
    .replace('export interface Schemas {}\n', '')
    .replace(
      /(?: \*\n)? \* This interface was referenced by `Schemas`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      '',
    )
    .replace(/\/\*\*\n \*\/\n/g, '')
    .replace(/\/\*\*\n\s+\* (.*)\n\s+\*\//g, '/** $1 */');
}

/**
 * @param {any} schema
 * @returns {any} what TypeScript can say of it
 */
function typed(schema) {
  if (Array.isArray(schema)) return schema.map(typed);
  if (typeof schema !== 'object' || schema === null) return schema;
  // What stands beside a reference would make another type of it.
  if (schema.$ref) return { $ref: schema.$ref };
  // That false is not written there is no matter of types.
  if (schema.const === true) return { ...schema, const: undefined, type: 'boolean' };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !ONLY_AJV.has(key) && !LENGTHS.has(key) && !isChoiceOfFields(key, value))
      .map(([key, value]) => [
        key,
        key === 'properties' || key === 'definitions'
          ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, typed(part)]))
          : typed(value),
      ]),
  );
}

/**
 * @param {string} key
 * @param {any} value
 */
function isChoiceOfFields(key, value) {
  return (
    ['oneOf', 'anyOf'].includes(key) &&
    value.every((/** @type {any} */ v) => Object.keys(v).join() === 'required')
  );
}
