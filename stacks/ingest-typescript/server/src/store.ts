import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row } from './event.js';

/** Ids move from `recent_ids` to `ids` range by range, one range for so many stored events … */
const SETTLE_EVERY = 1000;
/** … and so many ranges: by the first byte of the id, eight values each. */
const RANGES = 32;
/** Where each range begins; at the end what is above every id. */
const BOUNDS = Array.from({ length: RANGES + 1 }, (_, range) =>
  range < RANGES ? Buffer.from([(range * 256) / RANGES]) : Buffer.alloc(17, 0xff),
);

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

/** Where the store stands after a commit. */
interface Place {
  /** Sequence of the last event. */
  last: number;
  /** Events stored since a range was settled. */
  unsettled: number;
  /** The range that is settled next. */
  range: number;
}

/**
 * What storing events takes: refusing duplicates, the event, its indexes, the counts. Statements stay prepared. Used by
 * the writer and by the measurement of the storage alone.
 */
export class Store {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #claim: StatementSync;
  readonly #insert: StatementSync;
  readonly #count: StatementSync;
  readonly #settle: StatementSync;
  readonly #forget: StatementSync;
  #committed: Place;
  #place: Place;
  #counts = new Counts();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    // SQLite itself turns the text of the id into its 16 bytes.
    this.#claim = database.prepare(
      `INSERT INTO recent_ids (id, seq)
        SELECT key, seq FROM (SELECT unhex(?, '-') AS key, ? AS seq)
        WHERE NOT EXISTS (SELECT 1 FROM ids WHERE id = key)
        ON CONFLICT DO NOTHING`,
    );
    this.#insert = database.prepare("INSERT INTO events VALUES (?, unhex(?, '-'), ?, ?, ?, ?, ?, ?)");
    this.#count = database.prepare(
      'INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events',
    );
    this.#settle = database.prepare(
      'INSERT INTO ids SELECT id, seq FROM recent_ids WHERE id >= ? AND id < ?',
    );
    this.#forget = database.prepare('DELETE FROM recent_ids WHERE id >= ? AND id < ?');
    const { last } = database.prepare('SELECT coalesce(max(seq), 0) AS last FROM events').get() as {
      last: number;
    };
    this.#committed = { last, unsettled: 0, range: 0 };
    this.#place = { ...this.#committed };
  }

  begin(): void {
    this.#begin.run();
  }

  /** @returns the sequence of the event, 0 where its id is stored already */
  add(row: Row): number {
    const sequence = this.#place.last + 1;
    if (this.#claim.run(row.id, sequence).changes === 0) return 0;
    const { id, timestamp, source, session, type, level, payload } = row;
    this.#insert.run(sequence, id, timestamp, source, session, type, level, payload);
    this.#place.last = sequence;
    this.#place.unsettled++;
    this.#counts.add(row);
    return sequence;
  }

  /** Returns when the transaction is flushed. */
  commit(): void {
    for (const [kind, names] of this.#counts.byKind.entries()) {
      for (const [name, events] of names) this.#count.run(kind, name, events);
      names.clear();
    }
    while (this.#place.unsettled >= SETTLE_EVERY) this.#settleRange();
    this.#commit.run();
    this.#committed = { ...this.#place };
  }

  /** Undoes what was added since `begin`, if anything is open. */
  rollback(): void {
    this.#counts = new Counts();
    this.#place = { ...this.#committed };
    if (this.#database.isTransaction) this.#rollback.run();
  }

  #settleRange(): void {
    const { range } = this.#place;
    const [from, to] = BOUNDS.slice(range, range + 2) as [Buffer, Buffer];
    this.#settle.run(from, to);
    this.#forget.run(from, to);
    this.#place.range = (range + 1) % RANGES;
    this.#place.unsettled -= SETTLE_EVERY;
  }
}
