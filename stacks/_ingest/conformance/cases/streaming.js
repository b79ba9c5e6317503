import assert from 'node:assert/strict';
import { assertProblem, event, events, openStream } from '../client.js';

/** @import { Case, Message } from '../client.js' */

/** @param {Message[]} messages */
function idsOf(messages) {
  return messages.map((m) => m.event.id);
}

/** @type {Case[]} */
export const streaming = [
  {
    name: 'the stream sends new events as they are read, in the order of their sequence',
    run: async (server) => {
      const stream = await openStream(server);
      const given = events(30);
      await server.one(given[0]);
      await server.batch(given.slice(1));
      const messages = await stream.take(30);
      stream.close();
      assert.deepEqual(
        idsOf(messages),
        given.map((e) => e.id),
      );
      for (const { id, event: sent } of messages) {
        assert.equal(id, sent.sequence);
        assert.deepEqual(sent, (await server.get(`/api/events/${sent.id}`)).json);
      }
    },
  },
  {
    name: 'duplicates and refused events are not sent',
    run: async (server) => {
      const [a, b, c] = events(3);
      await server.one(a);
      const stream = await openStream(server);
      await server.batch([a, b, b]);
      await server.batch([event({ level: 'none' })]);
      await server.one(c);
      assert.deepEqual(idsOf(await stream.take(2)), [b.id, c.id]);
      stream.close();
    },
  },
  {
    name: 'several clients each get everything',
    run: async (server) => {
      const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(server)));
      const given = events(100);
      await server.batch(given);
      for (const stream of streams) {
        assert.deepEqual(
          idsOf(await stream.take(100)),
          given.map((e) => e.id),
        );
        stream.close();
      }
    },
  },
  {
    name: 'Last-Event-ID resumes right after that event, then goes on with new ones',
    run: async (server) => {
      const given = events(10);
      const first = await openStream(server);
      await server.batch(given);
      const seen = await first.take(4);
      first.close();
      const resumed = await openStream(server, { lastEventId: seen[3].id });
      const late = events(3);
      await server.batch(late);
      const messages = await resumed.take(9);
      resumed.close();
      assert.deepEqual(
        idsOf(messages),
        [...given.slice(4), ...late].map((e) => e.id),
      );
    },
  },
  {
    name: 'resuming under load leaves no gap and repeats nothing',
    run: async (server) => {
      const probe = event();
      await server.one(probe);
      const { sequence } = (await server.get(`/api/events/${probe.id}`)).json;
      await server.batch(events(1000));
      const load = Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let i = 0; i < 10; i++) await server.batch(events(50));
        }),
      );
      const stream = await openStream(server, { lastEventId: sequence });
      const messages = await stream.take(3000);
      stream.close();
      await load;
      assert.deepEqual(
        messages.map((m) => m.id),
        messages.map((_, i) => sequence + 1 + i),
      );
    },
  },
  {
    name: 'a sequence that is still to come starts with the new events',
    run: async (server) => {
      const stream = await openStream(server, { lastEventId: Number.MAX_SAFE_INTEGER });
      const given = event();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.one(given);
      assert.deepEqual(idsOf(await stream.take(1)), [given.id]);
      stream.close();
    },
  },
  {
    name: 'a Last-Event-ID that is none is refused',
    run: async (server) => {
      for (const id of ['x', '-1', '1.5', '9007199254740992', '12345678901234567']) {
        const answer = await server.call('/api/stream', { headers: { 'Last-Event-ID': id } });
        assertProblem(answer, 400, 'invalid-parameter');
      }
      assertProblem(await server.get('/api/stream?x=1'), 400, 'invalid-parameter');
    },
  },
];
