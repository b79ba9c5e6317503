import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** @import { RecentMs, SideOrder, SideReport } from '../types.d.ts' */

/** @typedef {SideReport & {recentMs: RecentMs}} Told what a side says of an order that it has done */

/**
 * Where the systems' users of k6/drives/orders.js ask what to do next. Each asks when it has nothing to do, and waits for its
 * answer; its report of one order comes with the question for the next.
 * @typedef {object} Control
 * @property {string} url
 * @property {(name: string, order: SideOrder) => Promise<Told>} order waits until the side has done it
 * @property {(names: string[]) => Promise<void>} ready until each of them has asked for the first time
 * @property {() => void} end tells every side that there is nothing more to do
 * @property {() => Promise<void>} close
 */

/**
 * @param {string[]} names of the sides
 * @returns {Promise<Control>} on a free loopback port
 */
export async function openControl(names) {
  /** @type {Map<string, {reply: ((order: SideOrder | null) => void) | null, done: ((told: Told) => void) | null}>} */
  const sides = new Map(names.map((name) => [name, { reply: null, done: null }]));
  /** Of each side by its name, whenever it asks. */
  const asked = new EventEmitter();
  let ended = false;
  const server = createServer(async (request, response) => {
    const name = String(request.url).slice(1);
    const side = sides.get(name);
    // Of a generator that is killed in the midst of its question nothing more comes.
    const body = await text(request).catch(() => null);
    if (!side || body === null) {
      response.writeHead(404).end();
      return;
    }
    const answer = (/** @type {SideOrder | null} */ order) => {
      side.reply = null;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(order));
    };
    const report = JSON.parse(body || 'null');
    const { done } = side;
    side.done = null;
    side.reply = answer;
    if (ended) answer(null);
    asked.emit(name);
    if (report !== null) done?.(report);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    order: (name, order) =>
      new Promise((resolve, reject) => {
        const side = sides.get(name);
        if (!side?.reply) {
          reject(new Error(`${name} has not asked for an order`));
          return;
        }
        side.done = resolve;
        side.reply(order);
      }),
    ready: async (wanted) => {
      await Promise.all(wanted.map((name) => sides.get(name)?.reply ?? once(asked, name)));
    },
    end: () => {
      ended = true;
      for (const side of sides.values()) side.reply?.(null);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
