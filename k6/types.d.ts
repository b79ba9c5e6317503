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
  /** Steps by count with known keys: keys are 0 to keys - 1, those of the warm-up included. */
  keys: number;
  /** The document of a key, where the workload has any. */
  document(key: number): string;
  /** False for a calibration, whose answers are constants. */
  checksAnswers: boolean;
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

/** `stacks/<system>/client.js`; with several workloads its default export is one of these by workload. */
export interface ClientModule {
  /** Opens a client for the iteration drive and for the oracle. */
  open(target: Target): CountersClient | DocumentsClient;
  /** Options of the burst module's `connect`, without connection count. */
  burst?(target: Target): { protocol: string; address: string; [option: string]: unknown };
  /** For each operation, the template that the burst module drives; a function where they depend on the transport. */
  templates?:
    | Record<string, Record<string, unknown>>
    | ((target: Target) => Record<string, Record<string, unknown>>);
  /** Parity key: the client library of each drive. */
  libraries?: Record<string, string>;
}
