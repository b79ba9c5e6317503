import { after, before, describe, test } from 'node:test';
import { cases } from './cases/index.js';
import { connect } from './client.js';
import { build, dataFolder, implementations, missingTool, startServer } from './server.js';

for (const stack of implementations()) {
  const missing = missingTool(stack);
  describe(`contract: ${stack.id}`, { skip: missing }, () => {
    const data = dataFolder();
    /** @type {Awaited<ReturnType<typeof startServer>>} */
    let server;
    before(async () => {
      await build(stack);
      server = await startServer(stack, data.path);
    });
    after(async () => {
      await server?.stop();
      data.remove();
    });
    for (const { name, run } of cases) test(name, () => run(connect(server.url)));
    test('all of it holds again of a server that was checked before', async () => {
      for (const { run } of cases) await run(connect(server.url));
    });
  });
}
