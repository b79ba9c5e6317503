import { parseArgs } from 'node:util';

export interface BareInsert {
  /** Stored on a fresh file, for each size of a transaction. */
  events: number;
  perTransaction: number[];
  /** Events in the grown table, 0 for none. */
  grown: number;
}

export interface Settings {
  host: string;
  port: number;
  /** Folder of the database file. */
  data: string;
  /** When the log is flushed: at each commit, or at checkpoints only. */
  synchronous: 'FULL' | 'NORMAL';
  /** Seconds that a client may take to send a request. */
  patienceSec: number;
  /** What bodies and answers may take in memory in all. */
  buffersMib: number;
  /** Instead of serving: insert events without the service around, for the ceiling. */
  bareInsert: BareInsert | null;
  version: boolean;
}

/** A setting that cannot be used; its message is for the user. */
export class SettingsError extends Error {}

function integer(name: string, text: string, least: number, most: number): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new SettingsError(`--${name} ${text}: must be a whole number from ${least} to ${most}`);
  return value;
}

/**
 * @param args of the command line; what they do not set is taken from the environment: INGEST_HOST, INGEST_PORT,
 *   INGEST_DATA, INGEST_SYNCHRONOUS, INGEST_PATIENCE, INGEST_BUFFERS
 * @throws {SettingsError}
 */
export function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings {
  let values: Record<string, string | boolean | undefined>;
  try {
    values = parseArgs({
      args,
      options: {
        host: { type: 'string', default: env.INGEST_HOST ?? '127.0.0.1' },
        port: { type: 'string', default: env.INGEST_PORT ?? '8080' },
        data: { type: 'string', default: env.INGEST_DATA ?? '.' },
        synchronous: { type: 'string', default: env.INGEST_SYNCHRONOUS ?? 'FULL' },
        patience: { type: 'string', default: env.INGEST_PATIENCE ?? '60' },
        buffers: { type: 'string', default: env.INGEST_BUFFERS ?? '256' },
        'bare-insert': { type: 'boolean', default: false },
        events: { type: 'string', default: '20000' },
        batch: { type: 'string', default: '50' },
        grown: { type: 'string', default: '0' },
        version: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
  const synchronous = String(values.synchronous).toUpperCase();
  if (synchronous !== 'FULL' && synchronous !== 'NORMAL')
    throw new SettingsError(`--synchronous ${values.synchronous}: must be FULL or NORMAL`);
  return {
    host: String(values.host),
    port: integer('port', String(values.port), 0, 65_535),
    data: String(values.data),
    synchronous,
    patienceSec: integer('patience', String(values.patience), 1, 86_400),
    buffersMib: integer('buffers', String(values.buffers), 0, 1_048_576),
    bareInsert: values['bare-insert']
      ? {
          events: integer('events', String(values.events), 1, 100_000_000),
          perTransaction: String(values.batch)
            .split(',')
            .map((size) => integer('batch', size, 1, 1_000_000)),
          grown: integer('grown', String(values.grown), 0, 100_000_000),
        }
      : null,
    version: values.version === true,
  };
}
