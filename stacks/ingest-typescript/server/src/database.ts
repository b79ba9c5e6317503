import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Settings } from './settings.js';

export type { Database } from 'better-sqlite3';

/**
 * Opens the one connection. SQLite calls are synchronous here, so a second connection would never run beside it.
 * @throws when the folder does not exist or cannot be written
 */
export function openDatabase({
  data,
  synchronous,
}: Pick<Settings, 'data' | 'synchronous'>): Database.Database {
  const database = new Database(join(data, 'events.db'));
  for (const setting of [
    'journal_mode = WAL',
    `synchronous = ${synchronous}`,
    'wal_autocheckpoint = 4000',
    'cache_size = -8192',
    'temp_store = MEMORY',
    'busy_timeout = 5000',
  ]) {
    database.pragma(setting);
  }
  database.exec(readFileSync(new URL('../schema.sql', import.meta.url), 'utf8'));
  return database;
}

/** The statement that stores one event; a duplicate changes nothing. SQLite itself turns the id into its 16 bytes. */
export const INSERT = `INSERT INTO events (id, timestamp, source, session, type, level, payload)
  VALUES (unhex(?, '-'), ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;
