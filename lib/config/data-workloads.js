import { readFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import {
  allOf,
  entriesOf,
  factsOf,
  operationsOf,
  PLACEHOLDERS,
  protocolOf,
  WRITING,
} from '../../k6/data/definition.js';
import { BenchError } from '../errors.js';
import { ROOT } from '../paths.js';
import { readDeclared } from './declared.js';
import { UNKNOWN_DURABILITY } from './durability.js';
import { linesOf } from './json-lines.js';
import { suggest } from './nearest.js';
import { isSystemName } from './stacks.js';
import { schemaProblems } from './validate.js';

/** @import { DataOperation, DataWorkload, Stack, StackManifest, WorkloadFacts } from '../types.d.ts' */

/** Shares may be off by what decimal fractions are off by. */
const SLIP = 1e-9;

/**
 * @param {string} word path of a file
 * @returns {WorkloadFacts}
 * @throws {BenchError} the first thing that is wrong with it, with its line
 */
export function readDataWorkload(word) {
  const file = resolve(word);
  const data = readDeclared(file);
  const problems = dataProblems(data);
  const lines = problems.length > 0 ? linesOf(readFileSync(file, 'utf8')) : new Map();
  const [first, ...detail] = problems.map(
    ({ at, text }) => `${word}:${lineAt(lines, at, text)}: ${at ? `${at}: ` : ''}${text}`,
  );
  if (first) throw new BenchError(first, { detail, hint: 'docs/workloads.md has what a file may say' });
  const id = idOfFile(word);
  return { id, ...factsOf(data, id), file };
}

/**
 * @param {string} path
 * @param {string} [other] where the file's own name has no letter
 * @returns {string} a name that may be part of a file's
 */
export function idOfFile(path, other = 'workload') {
  const words = basename(path, extname(path))
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter(Boolean).join('-') || other;
}

/**
 * @param {Map<string, number>} lines by path
 * @param {string} at
 * @param {string} text of the problem: an unknown field stands on a line of its own
 */
function lineAt(lines, at, text) {
  const [, field] = /unknown field "([^"]+)"/.exec(text) ?? [];
  const path = field === undefined ? at : at ? `${at}.${field}` : field;
  return lines.get(path) ?? lines.get(at) ?? 1;
}

/** @typedef {{at: string, text: string}} Problem */

/**
 * @param {DataWorkload} data
 * @returns {Problem[]}
 */
export function dataProblems(data) {
  const found = schemaProblems('data', data).map((problem) => {
    const [, at, text] = /^(.*?): (.*)$/s.exec(problem) ?? ['', '', problem];
    return { at: at === 'top level' ? '' : at, text };
  });
  return found.length > 0 ? found : [...unlikeSchema(data)];
}

/** @param {DataWorkload} data @returns {Generator<Problem>} what its schema cannot say */
function* unlikeSchema(data) {
  for (const name of Object.keys(data.operations))
    if (!/^[a-z][A-Za-z0-9-]{0,30}$/.test(name))
      yield {
        at: `operations.${name}`,
        text: `"${name}" is no name of an operation: letters, digits and hyphens, a small letter first`,
      };
  for (const [name, operation] of entriesOf(data))
    for (const text of operationProblems(operation, data)) yield { at: placeOf(data, name), text };
  yield* shareProblems(data);
  yield* fillProblems(data);
  for (const text of keyProblems(data)) yield { at: 'keys', text };
  for (const text of lengthProblems(data)) yield { at: 'value.bytes', text };
  yield* valueProblems(data);
}

/**
 * @param {DataOperation} operation
 * @param {DataWorkload} data
 * @returns {Generator<string>}
 */
function* operationProblems({ command, path, method, headers, body, reply }, data) {
  const protocol = protocolOf(data);
  const texts = [...(command ?? []), path ?? '', body ?? '', ...Object.values(headers ?? {})];
  const isHttp = protocol === 'http';
  if (isHttp && (command || path === undefined)) yield 'over http it needs a "path", and no "command"';
  if (!isHttp && (!command || path !== undefined || method || body !== undefined || headers))
    yield `over ${protocol} it needs a "command", say ["GET", "user:{key}"], and no path, method, headers or body`;
  if (isHttp && path !== undefined && !path.startsWith('/')) yield '"path" must begin with /';
  if (reply?.text !== undefined && reply.kind !== 'simple') yield '"text" goes with "kind": "simple"';
  for (const [whole, word] of texts.flatMap((t) => [...t.matchAll(/\{([a-z]+)(?::\d+)?\}/g)]))
    if (!PLACEHOLDERS.includes(word)) yield `${whole} stands for nothing; ${suggest(word, PLACEHOLDERS)}`;
  if (texts.some((t) => t.includes('{ttl}')) && data.ttlSec === undefined)
    yield '{ttl} is used, and the file has no "ttlSec"';
}

/** @param {DataWorkload} data @param {string} name */
function placeOf({ operations }, name) {
  return name in operations ? `operations.${name}` : 'fill';
}

/** @param {DataWorkload} data @returns {Generator<Problem>} */
function* fillProblems(data) {
  const all = operationsOf(data);
  for (const [i, { name, of }] of all.filter((o) => o.does === 'fills').entries()) {
    const at = `operations.${name}`;
    if (data.operations[name].share !== undefined)
      yield { at, text: 'it comes as often as reads find nothing, and has no "share"' };
    if (!all.some((o) => o.does === 'reads' && o.of === of))
      yield { at, text: `nothing reads "${of}", so it never comes` };
    if (i > 0) yield { at, text: 'only one operation can have "does": "fills"' };
  }
}

/** @param {DataWorkload} data @returns {Generator<Problem>} */
function* shareProblems({ operations }) {
  const sharing = Object.entries(operations).filter(([, o]) => o.does !== 'fills');
  if (sharing.length === 1) return;
  const without = sharing.filter(([, o]) => o.share === undefined);
  for (const [name] of without)
    yield {
      at: `operations.${name}`,
      text: 'it has no "share": each of several operations needs one',
    };
  const sum = sharing.reduce((all, [, o]) => all + (o.share ?? 0), 0);
  if (without.length > 0 || Math.abs(sum - 1) < SLIP) return;
  const off = Number(Math.abs(1 - sum).toFixed(6));
  const text = `the shares make ${Number(sum.toFixed(6))}, not 1: ${sum < 1 ? 'add' : 'take away'} ${off}`;
  yield { at: 'operations', text };
}

/** @param {DataWorkload} data @returns {Generator<string>} */
function* keyProblems({ keys, operations }) {
  const { zipf, latest, sequential, hot, scrambled, room } = keys;
  const ways = Object.entries({ zipf, latest, sequential, hot }).filter(([, way]) => way !== undefined);
  if (ways.length > 1)
    yield `${ways.map(([way]) => `"${way}"`).join(' and ')}: only one of them can say which keys are drawn`;
  if (scrambled && zipf === undefined) yield '"scrambled" goes with "zipf"';
  if (room !== undefined && !Object.values(operations).some((o) => o.does === 'inserts'))
    yield '"room" is for keys that are inserted, and no operation has "does": "inserts"';
}

/** What a length by a law needs beside the most that it may be, by the law's name. */
const LAWS = Object.freeze({
  'log-normal': ['median', 'sigma'],
  'generalized Pareto': ['from', 'scale', 'shape', 'small'],
});

/** @param {DataWorkload} data @returns {Generator<string>} */
function* lengthProblems({ value }) {
  const bytes = value?.bytes ?? 0;
  if (Array.isArray(bytes) && bytes[0] > bytes[1]) yield `from ${bytes[0]} to ${bytes[1]} is no range`;
  if (typeof bytes !== 'object' || Array.isArray(bytes)) return;
  const names = Object.keys(bytes);
  const [law, fields = []] = Object.entries(LAWS).find(([, own]) => names.some((n) => own.includes(n))) ?? [];
  if (law && names.toSorted().join() !== [...fields, 'most'].toSorted().join())
    yield `a ${law} length needs "${fields.join('", "')}" and "most", and nothing else`;
  for (const n of law ? [] : names)
    if (!/^\d{2,8}$/.test(n) || Number(n) < 18 || Number(n) > 16_777_216)
      yield `"${n}" is no length: whole bytes, at least 18, each with its weight`;
}

/** @param {DataWorkload} data @returns {Generator<Problem>} */
function* valueProblems(data) {
  const texts = JSON.stringify([data.operations, data.fill]);
  if (data.value && !texts.includes('{value}')) yield { at: 'value', text: 'no operation has a {value}' };
  if (data.ttlSec !== undefined && !texts.includes('{ttl}'))
    yield {
      at: 'ttlSec',
      text: 'no operation sends {ttl}, say ["SET", "user:{key}", "{value}", "EX", "{ttl}"]',
    };
  for (const { name, does, template } of allOf(data))
    if (WRITING.includes(does) && !JSON.stringify(template).includes('{value}'))
      yield { at: placeOf(data, name), text: 'it writes, and has no {value}' };
}

/**
 * @param {Stack[]} stacks
 * @param {WorkloadFacts[]} workloads
 * @param {string[] | null} named ids of `--systems`: variants take part where they are asked for
 * @returns {Stack[]} of which each takes part in the workloads of files over the protocols that it speaks
 */
export function withDataWorkloads(stacks, workloads, named) {
  const ofFiles = workloads.flatMap(({ id, file, data }) =>
    data ? [{ id, file, protocol: protocolOf(data) }] : [],
  );
  for (const { file, protocol } of ofFiles)
    if (!stacks.some((s) => spokenBy(s).includes(protocol)))
      throw new BenchError(
        `${file}: protocol: no system speaks "${protocol}"; ${suggest(protocol, new Set(stacks.flatMap(spokenBy)))}`,
      );
  return stacks.map((stack) => {
    const { id, base, manifest } = stack;
    // A calibration's answers are constants, and no store.
    if (id.startsWith('_') || (id !== base && !named?.includes(id))) return stack;
    // A base leaves what its manifest has its variants perform to these.
    const family = id === base ? stacks.filter((s) => s.base === base) : [stack];
    const taken = ofFiles.filter(
      (w) => spokenBy(stack).includes(w.protocol) && !family.some((s) => w.id in s.manifest.workloads),
    );
    const more = Object.fromEntries(taken.map((w) => [w.id, { transports: [w.protocol] }]));
    return { ...stack, manifest: { ...manifest, workloads: { ...manifest.workloads, ...more } } };
  });
}

/**
 * @param {string[] | import('../types.d.ts').PlannedSystem[]} places `name=url` of `--endpoint`, or the systems of a run
 * @param {Stack[]} stacks
 * @param {WorkloadFacts[]} workloads the one that is asked for first
 * @returns {Stack[]} for names that are of no system here, where a workload of a file says what is spoken there
 */
export function strangersOf(places, stacks, workloads) {
  const [asked] = workloads;
  if (!asked?.data) return [];
  const protocol = protocolOf(asked.data);
  const names = places.map((place) =>
    typeof place === 'string' ? place.split('=')[0] : place.like ? '' : place.id,
  );
  return [...new Set(names)]
    .filter((name) => isSystemName(name) && !stacks.some((s) => s.id === name || s.base === name))
    .map((name) => stackAt(name, protocol, stacks));
}

/**
 * @param {string} id
 * @param {string} protocol
 * @param {Stack[]} stacks of which one that speaks it says how it is asked whether it is there
 * @returns {Stack} whatever speaks the protocol at an address, of which nothing else is known
 */
function stackAt(id, protocol, stacks) {
  // A calibration answers what no server of its protocol is asked.
  const like = stacks.find((s) => !s.id.startsWith('_') && spokenBy(s).includes(protocol))?.manifest;
  const web = { url: 'http://{host}:{port}', port: 80 };
  const there = { tcp: { send: 'HEAD / HTTP/1.0\r\n\r\n', expect: 'HTTP/' }, timeoutSec: 5 };
  const { url, port } = protocol === 'http' || !like ? web : like.endpoint;
  return strangerAs(id, join(ROOT, 'k6', 'data'), {
    workloads: { any: { transports: [protocol] } },
    endpoint: { url, port },
    ready: protocol === 'http' || !like ? there : (like.endpoint.ready ?? like.ready),
  });
}

/**
 * @param {string} id
 * @param {string} folder of its client
 * @param {Pick<StackManifest, 'workloads' | 'endpoint' | 'ready'>} access
 * @returns {Stack} of whose settings and promises nothing is known
 */
export function strangerAs(id, folder, access) {
  return {
    ...{ id, base: id, variant: 'default', folder },
    manifest: { title: id, origin: 'upstream', durability: { ...UNKNOWN_DURABILITY }, ...access },
  };
}

/** @param {Stack} stack @returns {string[]} protocols */
function spokenBy({ manifest }) {
  return Object.values(manifest.workloads).flatMap((w) => w.transports);
}
