import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loadStacks } from '../../../lib/config/stacks.js';
import { nativeAvailability } from '../../../lib/engines/index.js';
import { startNative } from '../../../lib/engines/native.js';
import { build } from '../../_ingest/conformance/server.js';
import { checkValidation } from './checks/rest.js';
import { proxyTo } from './proxy.js';
import { runChecks } from './run.js';
import { Tally } from './tally.js';

const implementations = loadStacks().stacks.filter(({ manifest }) =>
  manifest.conformance?.command.some((part) => part.includes('_meshql/conformance/')),
);

/** @param {import('../../../lib/types.d.ts').Stack} stack @returns {string | undefined} why it cannot run here */
function missing(stack) {
  const { state, missing } = nativeAvailability(stack);
  return state === 'unavailable' ? missing : undefined;
}

for (const stack of implementations) {
  describe(`conformance: ${stack.id}`, { skip: missing(stack) }, () => {
    /** @type {import('../../../lib/engines/native.js').Instance} */
    let server;
    before(async () => {
      await build(stack);
      server = await startNative(stack, { transport: 'http', signal: AbortSignal.timeout(120_000) });
    });
    after(() => server?.stop());

    test('passes every check, and nothing has to be tolerated', async () => {
      const { passed, total, failures } = await runChecks({ url: server.url, strict: true });
      assert.deepEqual(failures, []);
      assert.ok(total >= 100 && passed === total, `${passed} of ${total}`);
    });

    if (stack === implementations[0]) testWithProxies(() => server.url);
  });
}

/**
 * The same server with answers that are wrong, or that other implementations give.
 * @param {() => string} url
 */
function testWithProxies(url) {
  /** @type {[string, import('./proxy.js').Change, RegExp][]} what is wrong, and a check that must notice */
  const mutants = [
    [
      'loses every tenth write',
      { skip: ({ method, count }) => method === 'POST' && count % 10 === 0 },
      /status 404|lists it once|GET .* answers the payload|getById/,
    ],
    [
      'answers one relation with nothing',
      { body: (text) => text.replace(/"hens":\[[^\]]+\]/, '"hens":[]') },
      /hens/,
    ],
    [
      'ignores the time of a query',
      { query: (text) => text.replace(/, at: \d+|\(at: \d+\)/, '') },
      /version|before/,
    ],
    ['hides errors', { body: (text) => text.replace(/,?"errors":\[.*\]/, '') }, /answered with errors/],
    [
      'counts an event twice',
      { body: (text) => text.replace(/"total_deposits":150/, '"total_deposits":200') },
      /sum of its events/,
    ],
  ];
  for (const [what, change, noticed] of mutants) {
    test(`a server that ${what} fails`, async () => {
      const proxy = await proxyTo(url(), change);
      try {
        const { failures } = await runChecks({ url: proxy.url }).catch((error) => ({
          failures: [{ check: 'set-up', reason: String(error) }],
        }));
        const texts = failures.map(({ check, reason }) => `${check}: ${reason}`);
        assert.ok(
          texts.some((text) => noticed.test(text)),
          `not noticed: ${texts.join('\n')}`,
        );
      } finally {
        await proxy.close();
      }
    });
  }

  test('a server that tells no ids and leaves nulls out is taken', async () => {
    const silent = await proxyTo(url(), {
      body: (text, { path }) =>
        /\/api/.test(path) && !/bulk|"status"/.test(path + text)
          ? text.replaceAll(/"id":"[^"]*",?/g, '')
          : withoutNulls(text),
    });
    try {
      const { failures } = await runChecks({ url: silent.url });
      assert.deepEqual(failures, []);
    } finally {
      await silent.close();
    }
  });

  test('a server without validation, bulk requests, health and processor is taken, but not as strict', async () => {
    const plain = await proxyTo(url(), {
      status: ({ method, path }) => {
        if (/^\/(health|ready)$|\/bulk/.test(path)) return 404;
        return method === 'POST' && path.endsWith('/api') ? 201 : undefined;
      },
      body: (text, { path }) =>
        path.endsWith('/graph') && !text.includes('"errors"') ? text.replace(/}$/, ',"errors":null}') : text,
    });
    try {
      const { failures, tolerated } = await runChecks({ url: plain.url });
      // Only a body that is no JSON at all must be refused by everyone.
      assert.deepEqual(
        failures.map((f) => f.check).filter((check) => !check.startsWith('a body that is no')),
        [],
      );
      assert.ok(tolerated.length >= 15, JSON.stringify(tolerated));
      const strict = await runChecks({ url: plain.url, strict: true });
      assert.ok(strict.failures.length >= 15);
    } finally {
      await plain.close();
    }
  });
}

/** @param {string} text */
function withoutNulls(text) {
  return text.replaceAll(/,"[a-zA-Z_]+":null/g, '').replaceAll(/"[a-zA-Z_]+":null,?/g, '');
}

test('what a server without validation stores does not stay: its lists would be answered with errors', async () => {
  const stored = new Set();
  const server = {
    send: async (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body) => {
      if (typeof body === 'string') return { status: 400, body: null };
      if (method === 'DELETE') return { status: stored.delete(path) ? 200 : 404, body: null };
      const id = `${stored.size + 1}`;
      stored.add(`${path}/${id}`);
      return { status: 201, body: { id } };
    },
  };
  const tally = new Tally(false);
  await checkValidation(tally, /** @type {any} */ (server), {});
  assert.ok(tally.report().tolerated.length >= 10);
  assert.equal(stored.size, 0);
});
