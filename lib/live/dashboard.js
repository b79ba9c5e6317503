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
const AROUND = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ladderbench, live</title>
<style>html, body { margin: 0; height: 100%; font-family: sans-serif }
iframe { border: 0; width: 100%; height: 100% } p { margin: 2rem } [hidden] { display: none }</style>
<p>Between two loads: the next one is shown here when it begins.</p>
<iframe title="The load of this moment" hidden></iframe>
<script>
const [wait, frame] = document.querySelectorAll('p, iframe');
let shown = -1;
setInterval(async () => {
  const { up, ended } = await (await fetch('/load')).json();
  if (!up || ended === shown) return;
  shown = ended;
  frame.src = '/ui/?endpoint=/&' + ended;
  frame.hidden = false;
  wait.hidden = true;
}, 1000);
</script>
</html>
`;

/**
 * @returns {Promise<{port: number, k6Port: number, close: () => Promise<void>}>} `port`: for pages; `k6Port`: for k6
 */
export async function openDashboard() {
  const k6Port = await freePort();
  /** Loads whose end was seen by a page. */
  let ended = 0;
  const server = createServer((asked, answer) => {
    const { pathname } = new URL(String(asked.url), 'http://k6');
    if (pathname === '/') answer.writeHead(200, { 'content-type': 'text/html' }).end(AROUND);
    else if (pathname === '/load')
      isUp(k6Port).then((up) =>
        answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ up, ended })),
      );
    else
      forward(k6Port, asked, answer, () => {
        ended++;
      });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    port,
    k6Port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param {number} port @returns {Promise<boolean>} whether a k6 serves its dashboard there */
async function isUp(port) {
  try {
    const options = { method: 'HEAD', signal: AbortSignal.timeout(1000) };
    return (await fetch(`http://127.0.0.1:${port}/ui/`, options)).ok;
  } catch {
    return false;
  }
}

/**
 * @param {number} k6Port
 * @param {IncomingMessage} asked
 * @param {ServerResponse} answer
 * @param {() => void} onStop called when k6 has said its last
 */
function forward(k6Port, asked, answer, onStop) {
  const { method, url: path, headers } = asked;
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
