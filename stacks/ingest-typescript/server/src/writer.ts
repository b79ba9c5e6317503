import type { Database, Statement } from 'better-sqlite3';
import { INSERT } from './database.js';
import type { Row, StoredRow } from './event.js';

/** `duplicates`: the rows that were not stored, in their order. */
export type Done = (error: Error | null, duplicates: Row[]) => void;

interface Job {
  rows: Row[];
  done: Done;
}

const NONE: Row[] = [];
/** Events after which a transaction is closed even if more are waiting: bounds how long other requests wait. */
const GROUP_EVENTS = 2000;

/** New events by type, source and minute, of one transaction. */
class Counts {
  readonly byKind = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<bigint, number>(),
  ] as const;

  add(row: Row): void {
    const [types, sources, minutes] = this.byKind;
    types.set(row.type, (types.get(row.type) ?? 0) + 1);
    sources.set(row.source, (sources.get(row.source) ?? 0) + 1);
    const minute = BigInt(Math.floor(row.timestamp / 60_000));
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
}

/**
 * Group commit: the requests that one turn of the event loop has read are stored in one transaction, so that they
 * share one flush of the log. While it is flushed the next requests arrive in the sockets and make up the next group.
 */
export class Writer {
  /** Since the start. */
  events = 0;
  transactions = 0;

  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #insert: Statement<[string, number, string, string, string, number, string]>;
  readonly #count: Statement<[number, string | bigint, number]>;
  readonly #database: Database;
  readonly #stored: (rows: StoredRow[]) => void;
  /** Whether anyone wants to hear of stored rows. */
  readonly #wanted: () => boolean;
  #queue: Job[] = [];

  /** @param listener hears of all rows of a transaction after its commit, in the order of their sequence */
  constructor(database: Database, listener: { wanted: () => boolean; stored: (rows: StoredRow[]) => void }) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    this.#insert = database.prepare(INSERT);
    this.#count = database.prepare(
      'INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events',
    );
    this.#wanted = listener.wanted;
    this.#stored = listener.stored;
  }

  /** @param rows valid ones, stored all or none; `done` is called after the commit */
  submit(rows: Row[], done: Done): void {
    if (this.#queue.push({ rows, done }) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const jobs = this.#group();
    const news: StoredRow[] | null = this.#wanted() ? [] : null;
    let duplicates: Row[][];
    try {
      duplicates = this.#transaction(jobs, news);
    } catch (error) {
      if (this.#database.inTransaction) this.#rollback.run();
      for (const job of jobs) job.done(error as Error, NONE);
      return;
    }
    for (const [i, job] of jobs.entries()) job.done(null, duplicates[i] ?? NONE);
    if (news !== null && news.length > 0) this.#stored(news);
  }

  /** Takes the jobs of one transaction from the queue; what stays is stored in the next turn of the event loop. */
  #group(): Job[] {
    let events = 0;
    let count = 0;
    for (const { rows } of this.#queue) {
      if (events >= GROUP_EVENTS) break;
      events += rows.length;
      count++;
    }
    const rest = this.#queue.slice(count);
    const jobs = rest.length === 0 ? this.#queue : this.#queue.slice(0, count);
    this.#queue = rest;
    if (rest.length > 0) setImmediate(() => this.#flush());
    return jobs;
  }

  /** @returns the duplicates of each job */
  #transaction(jobs: Job[], news: StoredRow[] | null): Row[][] {
    const counts = new Counts();
    let stored = 0;
    this.#begin.run();
    const duplicates = jobs.map(({ rows }) => {
      let found = NONE;
      for (const row of rows) {
        const { changes, lastInsertRowid } = this.#insert.run(
          row.id,
          row.timestamp,
          row.source,
          row.session,
          row.type,
          row.level,
          row.payload,
        );
        if (changes === 0) {
          if (found === NONE) found = [];
          found.push(row);
          continue;
        }
        stored++;
        counts.add(row);
        news?.push({ ...row, sequence: Number(lastInsertRowid) });
      }
      return found;
    });
    for (const [kind, names] of counts.byKind.entries()) {
      for (const [name, events] of names) this.#count.run(kind, name, events);
    }
    this.#commit.run();
    this.events += stored;
    this.transactions++;
    return duplicates;
  }
}
