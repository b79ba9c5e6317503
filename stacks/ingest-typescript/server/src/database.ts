import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Settings } from './settings.js';

export type { Database } from 'better-sqlite3';

/**
 * Keeps every other server off the folder until this process ends, whichever program it is: two would give out the same
 * numbers. The kernel lets go of it, however the process ends.
 * @throws when another one has it
 */
export function holdFolder(data: string): Database.Database {
  const path = join(data, 'server.lock');
  try {
    const lock = new Database(path, { timeout: 0 });
    lock.pragma('cache_size = -64');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw new Error(
      code === 'SQLITE_BUSY' ? `another server has its data in ${data}` : `cannot lock ${path}: ${message}`,
    );
  }
}

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
