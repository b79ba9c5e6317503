import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { eventJson } from './event.js';
import { STATS_NAMES } from './limits.js';
import { formatTimestamp } from './timestamp.js';

/** What GET /api/events asks for; `since` and `until` in ms. */
export interface Query {
  source?: string;
  type?: string;
  session?: string;
  since?: number;
  until?: number;
  cursor?: Cursor;
  limit: number;
}

/** A place in the order of pages: after this event. */
export interface Cursor {
  timestamp: bigint;
  sequence: bigint;
}

type Columns = [number, string, number, string, string, string, number, string];

const SELECT = 'SELECT seq, lower(hex(id)), timestamp, source, session, type, level, payload FROM events';

const SEQUENCE_OF = `(SELECT seq FROM recent_ids WHERE id = unhex(?, '-')
  UNION ALL SELECT seq FROM ids WHERE id = unhex(?, '-'))`;

/** @returns the event as JSON */
function jsonOf([sequence, hex, timestamp, source, session, type, level, payload]: Columns): string {
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return eventJson({ id, timestamp, source, session, type, level, payload }, sequence);
}

function hex64(value: number): string {
  return BigInt.asUintN(64, BigInt(value)).toString(16).padStart(16, '0');
}

/** @param text 32 hexadecimal digits: the two numbers as 64 bits each */
export function parseCursor(text: string): Cursor {
  const [timestamp, sequence] = [text.slice(0, 16), text.slice(16)].map((part) =>
    BigInt.asIntN(64, BigInt(`0x${part}`)),
  ) as [bigint, bigint];
  return { timestamp, sequence };
}

/** @returns a statement whose rows are arrays: an object for each costs more than the row */
function rowsOf(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** The types of Node.js know rows as objects alone. */
function columnsOf(row: unknown): Columns {
  return row as Columns;
}

/** The questions of the contract, each answered as JSON. Statements stay prepared. */
export class Reader {
  readonly #database: DatabaseSync;
  readonly #byId: StatementSync;
  readonly #after: StatementSync;
  readonly #names: StatementSync;
  readonly #total: StatementSync;
  readonly #minutes: StatementSync;
  /** By the conditions of the query. */
  readonly #pages = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#byId = rowsOf(database, `${SELECT} WHERE seq = ${SEQUENCE_OF}`);
    this.#after = rowsOf(database, `${SELECT} WHERE seq > ? ORDER BY seq`);
    this.#names = rowsOf(
      database,
      'SELECT name, events FROM counts WHERE kind = ? ORDER BY events DESC, name LIMIT ?',
    );
    this.#total = rowsOf(database, 'SELECT coalesce(sum(events), 0) FROM counts WHERE kind = 1');
    this.#minutes = rowsOf(
      database,
      'SELECT name, events FROM counts WHERE kind = 2 ORDER BY name DESC LIMIT ?',
    );
  }

  /** @returns the event as JSON, undefined where there is none */
  event(id: string): string | undefined {
    const columns = this.#byId.get(id, id);
    return columns && jsonOf(columnsOf(columns));
  }

  /** @returns the events after a sequence, in its order */
  *after(sequence: number): Generator<{ sequence: number; json: string }, void> {
    for (const row of this.#after.iterate(sequence)) {
      const columns = columnsOf(row);
      yield { sequence: columns[0], json: jsonOf(columns) };
    }
  }

  /** @returns the page as JSON */
  page({ source, type, session, since, until, cursor, limit }: Query): string {
    const conditions: string[] = [];
    const values: (string | number | bigint)[] = [];
    const where = (condition: string, ...given: (string | number | bigint | undefined)[]) => {
      if (given[0] === undefined) return;
      conditions.push(condition);
      values.push(...(given as (string | number | bigint)[]));
    };
    where('source = ?', source);
    where('type = ?', type);
    where('session = ?', session);
    where('timestamp >= ?', since);
    where('timestamp < ?', until);
    where('(timestamp, seq) < (?, ?)', cursor?.timestamp, cursor?.sequence);
    const rows = this.#pageStatement(conditions)
      .all(...values, limit + 1)
      .map(columnsOf);
    const more = rows.length > limit;
    if (more) rows.pop();
    const last = rows.at(-1);
    const next = more && last ? `"${hex64(last[2])}${hex64(last[0])}"` : 'null';
    return `{"events":[${rows.map(jsonOf).join(',')}],"nextCursor":${next}}`;
  }

  #pageStatement(conditions: string[]): StatementSync {
    const key = conditions.join(' AND ');
    let statement = this.#pages.get(key);
    if (!statement) {
      const where = key === '' ? '' : `WHERE ${key}`;
      statement = rowsOf(this.#database, `${SELECT} ${where} ORDER BY timestamp DESC, seq DESC LIMIT ?`);
      this.#pages.set(key, statement);
    }
    return statement;
  }

  /** @returns counts as JSON */
  stats(minutes: number): string {
    return JSON.stringify({
      events: columnsOf(this.#total.get())[0],
      byType: Object.fromEntries(this.#names.all(0, STATS_NAMES) as unknown as [string, number][]),
      bySource: Object.fromEntries(this.#names.all(1, STATS_NAMES) as unknown as [string, number][]),
      perMinute: (this.#minutes.all(minutes) as unknown as [number, number][])
        .reverse()
        .map(([minute, events]) => ({ minute: formatTimestamp(minute * 60_000), events })),
    });
  }
}
