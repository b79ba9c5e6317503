/** Shapes shared by the k6 scripts and the clients of the stacks. */

/** Where a client connects: BASE_URL taken apart, since k6 has no `URL`. */
export interface Target {
  url: string;
  host: string;
  port: number;
  transport: string;
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
  /** False for a calibration, whose answers are constants. */
  checksAnswers: boolean;
}

/** What `burst.keys()` returns. */
export interface Keys {
  next(): number;
  value(key: number, bytes: number): string;
  uuid(n: number): string;
  nextUuid(): string;
}

/** The outcome of a check of the state after load; `acked <= stored <= acked + indeterminate`. */
export interface Oracle {
  ok: boolean;
  acked: number | null;
  stored: number | null;
  indeterminate: number | null;
  detail: string;
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

// biome-ignore lint/suspicious/noExplicitAny: its shape follows from the text of a query, or from a workload
export type Answered = any;

/** The operations of the workloads on entities: REST and GraphQL. Each throws on a wrong answer. */
export interface EntityClient {
  /** False where every answer is a constant: then nothing can be checked. */
  checks: boolean;
  /** Returns the new id. */
  create(entity: string, payload: Answered): string;
  /** Creates several at once where the server can. */
  createMany(entity: string, payloads: unknown[]): string[];
  /** Reads an entity and demands its name. */
  demandRead(entity: string, id: string, name: string): void;
  replace(entity: string, id: string, payload: unknown): void;
  remove(entity: string, id: string): void;
  /** The data of a GraphQL query; errors in the answer are thrown. */
  query(entity: string, text: string): Answered;
  /** Number of all living entities. */
  count(entity: string): number;
  /** Waits until the projections contain every acknowledged event; false where the server does not tell. */
  settle(): boolean;
  close(): void;
}

/** `stacks/<system>/client.js`; with several workloads its default export is one of these by workload. */
export interface ClientModule {
  /** Opens a client for the iteration drive and for the oracle. */
  open(target: Target): CountersClient | DocumentsClient | EventsClient | EntityClient;
  /** Options of the burst module's `connect`, without connection count. */
  burst?(target: Target): { protocol: string; address: string; [option: string]: unknown };
  /**
   * For each operation, the template that the burst module drives; a function where they depend on the transport or
   * on the dataset.
   */
  templates?:
    | Record<string, Record<string, unknown>>
    | ((
        target: Target,
        workload: never,
        dataset: Record<string, number>,
      ) => Record<string, Record<string, unknown>>);
  /** Options of the burst module's `listen`, without window and end, for operations that are received. */
  listening?(target: Target): { address: string; path: string; sentAfter: string };
  /** Parity key: the client library of each drive. */
  libraries?: Record<string, string>;
}
