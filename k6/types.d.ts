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

/** `stacks/<system>/client.js` */
export interface ClientModule {
  /** Opens a client for the iteration drive and for the oracle. */
  open(target: Target): CountersClient;
  /** Options of the burst module's `connect`, without connection count. */
  burst?(target: Target): { protocol: string; address: string; [option: string]: unknown };
  /** For each operation, the template that the burst module drives. */
  templates?: Record<string, Record<string, unknown>>;
  /** Parity key: the client library of each drive. */
  libraries?: Record<string, string>;
}
