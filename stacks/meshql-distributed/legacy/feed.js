/**
 * Changes rows of the legacy database at a rate, until it is told to end (SIGTERM); then waits until the API has every
 * change, and prints a line of JSON: `count`, `seconds`, `latencyMs` from the commit of a row to the API's
 * acknowledgement (`p50`, `p90`, `p99`, `max`), `mostLag`, `drainMs`.
 * environment: RATE_PER_SEC changes per second; PORT_POSTGRES, PORT_LEGACY the database and the processor, on loopback;
 * SECRET the password of the database.
 *
 * Rows are changed and none is made: the number of entities and the totals stay what the load makes them.
 */
import { spawn } from 'node:child_process';

const TICK_MS = 20;
const DRAIN_MS = 50_000;

/** Rows of `seed.sql`: table, a text to change, and a condition for the n-th of them. */
const ROWS = [
  {
    table: 'zequi_hen',
    text: 'henne_nm',
    row: (/** @type {number} */ n) => `equnr = '${pad(1 + (n % 7), 18)}'`,
  },
  {
    table: 'zbehaelt_mstr',
    text: 'behaelt_nm',
    row: (/** @type {number} */ n) => `behaelt_nr = 'BH${pad(1 + (n % 4), 8)}'`,
  },
  {
    table: 'zkunde_vbr',
    text: 'kund_nm',
    row: (/** @type {number} */ n) => `kunnr = '${pad(1 + (n % 3), 10)}'`,
  },
  {
    table: 'zafru_lege',
    text: 'aenam',
    row: (/** @type {number} */ n) => `aufnr = '${pad(1 + (n % 8), 12)}'`,
  },
];

const { RATE_PER_SEC, PORT_POSTGRES, PORT_LEGACY, SECRET } = process.env;
const processor = `http://127.0.0.1:${PORT_LEGACY}`;
const where = ['-h', '127.0.0.1', '-p', PORT_POSTGRES ?? '', '-U', 'postgres', '-d', 'egg_economy_sap'];
// In a group of its own: a signal to ours would end it before its last row. It ends when its input does.
const psql = spawn('psql', [...where, '-qX', '-v', 'ON_ERROR_STOP=1'], {
  stdio: ['pipe', 'ignore', 'inherit'],
  env: { ...process.env, PGPASSWORD: SECRET },
  detached: true,
});
const closed = new Promise((resolve) => psql.once('close', resolve));

await fetch(`${processor}/reset`, { method: 'POST' });
const startedAt = performance.now();
let sent = 0;
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - startedAt) / 1000) * Number(RATE_PER_SEC));
  let text = '';
  for (; sent < due; sent++) text += change(sent);
  if (text) psql.stdin.write(text);
}, TICK_MS);
// Without its database there is nothing to wait for.
closed.then((code) => code !== 0 && process.exit(1));
process.once('SIGTERM', finish);

/** @param {number} n */
function change(n) {
  const { table, text, row } = ROWS[n % ROWS.length];
  return `UPDATE ${table} SET ${text} = 'No ${n}' WHERE ${row(Math.floor(n / ROWS.length))};\n`;
}

/** @param {number} n @param {number} width */
function pad(n, width) {
  return String(n).padStart(width, '0');
}

async function finish() {
  clearInterval(timer);
  const seconds = (performance.now() - startedAt) / 1000;
  psql.stdin.end();
  await closed;
  const stoppedAt = performance.now();
  for (;;) {
    const { latency, mostLag } = await (await fetch(`${processor}/status`)).json();
    const drainMs = Math.round(performance.now() - stoppedAt);
    if (latency.count >= sent) {
      const { p50Ms: p50, p90Ms: p90, p99Ms: p99, maxMs: max } = latency;
      const latencyMs = sent > 0 ? { p50, p90, p99, max } : null;
      console.log(JSON.stringify({ count: sent, seconds, latencyMs, mostLag, drainMs }));
      process.exit(0);
    }
    if (drainMs > DRAIN_MS) {
      console.error(
        `${latency.count} of ${sent} changes have reached the API ${DRAIN_MS / 1000} s after the last`,
      );
      process.exit(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
