import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { event, events, fresh } from '../client.js';

/** @import { Case } from '../client.js' */

const DEEPEST = { a: [[[[[[[]]]]]]] };

/** @type {Case[]} */
export const writing = [
  {
    name: 'an event comes back as it was given',
    run: async (server) => {
      const given = event({
        payload: { text: 'ü\u0000😀"\\\n', list: [1, -2.5, 1e10, true, null], deep: DEEPEST.a[0] },
      });
      const stored = await server.one(given);
      assert.equal(stored.status, 201);
      assert.deepEqual(stored.json, { id: given.id, status: 'stored' });
      assert.equal(stored.headers.get('location'), `/api/events/${given.id}`);
      const read = await server.get(`/api/events/${given.id}`);
      assert.equal(read.status, 200);
      const { sequence, ...rest } = read.json;
      assert.ok(Number.isSafeInteger(sequence) && sequence > 0);
      assert.deepEqual(rest, given);
    },
  },
  {
    name: 'times are kept in UTC to the millisecond',
    run: async (server) => {
      for (const [timestamp, kept] of [
        ['2026-03-01T01:30:00.1239+02:00', '2026-02-28T23:30:00.123Z'],
        ['2024-02-29t23:59:59z', '2024-02-29T23:59:59.000Z'],
        ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
        ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
        ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z'],
      ]) {
        const given = event({ timestamp });
        assert.equal((await server.one(given)).status, 201, timestamp);
        assert.equal((await server.get(`/api/events/${given.id}`)).json.timestamp, kept);
      }
    },
  },
  {
    name: 'a payload on several lines comes back with the same value',
    run: async (server) => {
      const given = event({ payload: { a: [1, { b: 'x' }] } });
      const body = JSON.stringify(given, null, 2).replaceAll('\n', '\r\n');
      assert.equal((await server.post('/api/events', body)).status, 201);
      assert.deepEqual((await server.get(`/api/events/${given.id}`)).json.payload, given.payload);
    },
  },
  {
    name: 'a repeated event is reported, and the first one stays',
    run: async (server) => {
      const first = event({ payload: { version: 1 } });
      await server.one(first);
      const again = await server.one({ ...first, level: 'error', payload: { version: 2 } });
      assert.equal(again.status, 200);
      assert.deepEqual(again.json, { id: first.id, status: 'duplicate' });
      assert.deepEqual((await server.get(`/api/events/${first.id}`)).json.payload, { version: 1 });
    },
  },
  {
    name: 'the case of an id does not matter',
    run: async (server) => {
      const given = event();
      const upper = given.id.toUpperCase();
      assert.deepEqual((await server.one({ ...given, id: upper })).json, { id: given.id, status: 'stored' });
      assert.equal((await server.one(given)).json.status, 'duplicate');
      assert.equal((await server.get(`/api/events/${upper}`)).json.id, given.id);
    },
  },
  {
    name: 'a batch is stored in its order, without gaps in the sequence',
    run: async (server) => {
      const given = events(50);
      const answer = await server.batch(given);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, { stored: 50, duplicates: [] });
      const read = await Promise.all(given.map((e) => server.get(`/api/events/${e.id}`)));
      const sequences = read.map((r) => r.json.sequence);
      assert.deepEqual(
        sequences,
        sequences.map((_, i) => sequences[0] + i),
      );
    },
  },
  {
    name: 'batches of 1 and of 1000 are taken',
    run: async (server) => {
      assert.deepEqual((await server.batch(events(1))).json, { stored: 1, duplicates: [] });
      assert.deepEqual((await server.batch(events(1000))).json, { stored: 1000, duplicates: [] });
    },
  },
  {
    name: 'duplicates within a batch and of stored events are listed, in their order',
    run: async (server) => {
      const [a, b, c] = events(3);
      await server.one(a);
      const answer = await server.batch([b, a, b, c]);
      assert.deepEqual(answer.json, { stored: 2, duplicates: [a.id, b.id] });
    },
  },
  {
    name: 'a batch with one invalid event stores none',
    run: async (server) => {
      const given = events(20);
      assert.equal((await server.batch([...given, event({ level: 'loud' })])).status, 422);
      for (const e of given) assert.equal((await server.get(`/api/events/${e.id}`)).status, 404);
    },
  },
  {
    name: 'of many requests with one id at once, one stores it',
    run: async (server) => {
      const id = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => server.one(event({ id, payload: { n } }))),
      );
      assert.equal(answers.filter((a) => a.status === 201).length, 1);
      assert.equal(answers.filter((a) => a.status === 200 && a.json.status === 'duplicate').length, 39);
    },
  },
  {
    name: 'many batches at once are all stored, each id once',
    run: async (server) => {
      const session = fresh('burst');
      const batches = Array.from({ length: 40 }, () => events(25, () => ({ session })));
      const answers = await Promise.all(batches.map((b) => server.batch(b)));
      for (const answer of answers) assert.deepEqual(answer.json, { stored: 25, duplicates: [] });
      const page = await server.page({ session, limit: 1000 });
      const ids = page.json.events.map((/** @type {any} */ e) => e.id);
      assert.deepEqual(
        ids.sort(),
        batches
          .flat()
          .map((e) => e.id)
          .sort(),
      );
    },
  },
  {
    name: 'a payload of 8 levels, and the longest names, are taken',
    run: async (server) => {
      // Another one each time: a server by its address was checked before, and kept what it was sent.
      const name = fresh('aZ09._:/@-').padEnd(128, 'aZ09._:/@-');
      const given = event({ payload: DEEPEST, source: name, session: name, type: name });
      assert.equal((await server.one(given)).status, 201);
      assert.equal((await server.page({ source: name, type: name, session: name })).json.events.length, 1);
    },
  },
  {
    name: 'bodies just within their limits are taken',
    run: async (server) => {
      const padded = (/** @type {object} */ body, /** @type {number} */ bytes) =>
        JSON.stringify(body).padEnd(bytes, ' ');
      assert.equal((await server.post('/api/events', padded(event(), 65_536))).status, 201);
      const batch = padded({ events: events(2) }, 4_194_304);
      assert.equal((await server.post('/api/events/batch', batch)).status, 200);
    },
  },
  {
    name: 'the last of a repeated name counts',
    run: async (server) => {
      const given = event({ level: 'warning' });
      const body = JSON.stringify(given).replace('{', '{"level":"none",');
      assert.equal((await server.post('/api/events', body)).status, 201);
      assert.equal((await server.get(`/api/events/${given.id}`)).json.level, 'warning');
    },
  },
  {
    name: 'a content type may have parameters',
    run: async (server) => {
      const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
      assert.equal((await server.post('/api/events', JSON.stringify(event()), headers)).status, 201);
    },
  },
];
