/**
 * What a workload of a file stores in one system: filled before the load, and read back after it. The burst module knows
 * what was written and acknowledged, and holds every value against it.
 * @import { DataWorkload } from '../../lib/types.d.ts'
 * @import { Oracle, Target } from '../types.d.ts'
 */
import burstModule from 'k6/x/burst';
import measure from 'k6/x/measure';
import { allOf, connectionTo, keysOf, mostBytesOf, protocolOf, WRITING } from './definition.js';

/** Most keys that are read back, each of them once; of more, so many by chance. */
const MOST_READ = 200_000;
/** Most counters of which each is read. */
const MOST_COUNTERS = 200_000;
/** Over HTTP, where one request is under way, so many are written before the load. */
const MOST_FILLED = 20_000;
const FILL_MS = 50_000;
/** What is done beside the load is no window of its own. */
const OPENED = Date.now();
const DAY_MS = 86_400_000;
/** Bytes under way that socket buffers take. */
const IN_FLIGHT = 150_000;
const CHUNK = 1000;

/** What was wrong with values that were read, as a report says it. */
const SAID = Object.freeze({
  ofAnother: 'of another key',
  tooOld: 'older than the last acknowledged write',
  expired: 'there after their time to live',
  missing: 'missing, though acknowledged, and neither expired nor allowed to be evicted',
  cut: 'cut short',
  damaged: 'of bytes that nobody wrote',
});

/**
 * @typedef {object} Load
 * @property {string} of name of the system
 * @property {number} mark tells the values of this load from those of others
 * @property {number} seed
 * @property {Target} target
 * @property {boolean} [shared] other processes write to the same keys
 * @property {boolean} [keepsAll] the store drops nothing
 * @property {any} [left] what `state` of an earlier process was
 */

/**
 * @param {DataWorkload} data
 * @param {Load} load
 */
export function storedIn(data, load) {
  const store = new Store(data, load);
  return {
    /** Before the load: every key is written once, and the counters are read. */
    begin: () => store.begin(),
    /** What another process needs that looks after this one has ended. */
    state: () => store.state(),
    /** After the load: values are read back, and counters held against what was sent and acknowledged. */
    end: () => store.end(),
  };
}

class Store {
  /**
   * @param {DataWorkload} data
   * @param {Load} load
   */
  constructor(data, load) {
    this.data = data;
    this.load = load;
    this.protocol = protocolOf(data);
    this.space = data.keys.count;
    this.operations = allOf(data);
    this.keys = this.keysFrom(0);
    if (load.left) this.keys.restore(load.left.tables);
    this.connection = burstModule.connect({
      ...connectionTo(load.target, this.protocol),
      timeoutMs: 30_000,
    });
    const most = Math.floor(IN_FLIGHT / mostBytesOf(data));
    this.depth = this.protocol === 'http' ? 1 : Math.max(1, Math.min(64, most));
    const readable = !load.shared && this.protocol === 'resp' && this.space <= MOST_COUNTERS;
    this.counters = readable ? countersOf(this.operations) : [];
  }

  /** @param {number} stream @returns each key as often as any other */
  keysFrom(stream) {
    const { of, mark, seed, shared, keepsAll } = this.load;
    const { count, room } = this.data.keys;
    const even = { ...this.data, keys: { count, ...(room === undefined ? {} : { room }) } };
    return burstModule.keys({
      seed,
      stream,
      space: this.space,
      ...keysOf(even, { of, mark, shared, keepsAll }),
    });
  }

  /** @param {string} kind of counter */
  tallyOf(kind) {
    return burstModule.tally(this.space, `${this.load.of}/${kind}`);
  }

  /** @param {string} op */
  windowOf(op) {
    return measure.window({
      op: `${this.load.of}/${op}`,
      phase: op,
      startMs: OPENED,
      endMs: OPENED + DAY_MS,
    });
  }

  /** @returns {Record<string, number>} by what is wrong, all kinds of keys together */
  faults() {
    /** @type {Record<string, number>} */
    const sum = {};
    for (const table of this.keys.known(false))
      for (const [what, n] of Object.entries(table.faults)) sum[what] = (sum[what] ?? 0) + n;
    return sum;
  }

  /** @returns {number} reads that found nothing where a value was written, and may have been evicted */
  evicted() {
    if (!this.data.evicts || this.load.keepsAll) return 0;
    return sumOf(this.keys.known(false).map((/** @type {{absent: number}} */ t) => t.absent));
  }

  begin() {
    if (this.data.fill !== false) for (const template of writersOf(this.operations)) this.fill(template);
    for (const kind of this.counters)
      this.tallyOf(kind).begin(0, countsOf(this.connection, kind, this.space));
    this.connection.close();
  }

  state() {
    return {
      tables: this.keys.known(true),
      tallies: Object.fromEntries(this.counters.map((kind) => [kind, this.tallyOf(kind).counts()])),
    };
  }

  /** @returns {Oracle} */
  end() {
    const inLoad = this.faults();
    const missed = this.evicted();
    const readers = readersOf(this.operations, this.protocol);
    const read = readers.map((template) => this.readBack(template));
    const found = Object.fromEntries(
      Object.entries(this.faults()).map(([what, n]) => [what, n - (inLoad[what] ?? 0)]),
    );
    const strayed = this.counters.map((kind) =>
      strayedOf(
        countsOf(this.connection, kind, this.space),
        this.load.left?.tallies[kind] ?? this.tallyOf(kind).counts(),
      ),
    );
    this.connection.close();
    const acked = sumOf(read.map((r) => r.acked + r.failed));
    const refused = sumOf(read.map((r) => r.failed)) - sumOf(Object.values(found));
    const under = sumOf(strayed.map((s) => s.under));
    const over = sumOf(strayed.map((s) => s.over));
    const [early, late] = [inLoad, found].map((f) => sumOf(Object.values(f)));
    const wrong = early + late - (found.missing ?? 0) + over;
    const missing = (found.missing ?? 0) + under;
    return {
      ok: early + late + under + over + refused === 0 && (readers.length === 0 || acked > 0),
      ...{ acked, stored: acked - late - refused, indeterminate: 0 },
      ...(wrong > 0 ? { wrong } : {}),
      ...(missing > 0 ? { missing } : {}),
      detail: [
        readers.length === 0
          ? 'no operation tells how to read a value back'
          : `of ${acked} values read back after the load ${said(found)}`,
        ...(this.evicted() > missed ? [`${this.evicted() - missed} of them had been evicted`] : []),
        ...(refused > 0 ? [`${refused} could not be read back`] : []),
        ...(early > 0 ? [`of values read in the load ${said(inLoad)}`] : []),
        ...(this.counters.length > 0
          ? [
              `of ${this.counters.length * this.space} counters ${under} hold less than was acknowledged, ${over} more than was sent`,
            ]
          : []),
      ].join('; '),
    };
  }

  /** @param {any} template */
  fill(template) {
    const count = this.protocol === 'http' ? Math.min(this.space, MOST_FILLED) : this.space;
    const { acked, failed } = this.connection.run({
      ...{ window: this.windowOf('fill'), template, keys: this.keys, depth: this.depth, count, from: 0 },
      untilMs: measure.epochMs() + FILL_MS,
    });
    if (failed > 0)
      throw new Error(
        `${failed} of ${acked + failed} writes before the load failed: ${JSON.stringify(template)}`,
      );
    if (acked < count)
      throw new Error(
        `only ${acked} of ${count} keys were written within ${FILL_MS / 1000} s: ask for fewer keys, or for "fill": false`,
      );
  }

  /** @param {any} template */
  readBack(template) {
    const all = this.space + this.keys.inserted();
    const some = Math.min(all, this.protocol === 'http' ? MOST_FILLED : MOST_READ);
    return this.connection.run({
      ...{ window: this.windowOf('read-back'), template, depth: this.depth, count: some },
      ...(some === all ? { keys: this.keys, from: 0 } : { keys: this.keysFrom(1) }),
    });
  }
}

/**
 * @param {ReturnType<typeof allOf>} operations
 * @returns {any[]} templates that write, one for each kind of key
 */
function writersOf(operations) {
  const writing = operations.filter((o) => WRITING.includes(o.does));
  const kinds = [...new Set(writing.map((o) => o.of))];
  return kinds.map((kind) => {
    const own = writing.filter((o) => o.of === kind);
    const { template } = own.find((o) => o.does === 'writes') ?? own[0];
    return ['inserts', 'fills'].includes(template.use) ? { ...template, use: 'writes' } : template;
  });
}

/**
 * @param {ReturnType<typeof allOf>} operations
 * @param {string} protocol
 * @returns {any[]} templates that read what was written, one for each kind of key of which one is known
 */
function readersOf(operations, protocol) {
  return writersOf(operations).flatMap((writer) => {
    const own = operations.find((o) => o.of === writer.of && o.does === 'reads');
    if (own) return [own.template];
    const reading = { use: 'reads', of: writer.of };
    if (protocol === 'http') return [{ path: writer.path, missing: 404, ...reading }];
    if (!/^(ps)?set(ex)?$|^getset$/i.test(writer.command[0])) return [];
    const word = protocol === 'resp' ? 'GET' : 'get';
    return [{ command: [word, writer.of], expect: 'bulk-or-null', ...reading }];
  });
}

/** @param {ReturnType<typeof allOf>} operations @returns {string[]} kinds of keys that are counters */
function countersOf(operations) {
  return [...new Set(operations.filter((o) => o.does === 'adds').map((o) => o.of))];
}

/**
 * @param {any} connection
 * @param {string} kind
 * @param {number} space
 * @returns {number[]} by key; 0 where there is none
 */
function countsOf(connection, kind, space) {
  /** @type {number[]} */
  const values = [];
  for (let from = 0; from < space; from += CHUNK) {
    const names = Array.from({ length: Math.min(CHUNK, space - from) }, (_, i) =>
      kind.replaceAll(/\{key(?::(\d+))?\}/g, (_, width) =>
        String(from + i).padStart(Number(width ?? 0), '0'),
      ),
    );
    for (const value of connection.call(['MGET', ...names])) values.push(Number(value ?? 0));
  }
  return values;
}

/**
 * @param {number[]} values by key
 * @param {{start: number[], sent: number[], acked: number[]}} tally
 */
function strayedOf(values, { start, sent, acked }) {
  return {
    over: values.filter((value, key) => value > start[key] + sent[key]).length,
    under: values.filter((value, key) => value < start[key] + acked[key]).length,
  };
}

/** @param {number[]} values */
function sumOf(values) {
  return values.reduce((sum, n) => sum + n, 0);
}

/** @param {Record<string, number>} found */
function said(found) {
  const parts = Object.entries(SAID).flatMap(([what, words]) =>
    found[what] > 0 ? [`${found[what]} were ${words}`] : [],
  );
  return parts.length > 0 ? parts.join(', ') : 'none was wrong';
}
