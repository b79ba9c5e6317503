/**
 * **Many operations in one JavaScript call, on connections of its own.**
 *
 * JavaScript costs k6 20-60 us an operation; a burst costs well under 1 us of JavaScript. Everything is recorded in
 * the window (`k6/x/measure`): exact counts, errors by class, histograms, a series. k6 itself is told cheaply:
 * `op_count`, `op_errors`, `data_sent`, `data_received`, at most 1000 `op_duration` samples a second, and the gauges.
 *
 * **Who moves the connections.** On Linux event loops (epoll), each on a thread of its own: one for each CPU that k6 may
 * use, or as many as the environment variable `BURST_LOOPS` says (1 to 64). All virtual users share them. A connection
 * stays with one loop: virtual users take loops in turn, or the connection names a `lane`. Elsewhere a goroutine for
 * each connection does the same work. What a loop cost is in the export of `k6/x/measure`, see `LoopExport`.
 *
 * **Operations are counted once each.** Closed model: `depth` operations are written together, the next ones when
 * all replies are in; the latency of each runs from that write to its own reply. `depth` * bytes of an operation
 * should stay under the socket buffers (about 200 KB).
 *
 * **Failures** have a class (see `k6/x/measure`): a refusal by the server is `server`, a well-formed but unexpected
 * reply `protocol`; after a time-out, a lost connection or nonsense, everything in flight on that connection fails and
 * it is made anew. An interrupted burst returns within 50 ms; what was in flight counts as `aborted`.
 *
 * **Placeholders**, in commands, paths, header values, bodies and messages:
 * `{key}` the operation's key, `{key:12}` with leading zeros to 12 digits, `{value:N}` N printable bytes that depend
 * on seed and key only, `{value}` the key's value that says whose it is (see {@link KeysOptions.data}), `{document}` the key's JSON document (see {@link KeysOptions.documents}), `{seq}` number of the
 * operation on its connection (0, 1, ..., from call to call), `{stream}` the stream of the keys, `{uuid}` the next id of the sequence (a
 * version 4 UUID in form; every place gets another one), `{uuid:120}` such an id and bytes that follow from it, 120 in all, `{now}` the moment of sending as `2026-01-31T12:00:00.000Z`.
 * All places of one operation see the same key. Other braces, as in JSON, stand for themselves.
 */

import type { Phase, Window } from 'k6/x/measure';

export interface KeysOptions {
  seed: number;
  /** VU number or the like; default 0, at most 2^24 - 1. */
  stream?: number;
  /** Seed of the ids, default `seed`: ids never repeat within (ids, stream), nor between the streams of one seed. */
  ids?: number;
  /** Keys are 0 <= key < space. At most 2^53. */
  space: number;
  /** Which keys are drawn how often; default each as often as any other. */
  choose?: Choose;
  /** How many users take keys in their order together, with `sequential`; their streams are in a row. */
  streams?: number;
  /** Values that say whose they are, for templates that say `use`. */
  data?: DataOptions;
  /**
   * Makes a JSON document of about 1 KB for each key of the space (at most 4 194 304), once for each seed and space of a
   * process: id, timestamp, 100 characters of random data, metadata with tags and scores, ten nested objects. The first
   * caller waits for it: ask before a window opens.
   */
  documents?: boolean;
  /**
   * Counts what is sent to each key, for templates that say `tally`, in the tally by that name of `of` keys, at least the
   * space and at most 4 194 304: of several systems that one process loads each has its own.
   */
  tallyOf?: { name: string; of: number };
  /**
   * The name of a system whose documents are written again and again: eight digits of each then say which writing it is,
   * and a reader takes none that a later one, acknowledged before it asked, must have followed.
   */
  versions?: string;
}

/** At most one of them. */
export interface Choose {
  /** The exponent: the k-th key is asked for in proportion to 1 / k^zipf, key 0 most often. From 0 to 10. */
  zipf?: number;
  /** With `zipf`: as YCSB's ScrambledZipfianGenerator, ranks of 10^10 items spread over the space by a hash. */
  scrambled?: boolean;
  /** As `zipf`, by age: the key that was inserted last comes most often. */
  latest?: number;
  /** One after another, all users together. */
  sequential?: boolean;
  /** Two parts: of the keys, from key 0 on, and of the operations that ask for them. */
  hot?: number[];
}

/**
 * Values that say whose they are: the mark of the load, the key, and which writing of the key it is; length and bytes follow
 * from these. What one process knows of a system's keys all its connections share.
 */
export interface DataOptions {
  /** Names the system. The first one to name a system and a space says all the rest. */
  of: string;
  /** Tells the values of this load from those of earlier ones, of which 18 bits count. */
  mark?: number;
  /** Bytes, at least 18: a range, lengths with weights, a log-normal or a generalized Pareto one, of which the part `small` has 18. `compressible`: the part that is one character. */
  values: {
    from?: number;
    to?: number;
    list?: { bytes: number; weight: number }[];
    logNormal?: { median: number; sigma: number; most: number };
    pareto?: { from: number; scale: number; shape: number; small: number; most: number };
    compressible?: number;
  };
  /** After so long a value must be gone, and before that it must not be. Default 0: it stays. */
  ttlSec?: number;
  /** The store may drop what it likes. */
  mayMiss?: boolean;
  /** How many keys may be inserted beyond the space. */
  room?: number;
  /** Other processes write to these keys: a value is held against its key alone. */
  shared?: boolean;
}

/** What is known of the values under one kind of key (`of` of a template). */
export interface KnownValues {
  table: string;
  /** Keys of which a writing was acknowledged, and writings under way or lost. */
  written: number;
  open: number;
  /** Reads that found nothing where a value was written and the store may drop it. */
  absent: number;
  /** Values that were read and cannot be right, by what is wrong: ofAnother, tooOld, expired, missing, cut, damaged. */
  faults: Record<string, number>;
}

/** What this process knows of the counters of a space: shared by all its virtual users. */
export interface Tally {
  /** What the counters from `from` on hold before the load. */
  begin(from: number, values: number[]): void;
  /** By key: its value before, increments sent, and those that were acknowledged with a value that can be right. */
  counts(): { start: number[]; sent: number[]; acked: number[] };
  /**
   * Notes an operation right before it is sent; the function returned says whether a value may be its answer. Null for an
   * increment: it is acknowledged, and its answer tells no value.
   */
  ask(key: number, adds: boolean): (value: number | null) => boolean;
  /** Others add to these counters as well: from now on a value may be above what this process sent. */
  share(): void;
}

/** The tally of the keys of a space; one by a name is the business of those who know it, see {@link TurnStep.tally}. */
export function tally(space: number, name?: string): Tally;

/** Replies that were kept of templates that say `sample`, and of streams of known ids. */
export function samples(): Sample[];

export interface Sample {
  op: string;
  body: string;
  /**
   * When the newest operation that says its moment (`{now}`) was sent, of those that were acknowledged before this was
   * asked for: epoch ms, null where there was none.
   */
  newestMs: number | null;
}

/** What a dataset is: the same for each system that is measured with the same seed. */
export interface DocumentFacts {
  documents: number;
  bytes: number;
  meanBytes: number;
  minBytes: number;
  maxBytes: number;
  /** Of all of them, one after another. */
  sha256: string;
}

/** A deterministic sequence: the same (seed, stream, space) gives the same keys, whatever the system or protocol. */
export function keys(options: KeysOptions): Keys;

export interface Keys {
  stream: number;
  /** The next key; a burst with this object goes on where `next()` stopped, and the other way round. */
  next(): number;
  /** What `{value:N}` stands for with this key: lets an oracle check stored values. */
  value(key: number, bytes: number): string;
  /** The n-th id, from 0, that `{uuid}` stands for: lets an oracle ask for it. */
  uuid(n: number): string;
  /** The n-th key that a burst draws with these, from 0. */
  at(n: number): number;
  /**
   * Which id of whose a text begins with; null where that is of no stream of the seed of these ids, or what follows does
   * not follow from it.
   */
  whose(text: string): { stream: number; n: number } | null;
  /** Whether a text may be what is stored under a key now; needs {@link KeysOptions.versions}. */
  mayBe(key: number, document: string): boolean;
  /** With {@link KeysOptions.data}: what is known of it; `whole`: with all that {@link Keys.restore} needs. */
  known(whole: boolean): KnownValues[];
  /** Takes over what an earlier process knew. */
  restore(known: KnownValues[]): void;
  /** How many keys were inserted beyond the space. */
  inserted(): number;
  /** The next id, with bytes that follow from it, `bytes` in all; a burst with this object goes on where this stopped. */
  nextUuid(bytes?: number): string;
  /** What `{document}` stands for with this key. */
  document(key: number): string;
  /** Of the first n documents. */
  facts(n: number): DocumentFacts;
}

export type Protocol = 'resp' | 'ssdb' | 'http' | 'ws';

export interface ProtocolOptions {
  protocol: Protocol;
  /** `host:port`, or a URL of which host and port are taken. */
  address: string;
  /** For connecting, and for every operation. Default 10 000. */
  timeoutMs?: number;
  /** Default 1. */
  connections?: number;
  /**
   * How a request leaves: `one` write (default), or `two`, each with half of its bytes. Two small writes with
   * `noDelay: false` meet Nagle's algorithm and the receiver's delayed acknowledgement: about 40 ms for each request
   * on Linux.
   */
  writes?: 'one' | 'two';
  /** Whether TCP_NODELAY is set, default true. */
  noDelay?: boolean;
  /**
   * Connections of a lane, from 0, share a loop: lane modulo the number of loops. Two systems that one process loads at
   * the same time have a loop each when each has a lane. The counts of lanes are exported apart.
   */
  lane?: number;
  /**
   * For tests of the method: each answered operation costs the client this much CPU time more, ns (at most 1e9). Default
   * 0.
   */
  brakeNsPerOp?: number;
  /** resp, ssdb: commands after connecting, say `[['AUTH', 'secret']]`. */
  setup?: string[][];
  /** http, ws: headers of every request, or of the upgrade. */
  headers?: Record<string, string>;
  /** ws: path of the upgrade, default `/`. */
  path?: string;
  /** ws: Sec-WebSocket-Protocol. */
  subprotocol?: string;
  /** ws: messages to send after the upgrade. */
  greeting?: string[];
  /** ws: the first operation waits for a message that contains this. */
  ready?: string;
}

/**
 * What an operation does with its key's value, for keys with {@link KeysOptions.data}: `reads` it, and the reply is held
 * against what was written; `writes` it, `swaps` it (writes, and the reply is what was there), `removes` it, or `inserts` one
 * under a new key. A value that cannot be right is class `protocol`.
 */
export interface Accessing {
  use?: 'reads' | 'writes' | 'swaps' | 'removes' | 'inserts' | 'fills';
  /** Which kind of key, say `user:{key}`: each has values of its own. */
  of?: string;
}

/** resp, ssdb. Native ssdb commands are lower case. */
export interface CommandTemplate extends Accessing {
  command: string[];
  /**
   * resp: `simple`, `simple:PONG`, `integer`, `bulk`, `bulk-or-null`, `integer-or-bulk-or-null`, `array`, `any` (default).
   * ssdb: `ok` (default), `integer`, `bulk`, and `bulk-or-null`, `any`, which also take `not_found`.
   */
  expect?: string;
  /**
   * What the value in the reply must be, byte for byte; placeholders stand for those of the operation it answers. Another
   * one is class `protocol`. ssdb: the block after the status.
   */
  returns?: string;
  /**
   * The reply is a counter: after one increment, or as it was read. With `tally` of the keys it must lie between what was
   * acknowledged when it was asked for and what has been sent; another value is class `protocol`. counted: increments that
   * are counted by counter and not checked, because what a fault loses is found out when it is over, or replies tell none.
   */
  tally?: 'adds' | 'reads' | 'counted';
}

/** Replies of text. */
export interface Telling {
  /** As of {@link CommandTemplate}. */
  tally?: 'adds' | 'reads' | 'counted';
  /** What stands before the counter in a reply, say `"value":`; but for `counted` a tally needs it. */
  valueAfter?: string;
}

/** http. A 4xx is class `server`, so is a 5xx, but as one that may have been applied; other surprises `protocol`. */
export interface HttpRequest extends Accessing {
  /** Default GET. */
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Default: any 2xx. */
  status?: number;
  /** This status is right as well: there is no such thing. */
  missing?: number;
  /** The body must contain this. */
  contains?: string;
  /** A body that lacks it and contains this is a refusal, class `server`: nothing was applied. */
  failure?: string;
  /** Bodies are kept now and then, see {@link samples}. */
  sample?: boolean;
  /** The server's own name of a failure follows this in the body, say `"code":"`. It joins the status in `errorKinds`. */
  kindAfter?: string;
  /** Names of failures that prove that nothing was applied: such an operation is not in doubt when the state is checked. */
  notApplied?: string[];
}

export interface HttpTemplate extends HttpRequest, Telling {}

/** ws. Text messages that contain neither `success` nor `failure` are no replies and are passed over. */
export interface MessageTemplate extends Telling {
  message: string;
  /** Default: every message is a success. */
  success?: string;
  failure?: string;
  /** The server's own name of a failure follows this in a refusal. A close frame has its code and reason anyway. */
  kindAfter?: string;
  /** As of {@link HttpTemplate}; the reason of a close frame counts where one operation was under way. */
  notApplied?: string[];
  /**
   * Replies name the operation: the text before the number, say `"request_id":`. The message must contain `{seq}`.
   * Without it replies are taken in order.
   */
  idAfter?: string;
}

export type Template = CommandTemplate | HttpTemplate | MessageTemplate;

/**
 * Operations that are mixed in one window: which comes next is drawn by its share, from a row that depends on the keys
 * only, so it is the same on every system and protocol. Each is recorded in its own window. Over WebSocket the templates must
 * agree on what a right answer is (all but the request itself, and what it tells of a counter).
 */
export interface MixPart {
  /** The shares add up to 1. 0 of what fills: it is sent next with the key of each read of its kind that found nothing. */
  share: number;
  window: Window;
  template: Template;
}

/**
 * http: operations in an order, again and again, of which some need what others were answered: one under way on a
 * connection. Each is recorded in the window of its name. What a connection knows by name (`set`, `take`, `acked`) is its
 * own, and stays known from turn to turn.
 *
 * Further placeholders: `{of:LIST}` one of a list, by the operation's key, `{of:LIST+1}` the one after it, and so on;
 * `{$NAME}` what is known by that name. All texts of an operation see the same key.
 *
 * An operation that fails ends the turn where the others need what it should have told (`take`); the next turn begins.
 * After any other failure the turn goes on.
 */
export interface Turn {
  lists?: Record<string, string[]>;
  steps: TurnStep[];
}

/** One request, and what is demanded of its reply. */
export interface TurnRequest extends HttpRequest {
  /** Each must hold; class `protocol` where one does not. */
  checks?: TurnCheck[];
  /**
   * What is kept of the reply, by name: printable ASCII without blanks and quotes; without it the reply is `protocol`.
   * `at` as in {@link TurnCheck}; `after`: what follows the last of these in the header.
   */
  take?: Record<string, { at: string } | { header: string; after?: string }>;
}

export interface TurnStep extends TurnRequest {
  /** Its window. */
  op: string;
  /** What is known by these names from its sending on. They may use what was known before. */
  set?: Record<string, string>;
  /** What is known by these names once it is acknowledged; meanwhile, and after a failure, they are empty. */
  acked?: Record<string, string>;
  /**
   * `acked` stays empty where this was sent within so many milliseconds of taking `from`: which of the two came last is
   * not defined then.
   */
  apart?: { from: string; ms: number };
  /**
   * Counts the operation, sent and acknowledged, among the counters `from` up to `from + each` of the tally of `of` with
   * that name: in that of its key's remainder by `each`.
   */
  tally?: { name?: string; of: number; from: number; each: number };
  /** Further requests of the operation, sent one after another: it is over with the last reply. */
  more?: TurnRequest[];
}

/**
 * A look into a reply of JSON. `at`: a JSON pointer, in which a segment may be `*`, all elements of a list, or
 * `member=text`, the first element whose member says the text.
 */
export interface TurnCheck {
  at: string;
  /** A text says this, or a number is written so; an empty one takes anything. */
  is?: string;
  /** A list has so many elements. */
  length?: number;
  /** It is a list. */
  list?: boolean;
  /** Missing, null, or an empty list. */
  none?: boolean;
  /**
   * It is the same JSON: all members that this has (null, for one that is left out), the elements of a list in any order.
   * A reply to the same choice from lists of one length that was right before is compared byte by byte.
   */
  same?: string;
  /** Only each so-manieth reply is held against this, the first one among them. */
  every?: number;
  /** `{of:LIST}`: a number, at least that one, and at least what this connection saw there before. */
  least?: string;
}

/** Users who think: nothing is sent for `ms` after every so many operations, and for `firstMs` before the first. */
export interface Rest {
  ms: number;
  every: number;
  firstMs?: number;
}

/**
 * Several callers that take turns, so that what they load is never busy at the same moment. Time is cut into slots of
 * `eachMs` from `startMs` on; this caller sends in slot `own` of every `of`, and what is under way then is awaited.
 */
export interface Slots {
  /** Epoch ms. */
  startMs: number;
  eachMs: number;
  of: number;
  own: number;
}

/**
 * ws: messages that are no replies and contain `contains` count as successes of `window`; their latency runs from the
 * moment that stands after `momentAfter`, in units since the Unix epoch, to their arrival. Those of before the window are
 * passed over; one without a moment, or with a counter that cannot be, is class `protocol`.
 */
export interface Pushes {
  window: Window;
  contains: string;
  momentAfter: string;
  /** Units of the moment in a millisecond: 1000 for microseconds. */
  perMs: number;
  /**
   * What stands behind the moment, right before the counter of key 0. With a tally of the keys it must not fall on this
   * connection, nor be above what was sent.
   */
  valueAfter?: string;
}

/**
 * Open model. Operation i of this caller is due at startMs + (i * of + offset) / ratePerSec; its response time counts
 * from then. Lag = sending - max(due, moment the connection was free). What is due inside the window and was not sent
 * by the end of the call's time, or of the window, counts as dropped: so the last call must run up to `untilMs`.
 * `depth` is how many may be in flight on a connection.
 */
export interface Pace {
  /** Of all callers together. */
  ratePerSec: number;
  /** Epoch ms. */
  startMs: number;
  /** Which of `of` callers this is, from 0. Default 0 of 1. */
  offset?: number;
  of?: number;
}

export interface Work {
  window: Window;
  template: Template;
  /** How many operations, failed ones included. Give it, or an end in time, or both. */
  count?: number;
  /** Keys from, from + 1, ... from + count - 1 in place of a choice by chance; on one connection only. */
  from?: number;
  /** Takes operations of this phase until none is left, `depth` at a time, in place of a count. */
  phase?: Phase;
  /** Operations in flight on a connection, default 1. */
  depth?: number;
  /** Epoch ms: nothing is sent from then on; what is in flight is awaited. */
  untilMs?: number;
  pace?: Pace;
  rest?: Rest;
  /** Not with `pace` or `rest`. */
  slots?: Slots;
}

export interface Result {
  acked: number;
  failed: number;
  /** Sent, then interrupted: outcome unknown. */
  aborted: number;
  /** Open model: due and never sent. */
  dropped: number;
  /** Of all connections together: time between an operation and the next one that was rested. */
  restedMs: number;
}

/** Connections of this VU, dialled when first needed, closed with the VU at the latest. May be called in init code. */
export function connect(options: ProtocolOptions): Connection;

export interface Connection {
  /**
   * Performs operations and returns when they are done. A call may last as long as its window: k6 learns of its
   * operations meanwhile, and an interrupted VU ends it. Between two calls the connections rest. Templates are compiled
   * once; a schedule goes on from call to call as long as `pace` stays the same.
   */
  run(work: Work & { keys?: Keys; pushes?: Pushes }): Result;
  /** The same for a mix of operations in place of one. */
  run(work: Omit<Work, 'window' | 'template'> & { mix: MixPart[]; keys: Keys; pushes?: Pushes }): Result;
  /** The same for turns; a window for each operation. */
  run(
    work: Omit<Work, 'window' | 'template' | 'depth'> & {
      turn: Turn;
      windows: Record<string, Window>;
      keys: Keys;
    },
  ): Result;
  /**
   * resp, ssdb: one command on a connection of its own, and its reply. resp: a string, number, null or a list of them;
   * an error reply is thrown. ssdb: the blocks, status first. For checks and sizes, not for load.
   */
  call(command: string[]): unknown;
  close(): void;
}

export interface ListenOptions {
  window: Window;
  /** `host:port`, or a URL of which host and port are taken. */
  address: string;
  path: string;
  headers?: Record<string, string>;
  /** For connecting. Default 10 000. */
  timeoutMs?: number;
  /** As of {@link ProtocolOptions}. */
  lane?: number;
  /** Epoch ms: the stream is left then. */
  untilMs: number;
  /** The text before an ISO 8601 moment in the data of an event, say `"timestamp":"`: from then its latency counts. */
  sentAfter: string;
  /**
   * With `keys` of this window: the text before an id in the data of an event, say `"id":"`. The ids of one sender must come
   * one after another: each that is missing, and each that comes again or too late, is class `protocol`. Of the events
   * some are kept, see {@link samples}, and all whose id is none of these.
   */
  idAfter?: string;
  keys?: Keys;
}

/**
 * One client of a stream of Server-Sent Events. Every event received inside the window counts as one success, its
 * latency from the moment that it carries to its arrival; an event without one is class `protocol`, a stream that
 * ends early `connect`. Events before the window are passed over. Returns how many were counted.
 */
export function listen(options: ListenOptions): { received: number; lost: boolean };

declare const burst: {
  listen: typeof listen;
  tally: typeof tally;
  samples: typeof samples;
  keys: typeof keys;
  connect: typeof connect;
};
export default burst;
