/** Shapes shared by the k6 scripts and the clients of the stacks. */
import type { Turn, TurnCheck, TurnRequest, TurnStep } from 'k6/x/burst';
import type { Sent, Span } from 'k6/x/measure';

export type { Turn, TurnCheck, TurnRequest, TurnStep };

/** Where a client connects: BASE_URL taken apart, since k6 has no `URL`. */
export interface Target {
  url: string;
  host: string;
  port: number;
  transport: string;
  /** What logs in, where somebody must: a password, and a user where there is one. */
  login?: { user?: string; password: string };
}

export interface WorkloadContext {
  dataset: Record<string, number>;
  /** Names this k6 process: a step's id. */
  label: string;
  /** Most virtual users of a window. */
  users: number;
  /** The keys that a virtual user draws in the measured window of an operation; undefined where it has none. */
  keysOf(op: string, stream: number): Keys | undefined;
  /** Steps by count with known keys: keys are 0 to keys - 1, those of the warm-up included. */
  keys: number;
  /** While load runs: what `before` returned; null where nothing keeps state. */
  start?: Answered;
  /** The document of a key, where the workload has any. */
  document(key: number): string;
  /** Side by side: whether a text may be a key's document by now, which was written again and again. */
  mayBe?(key: number, text: string): boolean;
  /** Counters: what was sent to each and acknowledged; null where nothing is counted. */
  tally: Pick<Tally, 'begin' | 'counts' | 'ask' | 'share'> | null;
  /** Where a turn counts its operations: which tally; null where nobody counts them. */
  counters?: { name: string; of: number } | null;
  /** The ids that operations in doubt carried. */
  uuidsOf(spans: Span[]): string[];
  /** Who sent a text of an id of the load and what follows from it; `sent`: also of these sequences. */
  writersOf(sent: Sent[]): (text: string) => { seed: number; stream: number; n: number } | null;
  /** Who sent an id; null where no operation carried any. */
  sendersOf(totals: Record<string, { sent?: Sent[] }>): ((uuid: string) => Origin | null) | null;
  /** Of a workload as data: what is stored in the system. */
  stored?(): { begin(): void; end(): Oracle; state(): unknown };
  /** What was wrong with replies that were looked at when the load was over. */
  problems?: string[];
  /** Side by side: each key was written once before the load, and written again and again in it. */
  slices?: boolean;
  /** False for a calibration, whose answers are constants. */
  checksAnswers: boolean;
  /** A background load changes rows that are not the workload's own. */
  othersChange: boolean;
}

/** Where an id of `k6/x/burst` comes from. */
export interface Origin {
  op: string;
  stream: number;
  /** Which id of its stream it is, from 0. */
  n: number;
  /** What `{value:N}` stood for in the i-th operation of the stream. */
  value(i: number, bytes: number): string;
}

/** What `burst.keys()` returns. */
export interface Keys {
  stream: number;
  next(): number;
  value(key: number, bytes: number): string;
  uuid(n: number): string;
  nextUuid(bytes?: number): string;
}

/** The outcome of a check of the state after load; `acked <= stored <= acked + indeterminate`. */
export interface Oracle {
  ok: boolean;
  acked: number | null;
  stored: number | null;
  indeterminate: number | null;
  /** How many values hold what nobody can have put there: more than was sent, or another's. */
  wrong?: number;
  /** Acknowledged writes that are not there, and writes that are there more often than they were sent; each place by itself. */
  missing?: number;
  surplus?: number;
  detail: string;
}

/** What `burst.tally()` returns. */
export interface Tally {
  begin(from: number, values: number[]): void;
  counts(): { start: number[]; sent: number[]; acked: number[] };
  ask(key: number, adds: boolean): (value: number | null) => boolean;
  share(): void;
}

/** The operations of the workload `counters`. Each returns plain data or throws: no metrics, tags, sleeps or retries. */
export interface CountersClient {
  ping(): Promise<unknown>;
  increment(key: string): Promise<number>;
  get(key: string): Promise<string | null>;
  getMany(keys: string[]): Promise<(string | null)[]>;
  close(): void;
}

/** One event of the workload `events`. */
export interface IngestEvent {
  /** Where it is stored: its place in the order of acceptance. */
  sequence?: number;
  id: string;
  timestamp: string;
  source: string;
  session: string;
  type: string;
  level: string;
  payload: { n: number; data: string };
}

/** The operations of the workload `events`. */
export interface EventsClient {
  /** Stores one event; what the answer says: `stored` or `duplicate`. */
  single(event: IngestEvent): string;
  batch(events: IngestEvent[]): { stored: number; duplicates: string[] };
  /** One stored event, null when there is none of that id. */
  event(id: string): IngestEvent | null;
  /** Those of these ids, null where there is none. */
  events(ids: string[]): (IngestEvent | null)[];
  /** How many of these ids are stored. */
  countStored(ids: string[]): number;
  page(query: Record<string, string | number>): { events: IngestEvent[]; nextCursor: string | null };
  /** Number of all stored events. */
  total(): number;
  close(): void;
}

/** The operations of the workload `documents`. */
export interface DocumentsClient {
  set(key: string, document: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
  /** How many documents were deleted: 1, or 0 when there was none. */
  del(key: string): Promise<number>;
  getMany(keys: string[]): Promise<(string | null)[]>;
  /** How much the system itself says that it stores; null and why where it does not say. */
  storedBytes(): Promise<{ bytes: number | null; counter: string }>;
  /** Makes the stored data as small as the system makes it, and waits for it; what was done, null when nothing can be. */
  compact(): Promise<string | null>;
  close(): void;
}

/** The operations of the workload `realtime`. */
export interface RealtimeClient {
  /** Throws when it is refused: `by` must be at least 1. The counter's new value; null where the answer does not tell it. */
  increment(counter: number, by: number): number | null;
  /** Throws when it is refused: the body must not be empty. */
  createMessage(author: number, body: string): unknown;
  /** Every counter's value, by its number. */
  counters(): Map<number, number>;
  /** What tells messages that are stored by now from later ones; it may store one. */
  mark(): unknown;
  /** Visits each message that was stored after a mark. */
  messagesAfter(mark: Answered, visit: (author: number, body: string) => void): void;
  close(): void;
}

/** The next operation of a virtual user. */
export interface Call {
  op: string;
  key: number;
  /** Who sends it: the user's number. */
  author: number;
  /** That no other operation has. */
  text(bytes: number): string;
}

/** The turns of a virtual user whose transport keeps a session open. */
export interface Turns {
  /** Begins an operation; null when the window is over. */
  next(): Call | null;
  /** `value`: what the reply tells of a counter; null where it tells none. */
  succeeded(value: number | null): void;
  failed(error: string): void;
}

// biome-ignore lint/suspicious/noExplicitAny: its shape follows from the text of a query, or from a workload
export type Answered = any;

/** What the checks of the state of the workloads on entities ask: REST and GraphQL. Each throws on a wrong answer. */
export interface EntityClient {
  /** Returns the new id. */
  create(entity: string, payload: Answered): string;
  /** Whether the answer to the last creation named the new id. */
  tellsIds(): boolean;
  /** Creates several at once where the server can. */
  createMany(entity: string, payloads: unknown[]): string[];
  /** Reads an entity and demands its name. */
  demandRead(entity: string, id: string, name: string): void;
  /** The data of a GraphQL query; errors in the answer are thrown. */
  query(entity: string, text: string): Answered;
  /** All living entities, as REST lists them. */
  list(entity: string): Answered[];
  /**
   * Waits until the projections contain every acknowledged event. Where the server does not tell, until it is `done`, and
   * not for long: false where that did not come.
   */
  settle(done: () => boolean): boolean;
  close(): void;
}

/** The requests of the workloads on entities, and what is demanded of their answers. Texts may hold placeholders. */
export interface EntityRequests {
  /** `as`: the name under which the turn knows the new id; absent where nobody asks for it. */
  create(entity: string, payload: Answered, as?: string): Omit<TurnStep, 'op'>;
  /** Demands members by name; what is empty by then may be anything. */
  read(entity: string, id: string, expected: Record<string, string>): TurnRequest;
  replace(entity: string, id: string, payload: unknown): TurnRequest;
  remove(entity: string, id: string): TurnRequest;
  /** Demands that the answer tells no errors. */
  query(entity: string, text: string, checks: TurnCheck[]): TurnRequest;
}

/** What a workload's turn is made for. */
export interface UserContext extends Pick<WorkloadContext, 'label' | 'start' | 'counters' | 'othersChange'> {
  /** Eight characters that no other user has. */
  user: string;
}

/** `stacks/<system>/client.js`; with several workloads its default export is one of these by workload. */
export interface ClientModule {
  /** Opens a client for the iteration drive and for the oracle. */
  open(target: Target): CountersClient | DocumentsClient | EventsClient | RealtimeClient | EntityClient;
  /** Options of the burst module's `connect`, without connection count. */
  burst?(target: Target): { protocol: string; address: string; [option: string]: unknown };
  /** Iteration drive of a transport with sessions: one connection, calls in turn; false for other transports. */
  converse?(target: Target, turns: Turns, dataset: Record<string, number>): boolean;
  /** For each operation, the template that the burst module drives; a function where it depends on transport or dataset. */
  templates?:
    | Record<string, Record<string, unknown>>
    | ((
        target: Target,
        workload: never,
        dataset: Record<string, number>,
      ) => Record<string, Record<string, unknown>>);
  /** What a user sends in its turns; `start`: what `before` of the workload returned, null for a calibration. */
  requests?(target: Target, start: Answered): EntityRequests;
  /** Which messages of a connection of the load are pushes; null where the transport has none. */
  pushes?(
    target: Target,
  ): { contains: string; momentAfter: string; perMs: number; valueAfter?: string } | null;
  /** Options of the burst module's `listen`, without window and end, for operations that are received. */
  listening?(target: Target): { address: string; path: string; sentAfter: string; idAfter?: string };
}

/** A calibration's clients keep no state to be asked for: they perform the operations, and close. */
type Uncheckable = { close(): void };

/** Names the exports of a client.js in its own text, so that tsc holds them against `ClientModule`. */
export type CheckedClient<
  T extends
    | (Omit<ClientModule, 'open'> & { open(target: Target): Uncheckable })
    | { default: Record<string, Omit<ClientModule, 'open'> & { open(target: Target): Uncheckable }> },
> = T;
