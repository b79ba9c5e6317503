import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { loadStacks } from '../../lib/config/stacks.js';
import { startNative } from '../../lib/engines/native.js';
import { which } from '../../lib/process/tool.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-ssdb-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts as SSDB 1.9.8 does, the file of its process included: ping, set and get, in memory and in a file. */
const STAND_IN = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const conf = readFileSync(process.argv[2], 'utf8');
const of = (name) => new RegExp('^\\\\s*' + name + '\\\\s*[:=]\\\\s*(.*)$', 'm').exec(conf)?.[1];
const pidfile = of('pidfile');
if (pidfile && existsSync(pidfile)) {
  console.log('Fatal error!\\nPidfile ' + pidfile + ' already exists!\\nor use \\'-s restart\\' option to restart the server.');
  process.exit(1);
}
if (pidfile) writeFileSync(pidfile, String(process.pid));
const log = of('work_dir') + '/log';
const stored = new Map(existsSync(log) ? readFileSync(log, 'utf8').split('\\n').filter(Boolean).map((l) => l.split(' ')) : []);
createServer((socket) => socket.on('error', () => {}).on('data', (data) => {
  const [name, key, value] = String(data).split('\\n').filter((_, i) => i % 2 === 1);
  if (name === 'set') { appendFileSync(log, key + ' ' + value + '\\n'); stored.set(key, value); }
  const answer = name === 'get' ? [stored.has(key) ? 'ok' : 'not_found', stored.get(key)] : ['ok'];
  socket.write(answer.filter((x) => x !== undefined).map((x) => x.length + '\\n' + x + '\\n').join('') + '\\n');
})).listen(Number(of('port')), of('ip'));
`;

/**
 * @param {number} port
 * @param {...string} words
 * @returns {Promise<string[]>} blocks of the reply, status first
 */
function ask(port, ...words) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(
        String(data)
          .split('\n')
          .filter((_, i, all) => i % 2 === 1 && i < all.length - 1),
      );
    });
    socket.write(`${words.map((w) => `${w.length}\n${w}\n`).join('')}\n`);
  });
}

/** @param {string} [path] PATH to find the server on */
async function killsAndRestarts(path = process.env.PATH) {
  const before = process.env.PATH;
  process.env.PATH = path;
  try {
    const stack = loadStacks().stacks.find((s) => s.id === 'ssdb');
    assert.ok(stack?.manifest.restart, 'declared to start again on its data');
    const instance = await startNative(stack, { transport: 'ssdb', signal: new AbortController().signal });
    try {
      const port = Number(new URL(instance.url).port);
      assert.deepEqual((await ask(port, 'set', 'k', 'v'))[0], 'ok');
      await instance.kill?.();
      await instance.restart?.();
      assert.deepEqual(await ask(port, 'get', 'k'), ['ok', 'v']);
    } finally {
      await instance.stop();
    }
  } finally {
    process.env.PATH = before;
  }
}

test('a server that refuses to start beside the file of a killed one starts again on its data', async () => {
  writeFileSync(join(folder, 'ssdb-server'), STAND_IN, { mode: 0o755 });
  await killsAndRestarts([folder, process.env.PATH].join(delimiter));
});

test('so does the real server', {
  skip: which('ssdb-server') ? false : 'ssdb-server is not on PATH',
}, async () => {
  await killsAndRestarts();
});

test('the two systems on an LSM tree are given the same caches and blocks', () => {
  const conf = (/** @type {string} */ path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
  const { stacks } = loadStacks();
  const settings = (/** @type {string} */ id) => stacks.find((s) => s.id === id)?.manifest.settings ?? {};
  const [ssdb, kvrocks] = ['ssdb', 'kvrocks'].map(settings);
  assert.equal(ssdb.cache_size, kvrocks['rocksdb.block_cache_size']);
  assert.equal(ssdb.write_buffer_size, kvrocks['rocksdb.write_buffer_size']);
  // One counts in KB, the other in bytes.
  assert.equal(Number(ssdb.block_size) * 1024, Number(kvrocks['rocksdb.block_size']));
  assert.match(conf('ssdb/config/ssdb.conf'), /^\tblock_size: \{setting\.block_size\}$/m);
});
