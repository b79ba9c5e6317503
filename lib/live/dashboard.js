import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { freePort } from '../process/ports.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/**
 * k6's own dashboard, at one address for the whole run. Each cell is a process of k6, which serves it while it loads and
 * does not end as long as somebody reads its events: so pages read them here, where they end with the load. The page
 * around it shows that of the next load as soon as there is one.
 */

/** What k6 says last. */
const STOP = /^event: ?stop$/m;
/** Of the last event's text that may still be under way. */
const TAIL = 64;
/** How long is listened for what makes a load ready to be shown, and how soon it is looked whether one has gone. */
const LISTEN_MS = 900;
const LOOK_MS = 100;
const AROUND = readFileSync(new URL('dashboard.html', import.meta.url), 'utf8');

/**
 * One of the systems of a trial, which has no page of k6.
 * @typedef {{system: string, load: string, ratePerSec: number, failed: number, p99Ms: number | null, cores: number | null}} ShownRow
 */

/**
 * @param {RegExp} [ready] what k6's events must have told of before a load is shown
 * @returns {Promise<{port: number, k6Port: number, show: (rows: ShownRow[] | null) => void, close: () => Promise<void>}>}
 *   `port`: for pages; `k6Port`: for k6; `show`: of systems side by side, null when they are not
 */
export async function openDashboard(ready = /^event: ?start$/m) {
  const k6Port = await freePort();
  /** Number of the load, and whether a page has seen its end while its k6 is still there. */
  const now = { load: 1, over: false, trial: /** @type {ShownRow[] | null} */ (null) };
  const onStop = () => {
    if (now.over) return;
    now.over = true;
    const look = setInterval(async () => {
      if (now.over && (await isThere(k6Port))) return;
      clearInterval(look);
      if (now.over) now.load++;
      now.over = false;
    }, LOOK_MS);
    look.unref();
  };
  const server = createServer(async (asked, answer) => {
    const { pathname } = new URL(String(asked.url), 'http://k6');
    const [, load, path] = /^\/(\d+)(\/.*)$/.exec(String(asked.url)) ?? [];
    if (pathname === '/') answer.writeHead(200, { 'content-type': 'text/html' }).end(AROUND);
    else if (pathname === '/load') {
      const { trial } = now;
      const load = trial === null && !now.over && (await has(k6Port, ready)) ? now.load : null;
      answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ load, trial }));
    } else if (load !== undefined && Number(load) !== now.load)
      // A page of an earlier load: it need not ask again.
      answer.writeHead(204).end();
    else forward(k6Port, path ?? String(asked.url), asked, answer, onStop);
  });
  // A run that fails before it has begun ends, even while somebody looks at the page.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    port,
    k6Port,
    show: (rows) => {
      now.trial = rows;
    },
    close: () =>
      new Promise((resolve) => {
        now.over = false;
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param {number} port @returns {Promise<boolean>} whether a k6 is there, of which no events are asked */
async function isThere(port) {
  const call = { method: 'HEAD', signal: AbortSignal.timeout(LISTEN_MS) };
  return (await fetch(`http://127.0.0.1:${port}/ui/`, call).catch(() => null)) !== null;
}

/**
 * @param {number} port
 * @param {RegExp} what
 * @returns {Promise<boolean>} whether a k6 is there whose events have told of it: it tells each new reader all of them
 */
async function has(port, what) {
  let text = '';
  try {
    const signal = AbortSignal.timeout(LISTEN_MS);
    const { body } = await fetch(`http://127.0.0.1:${port}/events`, { signal });
    for await (const part of /** @type {any} */ (body).pipeThrough(new TextDecoderStream())) {
      text += part;
      if (what.test(text)) return true;
    }
  } catch {
    // It ended, or there was nothing in time.
  }
  return false;
}

/**
 * @param {number} k6Port
 * @param {string} path as k6 has it
 * @param {IncomingMessage} asked
 * @param {ServerResponse} answer
 * @param {() => void} onStop called when k6 has said its last
 */
function forward(k6Port, path, asked, answer, onStop) {
  const { method, headers } = asked;
  const up = request({ host: '127.0.0.1', port: k6Port, method, path, headers }, (from) => {
    answer.writeHead(Number(from.statusCode), from.headers);
    if (from.headers['content-type'] === 'text/event-stream') untilStop(from, answer, onStop);
    else from.pipe(answer);
  });
  up.on('error', () => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(503).end('no load at the moment\n');
  });
  answer.on('close', () => up.destroy());
  asked.pipe(up);
}

/**
 * @param {IncomingMessage} from k6, events
 * @param {ServerResponse} answer
 * @param {() => void} onStop
 */
function untilStop(from, answer, onStop) {
  let tail = '';
  from.setEncoding('utf8');
  from.on('data', (text) => {
    answer.write(text);
    const seen = tail + text;
    tail = seen.slice(-TAIL);
    if (!STOP.test(seen)) return;
    onStop();
    // k6 waits for its readers to go.
    from.destroy();
  });
  from.on('close', () => answer.end());
}
