/**
 * Calls over one WebSocket in k6's own JavaScript, one in flight: what the burst module is compared with.
 * @import { Call, Turns } from '../types.d.ts'
 */
import ws from 'k6/ws';

/**
 * Opens a socket, calls until it is nobody's turn any more, and closes it. A socket that is closed with a call pending
 * fails that call.
 * @param {string} url
 * @param {string} subprotocol '' for none
 * @param {Turns} turns
 * @param {object} protocol
 * @param {string[]} [protocol.greeting] messages to send first
 * @param {string} protocol.ready the first call waits for a message that contains this
 * @param {string} protocol.answered an answer to a call contains this; other messages are passed over
 * @param {string} protocol.succeeded an answer that acknowledges contains this too
 * @param {RegExp} [protocol.value] of an acknowledgement that tells a counter: where it stands
 * @param {(turn: Call, n: number) => string} protocol.message the n-th call
 */
export function converse(
  url,
  subprotocol,
  turns,
  { greeting = [], ready, answered, succeeded, value, message },
) {
  /** @type {Record<string, string>} */
  const headers = subprotocol ? { 'Sec-WebSocket-Protocol': subprotocol } : {};
  let n = 0;
  let pending = false;
  ws.connect(url, { headers }, (socket) => {
    let isReady = false;
    const call = () => {
      const turn = turns.next();
      if (turn === null) return socket.close();
      pending = true;
      socket.send(message(turn, n++));
    };
    socket.on('open', () => {
      for (const text of greeting) socket.send(text);
    });
    socket.on('message', (text) => {
      if (!isReady) {
        isReady = text.includes(ready);
        if (isReady) call();
        return;
      }
      if (!pending || !text.includes(answered)) return;
      pending = false;
      const told = value?.exec(text)?.[1];
      if (text.includes(succeeded)) turns.succeeded(told === undefined ? null : Number(told));
      else turns.failed(`ERR ${text.slice(0, 200)}`);
      call();
    });
  });
  if (pending) turns.failed('the socket was closed with a call pending');
}
