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

/** @import { DataOperation, DataWorkload, Stack, WorkloadFacts } from '../types.d.ts' */

/** Shares may be off by what decimal fractions are off by. */
const SLIP = 1e-9;

/**
 * @param {string} word
 * @returns {boolean} whether it names a file that is a workload as data
 */
export function isDataFile(word) {
  return word.endsWith('.json');
}

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
  const words = basename(path, extname(path)).toLowerCase();
  return (
    words
      .split(/[^a-z0-9]+/)
      .filter(Boolean)
      .join('-') || other
  );
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

/**
 * @param {DataWorkload} data
 * @returns {{at: string, text: string}[]}
 */
export function dataProblems(data) {
  const found = schemaProblems('data', data).map((problem) => {
    const [, at, text] = /^(.*?): (.*)$/s.exec(problem) ?? ['', '', problem];
    return { at: at === 'top level' ? '' : at, text };
  });
  if (found.length > 0) return found;
  const operations = Object.entries(data.operations);
  return [
    ...operations
      .filter(([name]) => !/^[a-z][A-Za-z0-9-]{0,30}$/.test(name))
      .map(([name]) => ({
        at: `operations.${name}`,
        text: `"${name}" is no name of an operation: letters, digits and hyphens, a small letter first`,
      })),
    ...entriesOf(data).flatMap(([name, operation]) =>
      operationProblems(operation, data).map((text) => ({ at: placeOf(data, name), text })),
    ),
    ...shareProblems(operations.filter(([, o]) => o.does !== 'fills')),
    ...fillProblems(data),
    ...keyProblems(data),
    ...valueProblems(data),
  ];
}

/**
 * @param {DataOperation} operation
 * @param {DataWorkload} data
 * @returns {string[]}
 */
function operationProblems(operation, data) {
  const { command, path, method, headers, body, reply } = operation;
  const protocol = protocolOf(data);
  const texts = [...(command ?? []), path ?? '', body ?? '', ...Object.values(headers ?? {})];
  const isHttp = protocol === 'http';
  return [
    ...(isHttp && (command || path === undefined) ? ['over http it needs a "path", and no "command"'] : []),
    ...(!isHttp && (!command || path !== undefined || method || body !== undefined || headers)
      ? [
          `over ${protocol} it needs a "command", say ["GET", "user:{key}"], and no path, method, headers or body`,
        ]
      : []),
    ...(isHttp && path !== undefined && !path.startsWith('/') ? ['"path" must begin with /'] : []),
    ...(reply?.text !== undefined && reply.kind !== 'simple' ? ['"text" goes with "kind": "simple"'] : []),
    ...texts.flatMap(placeholderProblems),
    ...(texts.some((t) => t.includes('{ttl}')) && data.ttlSec === undefined
      ? ['{ttl} is used, and the file has no "ttlSec"']
      : []),
  ];
}

/** @param {DataWorkload} data @param {string} name */
function placeOf({ operations }, name) {
  return name in operations ? `operations.${name}` : 'fill';
}

/** @param {string} text @returns {string[]} words in braces that stand for nothing */
function placeholderProblems(text) {
  return [...text.matchAll(/\{([a-z]+)(?::\d+)?\}/g)]
    .filter(([, word]) => !PLACEHOLDERS.includes(word))
    .map(([whole, word]) => `${whole} stands for nothing; ${suggest(word, PLACEHOLDERS)}`);
}

/** @param {DataWorkload} data */
function fillProblems(data) {
  const all = operationsOf(data);
  return all
    .filter((o) => o.does === 'fills')
    .flatMap(({ name, of }, i) =>
      [
        ...(data.operations[name].share === undefined
          ? []
          : ['it comes as often as reads find nothing, and has no "share"']),
        ...(all.some((o) => o.does === 'reads' && o.of === of)
          ? []
          : [`nothing reads "${of}", so it never comes`]),
        ...(i === 0 ? [] : ['only one operation can have "does": "fills"']),
      ].map((text) => ({ at: `operations.${name}`, text })),
    );
}

/** @param {[string, DataOperation][]} operations */
function shareProblems(operations) {
  const without = operations.filter(([, o]) => o.share === undefined);
  if (operations.length === 1) return [];
  if (without.length > 0)
    return without.map(([name]) => ({
      at: `operations.${name}`,
      text: 'it has no "share": each of several operations needs one',
    }));
  const sum = operations.reduce((all, [, o]) => all + (o.share ?? 0), 0);
  if (Math.abs(sum - 1) < SLIP) return [];
  const off = Number(Math.abs(1 - sum).toFixed(6));
  return [
    {
      at: 'operations',
      text: `the shares make ${Number(sum.toFixed(6))}, not 1: ${sum < 1 ? 'add' : 'take away'} ${off}`,
    },
  ];
}

/** @param {DataWorkload} data */
function keyProblems({ keys, operations }) {
  const { zipf, latest, sequential, hot, scrambled, room } = keys;
  const ways = Object.entries({ zipf, latest, sequential, hot }).filter(([, way]) => way !== undefined);
  const at = 'keys';
  const inserts = Object.values(operations).some((o) => o.does === 'inserts');
  return [
    ...(ways.length > 1
      ? [
          {
            at,
            text: `${ways.map(([way]) => `"${way}"`).join(' and ')}: only one of them can say which keys are drawn`,
          },
        ]
      : []),
    ...(scrambled && zipf === undefined ? [{ at, text: '"scrambled" goes with "zipf"' }] : []),
    ...(room !== undefined && !inserts
      ? [{ at, text: '"room" is for keys that are inserted, and no operation has "does": "inserts"' }]
      : []),
  ];
}

/** What a length by a law needs beside the most that it may be, by the law's name. */
const LAWS = Object.freeze({
  'log-normal': ['median', 'sigma'],
  'generalized Pareto': ['from', 'scale', 'shape', 'small'],
});

/** @param {DataWorkload} data */
function valueProblems(data) {
  const { value, ttlSec } = data;
  const at = 'value.bytes';
  const bytes = value?.bytes;
  const writes = allOf(data).filter((o) => WRITING.includes(o.does));
  const texts = JSON.stringify([data.operations, data.fill]);
  const problems = [];
  if (Array.isArray(bytes) && bytes[0] > bytes[1])
    problems.push({ at, text: `from ${bytes[0]} to ${bytes[1]} is no range` });
  if (bytes !== null && typeof bytes === 'object' && !Array.isArray(bytes)) {
    const names = Object.keys(bytes);
    const law = Object.entries(LAWS).find(([, fields]) => names.some((n) => fields.includes(n)));
    const fields = law ? [...law[1], 'most'] : [];
    if (law && (names.length !== fields.length || fields.some((n) => !names.includes(n))))
      problems.push({
        at,
        text: `a ${law[0]} length needs "${law[1].join('", "')}" and "most", and nothing else`,
      });
    for (const n of law
      ? []
      : names.filter((n) => !/^\d{2,8}$/.test(n) || Number(n) < 18 || Number(n) > 16_777_216))
      problems.push({ at, text: `"${n}" is no length: whole bytes, at least 18, each with its weight` });
  }
  if (value && !texts.includes('{value}')) problems.push({ at: 'value', text: 'no operation has a {value}' });
  if (ttlSec !== undefined && !texts.includes('{ttl}'))
    problems.push({
      at: 'ttlSec',
      text: 'no operation sends {ttl}, say ["SET", "user:{key}", "{value}", "EX", "{ttl}"]',
    });
  for (const { name } of writes.filter((o) => !JSON.stringify(o.template).includes('{value}')))
    problems.push({ at: placeOf(data, name), text: 'it writes, and has no {value}' });
  return problems;
}

/**
 * @param {Stack[]} stacks
 * @param {WorkloadFacts[]} workloads
 * @param {string[] | null} named ids of `--systems`: variants take part where they are asked for
 * @returns {Stack[]} of which each takes part in the workloads of files over the protocols that it speaks
 */
export function withDataWorkloads(stacks, workloads, named) {
  const asked = stacks.filter((s) => s.id === s.base || named?.includes(s.id));
  for (const { file, data } of workloads)
    if (data && !stacks.some((s) => speaks(s, protocolOf(data))))
      throw new BenchError(
        `${file}: protocol: no system speaks "${protocolOf(data)}"; ${suggest(protocolOf(data), transportsOf(stacks))}`,
      );
  return workloads.reduce(
    (all, { id, data }) =>
      data
        ? all.map((s, i) =>
            asked.includes(stacks[i]) && !isForVariants(s, id, stacks) ? taking(s, id, protocolOf(data)) : s,
          )
        : all,
    stacks,
  );
}

/**
 * @param {Stack} stack
 * @param {string} id of a workload
 * @param {Stack[]} stacks
 * @returns {boolean} whether it is the base of a system whose manifest has its variants perform it
 */
function isForVariants(stack, id, stacks) {
  return stack.id === stack.base && stacks.some((s) => s.base === stack.base && id in s.manifest.workloads);
}

/**
 * @param {Stack} stack
 * @param {string} id of the workload
 * @param {string} protocol
 * @returns {Stack}
 */
function taking(stack, id, protocol) {
  const { manifest } = stack;
  // A calibration's answers are constants, and no store.
  if (stack.id.startsWith('_') || id in manifest.workloads || !speaks(stack, protocol)) return stack;
  const workloads = { ...manifest.workloads, [id]: { transports: [protocol] } };
  return { ...stack, manifest: { ...manifest, workloads } };
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
  const like = stacks.find((s) => !s.id.startsWith('_') && speaks(s, protocol))?.manifest;
  const web = { url: 'http://{host}:{port}', port: 80 };
  const there = { tcp: { send: 'HEAD / HTTP/1.0\r\n\r\n', expect: 'HTTP/' }, timeoutSec: 5 };
  const { url, port } = protocol === 'http' || !like ? web : like.endpoint;
  return {
    ...{ id, base: id, variant: 'default', folder: join(ROOT, 'k6', 'data') },
    manifest: {
      ...{ title: id, origin: 'upstream', workloads: { any: { transports: [protocol] } } },
      ...{ durability: { ...UNKNOWN_DURABILITY }, endpoint: { url, port } },
      ready: protocol === 'http' || !like ? there : (like.endpoint.ready ?? like.ready),
    },
  };
}

/** @param {Stack[]} stacks @returns {string[]} */
function transportsOf(stacks) {
  return [
    ...new Set(stacks.flatMap((s) => Object.values(s.manifest.workloads).flatMap((w) => w.transports))),
  ];
}

/** @param {Stack} stack @param {string} protocol */
function speaks({ manifest }, protocol) {
  return Object.values(manifest.workloads).some((w) => w.transports.includes(protocol));
}
