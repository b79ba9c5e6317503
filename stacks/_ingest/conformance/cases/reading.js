import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertProblem, event, events, fresh } from '../client.js';

/** @import { Case, Server } from '../client.js' */

/** @param {number} second of a fixed minute */
function at(second) {
  return new Date(Date.UTC(2026, 4, 1, 10, 0, second)).toISOString();
}

/** @param {any} answer */
function ids(answer) {
  assert.equal(answer.status, 200, answer.text);
  return answer.json.events.map((/** @type {any} */ e) => e.id);
}

/**
 * All pages, one after another.
 * @param {Server} server
 * @param {Record<string, string | number>} query
 * @param {() => Promise<unknown>} [between]
 */
async function pages(server, query, between = async () => {}) {
  const found = [];
  let cursor = null;
  for (let page = 0; page < 100; page++) {
    const answer = await server.page(cursor === null ? query : { ...query, cursor });
    found.push(...ids(answer));
    cursor = answer.json.nextCursor;
    if (cursor === null) return found;
    await between();
  }
  throw new Error('the pages have no end');
}

/** @type {Case[]} */
export const reading = [
  {
    name: 'the server says that it is ready, and what an acknowledgement means',
    run: async (server) => {
      const answer = await server.get('/healthz');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.equal(answer.json.status, 'ok');
      assert.ok(['FULL', 'NORMAL'].includes(answer.json.synchronous));
    },
  },
  {
    name: 'an unknown id is not found',
    run: async (server) => assertProblem(await server.get(`/api/events/${randomUUID()}`), 404, 'not-found'),
  },
  {
    name: 'HEAD answers as GET, without a body',
    run: async (server) => {
      for (const path of ['/healthz', '/api/events', '/api/stats', '/api/stream']) {
        const answer = await server.call(path, { method: 'HEAD' });
        assert.equal(answer.status, 200, path);
        assert.equal(answer.text, '');
      }
    },
  },
  {
    name: 'the newest come first; of the same time, the one stored last',
    run: async (server) => {
      const session = fresh('order');
      const given = [3, 1, 2, 2, 1].map((second) => event({ session, timestamp: at(second) }));
      await server.batch(given);
      assert.deepEqual(
        ids(await server.page({ session })),
        [0, 3, 2, 4, 1].map((i) => given[i].id),
      );
    },
  },
  {
    name: 'each filter, and all of them together',
    run: async (server) => {
      const [a, b] = [fresh('a'), fresh('b')];
      const given = events(8, (i) => ({
        source: i & 1 ? a : b,
        type: i & 2 ? a : b,
        session: i & 4 ? a : b,
        timestamp: at(i),
      }));
      await server.batch(given);
      const expect = (/** @type {(i: number) => unknown} */ holds) =>
        given.flatMap((e, i) => (holds(i) ? [e.id] : [])).reverse();
      assert.deepEqual(
        ids(await server.page({ source: a })),
        expect((i) => i & 1),
      );
      assert.deepEqual(
        ids(await server.page({ type: a })),
        expect((i) => i & 2),
      );
      assert.deepEqual(
        ids(await server.page({ session: a })),
        expect((i) => i & 4),
      );
      assert.deepEqual(
        ids(await server.page({ source: a, session: b })),
        expect((i) => i & 1 && !(i & 4)),
      );
      const all = { source: a, type: a, session: a, since: at(7), until: at(8) };
      assert.deepEqual(ids(await server.page(all)), [given[7].id]);
      assert.deepEqual(ids(await server.page({ source: fresh('nobody') })), []);
    },
  },
  {
    name: 'since is within, until is not; both take any offset',
    run: async (server) => {
      const session = fresh('time');
      const given = events(5, (i) => ({ session, timestamp: at(i) }));
      await server.batch(given);
      const between = await server.page({ session, since: at(1), until: at(3) });
      assert.deepEqual(ids(between), [given[2].id, given[1].id]);
      const shifted = await server.page({ session, since: '2026-05-01T12:00:03+02:00' });
      assert.deepEqual(ids(shifted), [given[4].id, given[3].id]);
      assert.deepEqual(ids(await server.page({ session, since: at(3), until: at(1) })), []);
    },
  },
  {
    name: 'pages follow one another without gap or repetition',
    run: async (server) => {
      const session = fresh('pages');
      // Many of the same time: the sequence decides.
      const given = events(25, (i) => ({ session, timestamp: at(Math.floor(i / 10)) }));
      await server.batch(given);
      const expected = given.map((e) => e.id).reverse();
      for (const limit of [1, 7, 24, 25, 26])
        assert.deepEqual(await pages(server, { session, limit }), expected);
    },
  },
  {
    name: 'events that come in between pages neither repeat nor hide others',
    run: async (server) => {
      const session = fresh('stable');
      const given = events(20, (i) => ({ session, timestamp: at(i) }));
      await server.batch(given);
      const found = await pages(server, { session, limit: 6 }, async () => {
        await server.one(event({ session, timestamp: at(59) }));
      });
      assert.deepEqual(found, given.map((e) => e.id).reverse());
    },
  },
  {
    name: 'pages of times before 1970',
    run: async (server) => {
      const session = fresh('old');
      const given = events(6, (i) => ({ session, timestamp: `19${10 + i}-01-01T00:00:00.001Z` }));
      await server.batch(given);
      assert.deepEqual(await pages(server, { session, limit: 2 }), given.map((e) => e.id).reverse());
    },
  },
  {
    name: 'a page holds 100 events unless told otherwise, and up to 1000',
    run: async (server) => {
      const session = fresh('many');
      await server.batch(events(1000, () => ({ session })));
      assert.equal(ids(await server.page({ session })).length, 100);
      const whole = await server.page({ session, limit: 1000 });
      assert.equal(ids(whole).length, 1000);
      assert.equal(whole.json.nextCursor, null);
    },
  },
  {
    name: 'statistics count every stored event once, by type, source and minute',
    run: async (server) => {
      const [source, type] = [fresh('source'), fresh('type')];
      const before = (await server.get('/api/stats')).json;
      const minute = new Date(Date.UTC(9000 + Math.floor(Math.random() * 900), 0, 1)).toISOString();
      const given = events(7, (i) => ({
        source,
        type: i < 3 ? type : `${type}-2`,
        timestamp: minute.replace('00.000', `0${i}.000`),
      }));
      await server.batch([...given, given[0]]);
      const { json } = await server.get('/api/stats?minutes=1440');
      assert.equal(json.events - before.events, 7);
      assert.equal(json.bySource[source], 7);
      assert.equal(json.byType[type], 3);
      assert.equal(json.byType[`${type}-2`], 4);
      assert.deepEqual(
        json.perMinute.filter((/** @type {any} */ m) => m.minute === minute),
        [{ minute, events: 7 }],
      );
      const minutes = json.perMinute.map((/** @type {any} */ m) => m.minute);
      assert.deepEqual(minutes, [...minutes].sort());
      assert.equal((await server.get('/api/stats?minutes=1')).json.perMinute.length, 1);
    },
  },
];
