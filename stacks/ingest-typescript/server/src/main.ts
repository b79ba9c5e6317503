#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseSync } from 'node:sqlite';
import { bareInsert } from './bare-insert.js';
import { holdFolder, openDatabase } from './database.js';
import { createService } from './http.js';
import { Memory } from './memory.js';
import { complain, say } from './output.js';
import { Reader } from './reader.js';
import { readSettings, type Settings, SettingsError } from './settings.js';
import { Store } from './store.js';
import { Stream } from './stream.js';
import { Writer } from './writer.js';

/** Of an orderly stop, before connections are cut. */
const GRACE_MS = 4000;

function serve(database: DatabaseSync, settings: Settings): void {
  const { host, port, synchronous, patienceSec } = settings;
  const reader = new Reader(database);
  const memory = new Memory(settings.buffersMib);
  const stream = new Stream(reader, memory);
  const writer = new Writer(new Store(database), {
    wanted: () => stream.wanted,
    stored: (rows) => stream.publish(rows),
  });
  const server = createService({ reader, writer, stream, synchronous, patienceSec, memory });
  server.on('error', (error) => fail(error.message));
  server.listen({ host, port, backlog: 4096 }, () => {
    const { port: bound } = server.address() as AddressInfo;
    say(`listening on http://${host}:${bound}, synchronous=${synchronous}`);
  });
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    close(server, stream)
      .then(() => {
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        database.close();
        say(JSON.stringify({ events: writer.events, transactions: writer.transactions }));
        process.exit(0);
      })
      .catch((error: Error) => fail(error.message));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Answers what has been asked, then ends; a request is answered after its commit, so nothing is left to flush. */
async function close(server: Server, stream: Stream): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  stream.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(cut);
}

function fail(message: string, code = 1): never {
  complain(`ingest-typescript: ${message}`);
  process.exit(code);
}

function main(): void {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings.version) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    say(`ingest-typescript ${version}`);
    return;
  }
  if (settings.bareInsert) say(bareInsert(settings, settings.bareInsert));
  else {
    const held = holdFolder(settings.data);
    // What nothing refers to is collected, and its lock with it.
    process.on('exit', () => held.close());
    serve(openDatabase(settings), settings);
  }
}

try {
  main();
} catch (error) {
  fail((error as Error).message, error instanceof SettingsError ? 2 : 1);
}
