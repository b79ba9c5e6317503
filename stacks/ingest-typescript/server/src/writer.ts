import type { Row, StoredRow } from './event.js';
import type { Store } from './store.js';

/** `duplicates`: the rows that were not stored, in their order. */
export type Done = (error: Error | null, duplicates: Row[]) => void;

interface Job {
  rows: Row[];
  done: Done;
}

const NONE: Row[] = [];
/** Events after which a transaction is closed even if more are waiting: bounds how long other requests wait. */
const GROUP_EVENTS = 2000;

/**
 * Group commit: the requests that one turn of the event loop has read are stored in one transaction, so that they
 * share one flush of the log. While it is flushed the next requests arrive in the sockets and make up the next group.
 */
export class Writer {
  /** Since the start. */
  events = 0;
  transactions = 0;

  readonly #store: Store;
  readonly #stored: (rows: StoredRow[]) => void;
  /** Whether anyone wants to hear of stored rows. */
  readonly #wanted: () => boolean;
  #queue: Job[] = [];

  /** @param listener hears of all rows of a transaction after its commit, in the order of their sequence */
  constructor(store: Store, listener: { wanted: () => boolean; stored: (rows: StoredRow[]) => void }) {
    this.#store = store;
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
      this.#store.rollback();
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
    let stored = 0;
    this.#store.begin();
    const duplicates = jobs.map(({ rows }) => {
      let found = NONE;
      for (const row of rows) {
        const sequence = this.#store.add(row);
        if (sequence === 0) {
          if (found === NONE) found = [];
          found.push(row);
          continue;
        }
        stored++;
        news?.push({ ...row, sequence });
      }
      return found;
    });
    this.#store.commit();
    this.events += stored;
    this.transactions++;
    return duplicates;
  }
}
