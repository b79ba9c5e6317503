import { randomUUID } from 'node:crypto';
import { type Database, INSERT } from './database.js';
import type { Row } from './event.js';

const TYPES = ['click', 'view', 'error', 'metric', 'trace'];

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

/**
 * The ceiling of the binding: the same table, indexes and settings, a bare loop, one transaction for each batch.
 * The events are made before the clock starts.
 * @returns one line of JSON
 */
export function bareInsert(database: Database, { events, batch }: { events: number; batch: number }): string {
  const rows = Array.from({ length: events }, (_, i) => sample(i));
  const insert = database.prepare(INSERT);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  let transactions = 0;
  const started = performance.now();
  for (let from = 0; from < events; from += batch) {
    begin.run();
    for (let i = from; i < Math.min(from + batch, events); i++) {
      const row = rows[i] as Row;
      insert.run(row.id, row.timestamp, row.source, row.session, row.type, row.level, row.payload);
    }
    commit.run();
    transactions++;
  }
  const seconds = (performance.now() - started) / 1000;
  return JSON.stringify({
    events,
    batchSize: batch,
    transactions,
    seconds,
    eventsPerSec: events / seconds,
    synchronous: database.pragma('synchronous', { simple: true }) === 2 ? 'FULL' : 'NORMAL',
  });
}
