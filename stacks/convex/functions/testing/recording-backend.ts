/** Records what a deployment sends, and answers as a backend does that takes it, or refuses it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';

const schemaChange = { allocatedComponentIds: {}, schemaIds: {}, indexDiffs: {} };
const definition = {
  definition: {
    path: '',
    definitionType: { type: 'app' },
    childComponents: [],
    httpMounts: {},
    exports: { type: 'branch', branch: [] },
  },
  schema: null,
  functions: {},
  udfConfig: { serverVersion: '1.48.0', importPhaseRngSeed: '', importPhaseUnixTimestamp: '' },
};
const ANSWERS: Record<string, unknown> = {
  '/api/get_config_hashes': { config: { functions: 'convex/' }, moduleHashes: [] },
  '/api/deploy2/evaluate_push': { schemaChange },
  '/api/deploy2/start_push': {
    environmentVariables: {},
    externalDepsId: null,
    componentDefinitionPackages: {},
    appAuth: [],
    analysis: { '': definition },
    app: {
      definitionPath: '',
      componentPath: '',
      args: {},
      childComponents: {},
      httpRoutes: { httpModuleRoutes: null, mounts: [] },
      exports: {},
    },
    schemaChange,
  },
  '/api/deploy2/wait_for_schema': { type: 'complete' },
  '/api/deploy2/finish_push': {
    authDiff: { added: [], removed: [] },
    definitionDiffs: {},
    componentDiffs: {},
  },
  '/api/deploy2/report_push_completed': {},
};

export async function startRecording({ refuses = '' } = {}) {
  const requests: { path: string; authorization: string; body: any }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const text = request.headers['content-encoding'] === 'br' ? brotliDecompressSync(raw) : raw;
    const path = (request.url ?? '').split('?')[0];
    requests.push({
      path,
      authorization: request.headers.authorization ?? '',
      body: text.length > 0 ? JSON.parse(String(text)) : null,
    });
    const answer = ANSWERS[path];
    const status = path === refuses ? 400 : answer ? 200 : 404;
    const body = status === 200 ? answer : { code: 'Refused', message: 'refused by the test' };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
