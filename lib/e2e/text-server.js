import { createServer } from 'node:net';

/**
 * A server in the process of a test, which answers in text what it is asked in text.
 * @param {(text: string) => {out: string, used: number}} answer to the whole questions that a text begins with; `used`: their
 *   length
 * @returns {Promise<{port: number, stop: () => void}>}
 */
export async function textServer(answer) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket.on('error', () => {}));
    let rest = '';
    socket.setEncoding('latin1').on('data', (text) => {
      const { out, used } = answer(rest + text);
      rest = (rest + text).slice(used);
      socket.write(out, 'latin1');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, stop };
}
