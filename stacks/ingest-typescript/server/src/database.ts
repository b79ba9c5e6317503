import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Settings } from './settings.js';

/** What SQLite answers where another process has the file. */
const SQLITE_BUSY = 5;

/**
 * Keeps every other server off the folder until this process ends, whichever program it is: two would give out the same
 * numbers. The kernel lets go of it, however the process ends.
 * @throws when another one has it
 */
export function holdFolder(data: string): DatabaseSync {
  const path = join(data, 'server.lock');
  try {
    const lock = new DatabaseSync(path);
    lock.exec('PRAGMA cache_size = -64; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number };
    throw new Error(
      errcode === SQLITE_BUSY ? `another server has its data in ${data}` : `cannot lock ${path}: ${message}`,
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
): DatabaseSync {
  const database = new DatabaseSync(join(data, name));
  for (const setting of [
    'journal_mode = WAL',
    `synchronous = ${synchronous}`,
    'wal_autocheckpoint = 4000',
    'cache_size = -8192',
    'temp_store = MEMORY',
    'busy_timeout = 5000',
  ]) {
    database.exec(`PRAGMA ${setting}`);
  }
  database.exec(readFileSync(new URL('../schema.sql', import.meta.url), 'utf8'));
  return database;
}
