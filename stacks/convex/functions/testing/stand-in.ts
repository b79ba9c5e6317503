/**
 * The HTTP and sync protocols of a backend in front of the real functions, which run in convex-test: for tests of what
 * speaks to a backend, never for figures.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anyApi } from 'convex/server';
import { convexTest } from 'convex-test';
import { type WebSocket, WebSocketServer } from 'ws';
import schema from '../convex/schema';

const modules = import.meta.glob('../convex/**/*.*s');

export type Behaviour = {
  /** Messages of this length at least make their function throw: HTTP answers 200 all the same. */
  refusesBodies?: number;
  /** Closes the socket on every n-th mutation, as an overloaded backend does (1013). */
  closesEvery?: number;
  /** Answers every n-th mutation over HTTP as a backend does whose retries did not settle a write conflict. */
  conflictsEvery?: number;
};

/** @returns the URL and what the database holds */
export async function startStandIn(behaviour: Behaviour = {}) {
  const t = convexTest(schema, modules);
  const functionOf = (path: string) => path.split(':').reduce((at: any, name) => at[name], anyApi as any);
  const run = (kind: 'mutation' | 'query', path: string, args: any) => {
    if (args.body?.length >= (behaviour.refusesBodies ?? Number.POSITIVE_INFINITY))
      throw new Error('refused by the test');
    return (t as any)[kind](functionOf(path), args);
  };
  let mutations = 0;
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/version') return response.end('stand-in');
    const kind = /^\/api\/(mutation|query)$/.exec(request.url ?? '')?.[1] as 'mutation' | 'query' | undefined;
    if (!kind) return answer(404, { code: 'NotFound', message: request.url });
    const { path, args } = JSON.parse(await bodyOf(request));
    if (kind === 'mutation' && behaviour.conflictsEvery && ++mutations % behaviour.conflictsEvery === 0)
      return answer(503, {
        code: 'OptimisticConcurrencyControlFailure',
        message: 'Data read or written in this mutation changed while it was being run.',
      });
    try {
      answer(200, { status: 'success', value: await run(kind, path, Array.isArray(args) ? args[0] : args) });
    } catch (error) {
      answer(200, { status: 'error', errorMessage: String(error) });
    }
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (!/^\/api\/[\d.]+\/sync$/.test(request.url ?? '')) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (ws) => serveSession(ws));
  });

  const watchers = new Set<() => Promise<void>>();
  /** As the backend does: a repeated (session, request) is answered again, not run again. */
  const done = new Map<string, unknown>();

  function serveSession(ws: WebSocket) {
    let session = '';
    let version = 0;
    const queries = new Map<number, { path: string; args: any }>();
    const send = (message: unknown) => ws.send(JSON.stringify(message));
    const transition = async (endQuerySet: number) => {
      const modifications = [];
      for (const [queryId, { path, args }] of queries)
        modifications.push({
          type: 'QueryUpdated',
          queryId,
          value: await run('query', path, args),
          logLines: [],
          journal: null,
        });
      send({
        type: 'Transition',
        startVersion: { querySet: version, identity: 0, ts: 'AAAAAAAAAAA=' },
        endVersion: { querySet: endQuerySet, identity: 0, ts: 'AAAAAAAAAAA=' },
        modifications,
        clientClockSkew: null,
        serverTs: null,
      });
      version = endQuerySet;
    };
    const watch = async () => {
      if (queries.size > 0) await transition(version);
    };
    watchers.add(watch);
    ws.on('close', () => watchers.delete(watch));
    let turn = Promise.resolve();
    ws.on('message', (data) => {
      turn = turn.then(() => take(JSON.parse(String(data))));
    });

    async function take(message: any) {
      if (message.type === 'Connect') session = message.sessionId;
      if (message.type === 'ModifyQuerySet') {
        for (const m of message.modifications)
          if (m.type === 'Add') queries.set(m.queryId, { path: m.udfPath, args: m.args[0] });
          else queries.delete(m.queryId);
        await transition(message.newVersion);
      }
      if (message.type === 'Mutation') await mutate(message);
    }

    async function mutate({ requestId, udfPath, args }: any) {
      if (behaviour.closesEvery && ++mutations % behaviour.closesEvery === 0)
        return ws.close(1013, 'Overloaded');
      const key = `${session} ${requestId}`;
      const reply = { type: 'MutationResponse', requestId, logLines: [] };
      try {
        if (!done.has(key)) done.set(key, await run('mutation', udfPath, args[0]));
        send({ ...reply, success: true, result: done.get(key), ts: 'AAAAAAAAAAA=' });
        for (const watch of watchers) await watch();
      } catch (error) {
        send({ ...reply, success: false, result: String(error), ts: null });
      }
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const ws of sockets.clients) ws.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
