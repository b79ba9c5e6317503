/**
 * A server that speaks one system's protocol and lies to the load. `node live-server.js STAND_IN PORT LIE`: the stand-in is
 * a file in the system's folder that says what its requests and messages mean.
 */
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { lyingLive } from './lying-live.js';
import { webSocketOf } from './web-socket.js';

const [file, port, lie] = process.argv.slice(2);
/** For an answer: nobody asks for speed, and the machine is left to what is tested beside. */
const ANSWER_MS = 2;
/** @type {{answer: Function, session: Function}} */
const standIn = await import(pathToFileURL(file).href);
const store = lyingLive(lie);
/** Sessions that are told of the hot counter. @type {Set<() => void>} */
const followers = new Set();

/** @param {(() => void) | null} own who changed it, and is told in another way */
function tell(own) {
  for (const follower of followers) if (follower !== own) follower();
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url === '/ready') return response.end();
  const before = JSON.stringify(store.counters()[0]);
  const { status, text } = standIn.answer(String(request.url), body, store);
  setTimeout(() => response.writeHead(status, { 'Content-Type': 'application/json' }).end(text), ANSWER_MS);
  if (before !== JSON.stringify(store.counters()[0])) tell(null);
});
server.on('upgrade', (request, socket) => {
  /** @type {(() => void) | null} */
  let own = null;
  const write = webSocketOf(request, socket, (text) => session.take(text));
  const send = (/** @type {string} */ text) => setTimeout(() => write(text), ANSWER_MS);
  const session = standIn.session(store, send, {
    follow(/** @type {() => void} */ push) {
      own = push;
      followers.add(push);
    },
    tell: (/** @type {boolean} */ oneself) => tell(oneself ? null : own),
  });
  socket.on('close', () => {
    if (own) followers.delete(own);
  });
});
server.listen(Number(port), '127.0.0.1');
