import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertProblem, event, events } from '../client.js';

/** @import { Case } from '../client.js' */

/** Events that are not valid: what differs, and where the problem lies. @type {[string, Record<string, unknown>, string][]} */
const INVALID = [
  ['an unknown field', { colour: 'red' }, '/colour'],
  ['a field that only answers have', { sequence: 1 }, '/sequence'],
  ['an unknown field with signs that pointers escape', { 'a/b~c': 1 }, '/a~1b~0c'],
  ...['id', 'timestamp', 'source', 'session', 'type', 'level', 'payload'].map(
    (field) =>
      /** @type {[string, Record<string, unknown>, string]} */ ([
        `no ${field}`,
        { [field]: undefined },
        `/${field}`,
      ]),
  ),
  ['an id that is no UUID', { id: 'x' }, '/id'],
  ['an id without hyphens', { id: randomUUID().replaceAll('-', '') }, '/id'],
  ['a number as id', { id: 1 }, '/id'],
  ['a date without time', { timestamp: '2026-01-01' }, '/timestamp'],
  ['a day that does not exist', { timestamp: '2026-02-29T00:00:00Z' }, '/timestamp'],
  ['a time without zone', { timestamp: '2026-01-01T00:00:00' }, '/timestamp'],
  ['a leap second', { timestamp: '2016-12-31T23:59:60Z' }, '/timestamp'],
  ['a time outside the years 1 to 9999', { timestamp: '9999-12-31T23:59:59-00:01' }, '/timestamp'],
  ['a number as timestamp', { timestamp: 1_767_225_600_000 }, '/timestamp'],
  ['an empty source', { source: '' }, '/source'],
  ['a source of 129 characters', { source: 'a'.repeat(129) }, '/source'],
  ['a session with a space', { session: 'a b' }, '/session'],
  ['a type that ends in a line break', { type: 'a\n' }, '/type'],
  ['a type beyond ASCII', { type: 'é' }, '/type'],
  ['a null as type', { type: null }, '/type'],
  ['a level that is none', { level: 'fatal' }, '/level'],
  ['a level in upper case', { level: 'INFO' }, '/level'],
  ['an array as payload', { payload: [] }, '/payload'],
  ['a null as payload', { payload: null }, '/payload'],
  ['a payload of 9 levels', { payload: { a: [[[[[[[[]]]]]]]] } }, '/payload'],
  [
    'a payload of 9 levels of objects',
    { payload: { a: { a: { a: { a: { a: { a: { a: { a: {} } } } } } } } } },
    '/payload',
  ],
  ['a lone surrogate', { payload: { text: '\ud800' } }, '/payload'],
  ['a lone surrogate as name', { payload: { '\udc00': 1 } }, '/payload'],
];

/** Bodies that are no JSON. @type {[string, BodyInit][]} */
const MALFORMED = [
  ['nothing', ''],
  ['half an object', '{"id":'],
  ['a comma too many', '{"events":[],}'],
  ['something after the end', '{} {}'],
  ['single quotes', "{'id':1}"],
  ['a number that is none', '{"id":01}'],
  ['a raw line break in a string', '{"id":"a\nb"}'],
  ['a byte order mark', '\ufeff{}'],
  ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['an unknown field, then no JSON', '{"colour":1,"id":}'],
  ['deep nesting without end', '['.repeat(60_000)],
];

/** @type {Case[]} */
export const refusing = [
  ...INVALID.map(([what, over, pointer]) => ({
    name: `refused: ${what}`,
    run: async (/** @type {import('../client.js').Server} */ server) => {
      assertProblem(await server.one(event(over)), 422, 'invalid-event', pointer);
      const batch = await server.batch([event(), event(over)]);
      assertProblem(batch, 422, 'invalid-event', `/events/1${pointer}`);
    },
  })),
  ...MALFORMED.map(([what, body]) => ({
    name: `malformed: ${what}`,
    run: async (/** @type {import('../client.js').Server} */ server) => {
      assertProblem(await server.post('/api/events', body), 400, 'malformed-json');
      assertProblem(await server.post('/api/events/batch', body), 400, 'malformed-json');
    },
  })),
  {
    name: 'refused: a number beyond the range of doubles',
    run: async (server) => {
      for (const number of ['1e400', '9'.repeat(400)]) {
        const body = JSON.stringify(event()).replace('"n":1', `"n":${number}`);
        assertProblem(await server.post('/api/events', body), 422, 'invalid-event', '/payload');
      }
    },
  },
  {
    name: 'refused: an event that is no object',
    run: async (server) => {
      for (const body of ['[]', '1', '"x"', 'null', 'true', `[${JSON.stringify(event())}]`]) {
        assertProblem(await server.post('/api/events', body), 422, 'invalid-event', '');
        const batch = `{"events":[${body}]}`;
        assertProblem(await server.post('/api/events/batch', batch), 422, 'invalid-event', '/events/0');
      }
    },
  },
  {
    name: 'refused: a batch that is none',
    run: async (server) => {
      const post = (/** @type {unknown} */ body) => server.post('/api/events/batch', JSON.stringify(body));
      assertProblem(await post([]), 422, 'invalid-event', '');
      assertProblem(await post({}), 422, 'invalid-event', '/events');
      assertProblem(await post({ events: null }), 422, 'invalid-event', '/events');
      assertProblem(await post({ events: {} }), 422, 'invalid-event', '/events');
      assertProblem(await post({ events: [] }), 422, 'invalid-event', '/events');
      assertProblem(await post({ events: events(1), more: true }), 422, 'invalid-event', '/more');
    },
  },
  {
    name: 'refused: a batch of 1001 events, of which none is stored',
    run: async (server) => {
      const given = events(1001);
      assertProblem(await server.batch(given), 422, 'invalid-event', '/events');
      assert.equal((await server.get(`/api/events/${given[0].id}`)).status, 404);
    },
  },
  {
    name: 'refused: bodies above their limits, declared or not',
    run: async (server) => {
      for (const [path, bytes] of /** @type {[string, number][]} */ ([
        ['/api/events', 65_537],
        ['/api/events/batch', 4_194_305],
      ])) {
        const body = JSON.stringify(event()).padEnd(bytes, ' ');
        assertProblem(await server.post(path, body), 413, 'body-too-large');
        const chunked = await server.call(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: new Blob([body]).stream(),
          // @ts-expect-error: fetch asks for it with streams, the types do not know it yet
          duplex: 'half',
        });
        assertProblem(chunked, 413, 'body-too-large');
      }
      assert.equal((await server.one(event())).status, 201);
    },
  },
  {
    name: 'refused: a body that is not declared as JSON',
    run: async (server) => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'text/json',
      ]) {
        for (const path of ['/api/events', '/api/events/batch']) {
          const answer = await server.post(path, JSON.stringify(event()), { 'content-type': type });
          assertProblem(answer, 415, 'unsupported-media-type');
        }
      }
      // Bytes have no type of their own that the client would send.
      const answer = await server.post('/api/events', new Uint8Array([0x7b, 0x7d]), {});
      assertProblem(answer, 415, 'unsupported-media-type');
    },
  },
  {
    name: 'refused: a compressed body',
    run: async (server) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      assertProblem(
        await server.post('/api/events', JSON.stringify(event()), headers),
        415,
        'unsupported-media-type',
      );
    },
  },
  {
    name: 'refused: methods that a resource does not have, with those that it has',
    run: async (server) => {
      /** @type {[string, string[], string[]][]} */
      const resources = [
        ['/api/events', ['PUT', 'DELETE', 'PATCH', 'OPTIONS'], ['GET', 'HEAD', 'POST']],
        ['/api/events/batch', ['GET', 'PUT', 'DELETE'], ['POST']],
        [`/api/events/${randomUUID()}`, ['POST', 'PUT', 'DELETE'], ['GET', 'HEAD']],
        ['/api/stats', ['POST', 'DELETE'], ['GET', 'HEAD']],
        ['/api/stream', ['POST'], ['GET', 'HEAD']],
        ['/healthz', ['POST'], ['GET', 'HEAD']],
      ];
      for (const [path, methods, allowed] of resources) {
        for (const method of methods) {
          const answer = await server.call(path, { method });
          assertProblem(answer, 405, 'method-not-allowed');
          assert.deepEqual((answer.headers.get('allow') ?? '').split(/, */).sort(), allowed, path);
        }
      }
    },
  },
  {
    name: 'refused: paths that do not exist',
    run: async (server) => {
      for (const path of [
        '/',
        '/api',
        '/api/event',
        '/api/events/',
        `/api/events/${randomUUID()}/x`,
        '/healthz/',
      ]) {
        assertProblem(await server.get(path), 404, 'not-found');
      }
      assertProblem(await server.post('/api', '{}'), 404, 'not-found');
    },
  },
  {
    name: 'refused: parameters that are not valid, unknown or given twice',
    run: async (server) => {
      const since = '2026-01-01T00:00:00Z';
      for (const query of [
        ...['limit=0', 'limit=1001', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=', 'limit=%2B1', 'limit=01'],
        ...['since=yesterday', 'since=2026-01-01', 'until=1', 'since='],
        ...['source=', 'source=a%20b', 'type=%C3%A9', `session=${'a'.repeat(129)}`, 'type=%ff'],
        ...['cursor=', 'cursor=abc', `cursor=${'F'.repeat(32)}`, `cursor=${'a'.repeat(33)}`],
        ...['colour=red', 'type=a&type=a', `since=${since}&since=${since}`, 'Limit=1'],
      ]) {
        assertProblem(await server.get(`/api/events?${query}`), 400, 'invalid-parameter');
      }
      for (const path of [
        '/api/stats?minutes=0',
        '/api/stats?minutes=1441',
        '/api/stats?x=1',
        '/healthz?x=1',
      ])
        assertProblem(await server.get(path), 400, 'invalid-parameter');
      for (const id of ['x', '%ff', '%zz', 'a%2Fb', randomUUID().slice(1), `${randomUUID()}?x=1`])
        assertProblem(await server.get(`/api/events/${id}`), 400, 'invalid-parameter');
    },
  },
];
