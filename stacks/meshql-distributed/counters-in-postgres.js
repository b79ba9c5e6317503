/**
 * For a test: counters over RESP2, each increment a transaction of PostgreSQL that is acknowledged when it has committed.
 * `node counters-in-postgres.js PORT POSTGRES_PORT`; PGPASSWORD in the environment. Every connection has a psql of its own.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

const [port, postgresPort] = process.argv.slice(2);
const WHERE = ['-h', '127.0.0.1', '-p', postgresPort, '-U', 'postgres', '-d', 'postgres'];
const text = (/** @type {string} */ word) => `'${word.replaceAll("'", "''")}'`;

/** Begins a line that no value begins with: the answer before it is whole. */
const DONE = '#done';

/** @returns {{ask: (sql: string) => Promise<string[]>, end: () => void}} answers come in the order of the questions */
function session() {
  const psql = spawn('psql', [...WHERE, '-qXAt', '-v', 'ON_ERROR_STOP=1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  /** @type {{resolve: (lines: string[]) => void, reject: (error: Error) => void}[]} */
  const asked = [];
  let said = '';
  psql.stdin.on('error', () => {});
  psql.stdout.setEncoding('utf8').on('data', (data) => {
    said += data;
    for (let at = said.indexOf(`${DONE}\n`); at >= 0; at = said.indexOf(`${DONE}\n`)) {
      asked.shift()?.resolve(said.slice(0, at).split('\n').filter(Boolean));
      said = said.slice(at + DONE.length + 1);
    }
  });
  const failed = () => {
    for (const { reject } of asked.splice(0)) reject(new Error('the database is gone'));
  };
  psql.on('error', failed).on('close', failed);
  return {
    ask: (sql) =>
      new Promise((resolve, reject) => {
        if (psql.exitCode !== null) return reject(new Error('the database is gone'));
        asked.push({ resolve, reject });
        psql.stdin.write(`${sql};\n\\echo ${DONE}\n`);
      }),
    end: () => psql.kill('SIGKILL'),
  };
}

const bulk = (/** @type {string | undefined} */ value) =>
  value === undefined ? '$-1\r\n' : `$${value.length}\r\n${value}\r\n`;

/**
 * @param {(sql: string) => Promise<string[]>} ask
 * @param {string[]} words
 * @returns {Promise<string>}
 */
async function answer(ask, [command, ...keys]) {
  const name = command.toUpperCase();
  if (name === 'PING') return '+PONG\r\n';
  if (name === 'INCR') {
    const [value] = await ask(
      `INSERT INTO counters VALUES (${text(keys[0])}, 1) ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`,
    );
    return `:${value}\r\n`;
  }
  if (name !== 'GET' && name !== 'MGET') return '-ERR unknown command\r\n';
  const rows = await ask(`SELECT name, value FROM counters WHERE name IN (${keys.map(text).join(',')})`);
  const values = new Map(rows.map((row) => /** @type {[string, string]} */ (row.split('|'))));
  if (name === 'GET') return bulk(values.get(keys[0]));
  return `*${keys.length}\r\n${keys.map((key) => bulk(values.get(key))).join('')}`;
}

/**
 * @param {string} request what has come so far
 * @returns {{words: string[], used: number} | null} the first whole command
 */
function commandIn(request) {
  const lines = request.split('\r\n');
  const parts = request.startsWith('*') ? Number(lines[0].slice(1)) * 2 : 0;
  if (lines.length < 2 + parts) return null;
  const used = lines.slice(0, 1 + parts).reduce((sum, line) => sum + line.length + 2, 0);
  return {
    words: parts === 0 ? lines[0].split(' ') : lines.slice(1, 1 + parts).filter((_, i) => i % 2 === 1),
    used,
  };
}

createServer((socket) => {
  const { ask, end } = session();
  let pending = '';
  let before = Promise.resolve();
  socket.on('error', () => {}).on('close', end);
  socket.on('data', (data) => {
    pending += data.toString('latin1');
    for (let next = commandIn(pending); next; next = commandIn(pending)) {
      const { words, used } = next;
      pending = pending.slice(used);
      before = before
        .then(() => answer(ask, words))
        .then((reply) => void socket.write(reply, 'latin1'))
        .catch(() => void socket.destroy());
    }
  });
}).listen(Number(port), '127.0.0.1');
