/**
 * A workload as data: what its file means. Pure: k6, the runner and the tests of Node read it alike.
 * @import { DataOperation, DataWorkload, WorkloadFacts } from '../../lib/types.d.ts'
 * @import { Target } from '../types.d.ts'
 */

/** Words in braces that a template may have. */
export const PLACEHOLDERS = Object.freeze(['key', 'value', 'ttl', 'seq', 'stream', 'uuid', 'now']);

/** What the commands do that everybody knows; another one says it itself. */
const KNOWN = Object.freeze({
  GET: { does: 'reads', reply: 'bulk-or-null' },
  SET: { does: 'writes', reply: 'simple:OK' },
  SETEX: { does: 'writes', reply: 'simple:OK' },
  PSETEX: { does: 'writes', reply: 'simple:OK' },
  GETSET: { does: 'swaps', reply: 'bulk-or-null' },
  DEL: { does: 'removes', reply: 'integer' },
  UNLINK: { does: 'removes', reply: 'integer' },
  INCR: { does: 'adds', reply: 'integer' },
});

/** The same over HTTP, by the method. */
const METHODS = Object.freeze({ GET: 'reads', PUT: 'writes', POST: 'writes', DELETE: 'removes' });

/** What leaves a value behind. @type {readonly string[]} */
export const WRITING = Object.freeze(['writes', 'swaps', 'inserts', 'fills']);

/** Bytes of a value where the file does not say. */
const VALUE_BYTES = 1000;

/** What an operation that fills the store is called: no name that a file may give. */
const FILL = 'fill before the load';

/** How many keys may be inserted where the file does not say: as many as there are. */
const ROOM = 1;

/**
 * @typedef {object} Operation what one operation of the file means
 * @property {string} name
 * @property {number} share 0 of what fills: it comes as often as reads of its kind of key find nothing
 * @property {string} does `reads`, `writes`, `swaps`, `removes`, `inserts` or `fills` the value of its key, `adds` to or
 *   `counts` a counter, or `nothing` that is looked at
 * @property {string} of which kind of key: its text, say `user:{key}`
 * @property {Record<string, any>} template of the burst module
 */

/**
 * @param {DataWorkload} data
 * @returns {string} a transport: http, resp, or another one of commands, whose words are lower case
 */
export function protocolOf({ protocol, operations }) {
  return protocol ?? (Object.values(operations).some((o) => o.path !== undefined) ? 'http' : 'resp');
}

/**
 * @param {DataWorkload} data
 * @returns {[string, DataOperation][]} its operations, and what fills the store before them
 */
export function entriesOf({ operations, fill }) {
  return [
    ...Object.entries(operations),
    ...(fill ? [/** @type {[string, DataOperation]} */ ([FILL, fill])] : []),
  ];
}

/**
 * @param {DataWorkload} data
 * @returns {Operation[]} in the order of the file
 */
export function operationsOf(data) {
  return allOf(data).filter((o) => o.name !== FILL);
}

/**
 * @param {DataWorkload} data
 * @returns {Operation[]} in the order of the file, and what fills the store before them
 */
export function allOf(data) {
  const protocol = protocolOf(data);
  const all = entriesOf(data).map(([name, operation]) => ({
    ...{ name, share: operation.does === 'fills' ? 0 : (operation.share ?? 1), ...readingOf(operation) },
    template: templateOf(operation, data, protocol),
  }));
  const ofKind = (/** @type {string} */ of, /** @type {readonly string[]} */ does) =>
    all.some((o) => o.of === of && does.includes(o.does));
  return all.map((o) => {
    const { does, of } = o;
    // What is read is known where somebody of the same file wrote it.
    const known =
      does !== 'reads' || ofKind(of, WRITING) ? does : ofKind(of, ['adds']) ? 'counts' : 'nothing';
    return { ...o, does: known, template: { ...o.template, ...accessOf(known, of) } };
  });
}

/** @param {DataOperation} operation @returns {{does: string, of: string}} */
function readingOf({ command, method = 'GET', path = '', body = '', does }) {
  if (!command) {
    const usual = METHODS[/** @type {keyof typeof METHODS} */ (method.toUpperCase())] ?? 'nothing';
    const writes = usual !== 'writes' || body.includes('{value}');
    return { does: does ?? (writes ? usual : 'nothing'), of: path };
  }
  const of = command.slice(1).find((word) => word.includes('{key')) ?? '';
  return { does: does ?? doesOf(command), of };
}

/** @param {string[]} command */
function doesOf(command) {
  const known = knownOf(command);
  if (known?.does === 'writes' && !command.includes('{value}')) return 'nothing';
  return known?.does === 'writes' && isSwap(command) ? 'swaps' : (known?.does ?? 'nothing');
}

/** @param {string[]} command */
function knownOf([word]) {
  return KNOWN[/** @type {keyof typeof KNOWN} */ (word.toUpperCase())];
}

/** @param {string[]} command @returns {boolean} whether it answers what was there: SET … GET */
function isSwap(command) {
  return command.slice(3).some((word) => word.toUpperCase() === 'GET');
}

/**
 * @param {string} does
 * @param {string} of
 */
function accessOf(does, of) {
  if (does === 'adds') return { tally: 'adds', of };
  if (does === 'counts') return { tally: 'reads', of };
  return does === 'nothing' ? {} : { use: does, of };
}

/**
 * @param {DataOperation} operation
 * @param {DataWorkload} data
 * @param {string} protocol
 * @returns {Record<string, any>}
 */
function templateOf(operation, { ttlSec }, protocol) {
  const filled = (/** @type {string} */ text) => text.replaceAll('{ttl}', String(ttlSec));
  const { command, reply = {} } = operation;
  if (command) return { command: command.map(filled), expect: expectOf(command, reply, protocol) };
  const { method = 'GET', path = '', headers, body } = operation;
  return {
    ...{ method, path: filled(path), ...(headers ? { headers } : {}) },
    ...(body === undefined ? {} : { body: filled(body) }),
    ...(reply.status ? { status: reply.status } : {}),
    ...(reply.contains ? { contains: reply.contains } : {}),
    ...(method.toUpperCase() === 'GET' ? { missing: reply.missing ?? 404 } : {}),
    ...(method.toUpperCase() === 'DELETE' ? { missing: reply.missing ?? 404 } : {}),
  };
}

/**
 * @param {string[]} command
 * @param {NonNullable<DataOperation['reply']>} reply
 * @param {string} protocol
 */
function expectOf(command, { kind, text }, protocol) {
  if (kind) return text === undefined ? kind : `${kind}:${text}`;
  const known = knownOf(command);
  if (protocol !== 'resp') return known?.does === 'reads' || known?.does === 'swaps' ? 'bulk-or-null' : 'ok';
  return known && isSwap(command) ? 'bulk-or-null' : (known?.reply ?? 'any');
}

/**
 * @param {DataWorkload} data
 * @param {string} name of its file
 * @returns {Omit<WorkloadFacts, 'id'>}
 */
export function factsOf(data, name) {
  const all = operationsOf(data);
  const many = all.length > 1;
  const most = Math.max(...all.map((o) => o.share));
  const main = all.find((o) => o.share === most)?.name;
  const fillerOf = (/** @type {Operation} */ { does, of }) =>
    does === 'reads' ? all.find((o) => o.does === 'fills' && o.of === of)?.name : undefined;
  return {
    title: data.title ?? name,
    operations: Object.fromEntries(
      all.map((operation) => [
        operation.name,
        {
          ...(many ? { window: 'mix', share: operation.share } : {}),
          ...(fillerOf(operation) ? { filledBy: fillerOf(operation) } : {}),
          ...(operation.name === main ? { main: /** @type {const} */ (true) } : {}),
          ...(['reads', 'counts', 'nothing'].includes(operation.does)
            ? {}
            : { writes: /** @type {const} */ (true) }),
        },
      ]),
    ),
    ...(many ? { windows: { mix: { order: /** @type {const} */ ('shares') } } } : {}),
    pipelines: protocolOf(data) !== 'http' && data.pipeline !== false,
    drive: 'burst',
    keys: { space: 'records' },
    dataset: { records: data.keys.count },
    data,
  };
}

/**
 * What `keys` of the burst module is told beside seed, stream and space.
 * @param {DataWorkload} data
 * @param {{of: string, mark: number, streams?: number, shared?: boolean, keepsAll?: boolean}} load `keepsAll`: the store drops
 *   nothing, whatever the file lets it
 */
export function keysOf(data, { of, mark, streams = 1, shared = false, keepsAll = false }) {
  const { count, room, ...choose } = data.keys;
  const inserts = operationsOf(data).some((o) => o.does === 'inserts');
  const removes = operationsOf(data).some((o) => o.does === 'removes');
  return {
    ...(Object.keys(choose).length > 0 ? { choose } : {}),
    streams,
    data: {
      ...{ of, mark, shared, ttlSec: data.ttlSec ?? 0 },
      values: valuesOf(data.value ?? {}),
      mayMiss: (data.evicts === true && !keepsAll) || removes,
      room: inserts ? (room ?? ROOM * count) : 0,
    },
  };
}

/** @param {NonNullable<DataWorkload['value']>} value */
function valuesOf({ bytes = VALUE_BYTES, compressible = 0 }) {
  if (typeof bytes === 'number') return { from: bytes, compressible };
  if (Array.isArray(bytes)) return { from: bytes[0], to: bytes[1], compressible };
  const { median, sigma, most, from, scale, shape, small, ...list } = bytes;
  if (median !== undefined) return { logNormal: { median, sigma, most }, compressible };
  if (scale !== undefined) return { pareto: { from, scale, shape, small, most }, compressible };
  const weights = Object.entries(list).map(([size, weight]) => ({ bytes: Number(size), weight }));
  return { list: weights, compressible };
}

/** @param {DataWorkload} data @returns {number} bytes of a value at most */
export function mostBytesOf(data) {
  const { from = 0, to = 0, list = [], logNormal, pareto } = valuesOf(data.value ?? {});
  return Math.max(from, to, logNormal?.most ?? 0, pareto?.most ?? 0, ...list.map((l) => l.bytes));
}

/**
 * @param {Target} target
 * @param {string} protocol
 * @returns {Pick<import('k6/x/burst').ProtocolOptions, 'protocol' | 'address' | 'setup'>} options of the burst module's `connect`
 */
export function connectionTo({ host, port, login }, protocol) {
  const words = login && [...(login.user ? [login.user] : []), login.password];
  return {
    protocol: /** @type {import('k6/x/burst').Protocol} */ (protocol),
    address: `${host}:${port}`,
    ...(words ? { setup: [[protocol === 'resp' ? 'AUTH' : 'auth', ...words]] } : {}),
  };
}
