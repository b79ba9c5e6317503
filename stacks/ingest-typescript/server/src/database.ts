import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Settings } from './settings.js';

export type { Database } from 'better-sqlite3';

/**
 * Opens the one connection. SQLite calls are synchronous here, so a second connection would never run beside it.
 * @param name of the file
 * @throws when the folder does not exist or cannot be written
 */
export function openDatabase(
  { data, synchronous }: Pick<Settings, 'data' | 'synchronous'>,
  name = 'events.db',
): Database.Database {
  const database = new Database(join(data, name));
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
