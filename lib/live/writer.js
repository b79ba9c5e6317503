/**
 * @import { Point } from './line.js'
 */
import { lineOf } from './line.js';

const FLUSH_MS = 500;
const WRITE_MS = 2000;
/** Points that wait at most; beyond them new ones are lost. */
const MOST_WAITING = 20_000;
const MOST_IN_BATCH = 5000;

/**
 * Writes points in the background. It never throws and never makes anyone wait, until it is closed: a lost point costs
 * the live view a dot, and a run nothing.
 * @param {string} url of the InfluxDB 1.x database, `http://[user:password@]host:port/database`
 * @returns {{write: (points: Point[]) => void, lost: () => number, close: () => Promise<void>}}
 */
export function createWriter(url) {
  const { origin, pathname } = new URL(url);
  const headers = signIn(url);
  const target = `${origin}/write?db=${pathname.slice(1)}&precision=ms`;
  /** @type {string[]} */
  let waiting = [];
  let lost = 0;
  /** @type {Promise<void> | null} */
  let underWay = null;

  const send = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_IN_BATCH);
      const answer = await post(target, headers, batch.join('\n'));
      if (!answer?.ok) lost += batch.length;
      if (!answer) return;
    }
  };
  const flush = () => {
    underWay ??= send().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const timer = setInterval(flush, FLUSH_MS);
  timer.unref();
  return {
    write: (points) => {
      const lines = points.map(lineOf).filter((line) => line !== null);
      const room = Math.max(0, MOST_WAITING - waiting.length);
      lost += Math.max(0, lines.length - room);
      waiting.push(...lines.slice(0, room));
    },
    lost: () => lost,
    close: async () => {
      clearInterval(timer);
      await flush();
      await flush();
      lost += waiting.length;
      waiting = [];
    },
  };
}

/**
 * @param {string} url of any database of that InfluxDB
 * @param {string[]} names of databases that must be there; those that are stay as they are
 * @returns {Promise<boolean>} whether InfluxDB said yes
 */
export async function createDatabases(url, names) {
  const query = names.map((name) => `CREATE DATABASE "${name}"`).join('; ');
  const answer = await post(`${new URL(url).origin}/query?q=${encodeURIComponent(query)}`, signIn(url));
  return answer?.ok === true;
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {string} [body]
 * @returns {Promise<Response | null>} read to its end; null where none came in time
 */
async function post(url, headers, body) {
  const signal = AbortSignal.timeout(WRITE_MS);
  const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  return answer;
}

/**
 * @param {string} url with `user:password@`, or without
 * @returns {Record<string, string>} headers that sign in
 */
function signIn(url) {
  const { username, password } = new URL(url);
  if (username === '') return {};
  const both = [username, password].map(decodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(both).toString('base64')}` };
}
