import { randomUUID } from 'node:crypto';
import { openDatabase } from './database.js';
import type { Row } from './event.js';
import type { BareInsert, Settings } from './settings.js';
import { Store } from './store.js';

const TYPES = ['click', 'view', 'error', 'metric', 'trace'];
/** Made at a time. */
const CHUNK = 20_000;
/** On a grown table this share of what it holds is stored to read a rate off. */
const GROWN_PART = 3;

/** @returns an event with the sizes and the number of different names of the workload's events */
function sample(i: number): Row {
  return {
    id: randomUUID(),
    timestamp: 1_767_225_600_000 + Math.floor(i / 20),
    source: `source-${i % 8}`,
    session: `session-${Math.floor(i / 50) % 40}`,
    type: TYPES[i % TYPES.length] as string,
    level: i % 4,
    payload: `{"n":${i % 50},"data":"${'d'.repeat(96)}"}`,
  };
}

interface Reading {
  perTransaction: number;
  storedBefore: number;
  items: number;
  itemsPerSec: number;
}

/** One table that grows. */
class Bare {
  readonly #store: Store;
  #stored = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get stored(): number {
    return this.#stored;
  }

  insert(events: number, perTransaction: number): Reading {
    const storedBefore = this.#stored;
    let ms = 0;
    for (let left = events; left > 0; ) {
      const count = Math.min(left, Math.max(CHUNK, perTransaction));
      const rows = Array.from({ length: count }, (_, i) => sample(this.#stored + i));
      const started = performance.now();
      for (let from = 0; from < count; from += perTransaction) {
        this.#store.begin();
        for (let i = from; i < Math.min(from + perTransaction, count); i++) this.#store.add(rows[i] as Row);
        this.#store.commit();
      }
      ms += performance.now() - started;
      this.#stored += count;
      left -= count;
    }
    return { perTransaction, storedBefore, items: events, itemsPerSec: Math.round((events * 1e4) / ms) / 10 };
  }
}

/**
 * What the storage does alone: the writer's own work on the same tables, with the same settings, in a bare loop. No
 * requests, no JSON. The events are made before the clock starts.
 * @returns one line of JSON: for each size of a transaction the rate on a fresh file, then on one that has grown
 */
export function bareInsert(settings: Settings, { events, perTransaction, grown }: BareInsert): string {
  const readings: Reading[] = [];
  for (const [i, size] of perTransaction.entries()) {
    const database = openDatabase(settings, `bare-${i}.db`);
    const bare = new Bare(new Store(database));
    readings.push(bare.insert(events, size));
    if (i + 1 === perTransaction.length && grown > 0) {
      if (grown > bare.stored) bare.insert(grown - bare.stored, size);
      const part = Math.floor(grown / GROWN_PART);
      for (const own of perTransaction) readings.push(bare.insert(part, own));
    }
    database.close();
  }
  const { synchronous } = settings;
  return JSON.stringify({ eventsPerSec: readings[0]?.itemsPerSec, synchronous, readings });
}
