import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { build, dataFolder, missingTool, startServer } from '../_ingest/conformance/server.js';
import { proxyTo } from './conformance/proxy.js';
import { implementations, measure } from './measure.js';

const stack = implementations[implementations.length - 1];

describe('users who think', { skip: missingTool(stack) }, () => {
  const data = dataFolder();
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  // Longer than what k6 leaves to a user who is within an iteration when the warm-up ends.
  const thinkMs = 600;
  /** @type {{at: number, query: string}[]} */
  const asked = [];
  /** @type {Awaited<ReturnType<typeof proxyTo>>} */
  let watched;
  before(async () => {
    await build(stack);
    server = await startServer(stack, data.path);
    watched = await proxyTo(server.url, {
      query: (query) => {
        asked.push({ at: Date.now(), query });
        return query;
      },
    });
  });
  beforeEach(() => asked.splice(0));
  after(async () => {
    await watched?.close();
    await server?.stop();
    data.remove();
  });
  const measureUsers = async (/** @type {import('../../lib/types.d.ts').Step[]} */ steps) => {
    const { code, stderr, records } = await measure(
      ['--systems', stack.id, '--endpoint', `${stack.id}=${watched.url}`],
      ['graphql-queries'],
      { dataset: { thinkMs }, steps },
    );
    assert.ok(code === 0 || code === 4, stderr);
    return steps.map((step) => {
      const record = records.find((r) => r.role === 'system' && r.step.id === step.id);
      const counts = Object.values(record?.operations ?? {}).map((o) => o.count);
      return { reasons: record?.verdict.reasons, all: counts.reduce((sum, n) => sum + n, 0) };
    });
  };

  test('are all there in every window, held against no ceiling, and no crowd', async () => {
    const users = 10;
    const [{ reasons, all }] = await measureUsers([
      { id: 'c10', model: 'closed', vus: users, durationSec: 6 },
    ]);
    assert.deepEqual(reasons, []);
    // Ten turns between two pauses; a busy machine takes its time for the turns, too.
    assert.ok(all >= 0.5 * users * 10 * (6000 / thinkMs), `${all} operations`);
    const lastAt = asked[asked.length - 1].at;
    const share = shareOfMoments(asked.map((a) => a.at).filter((at) => at > lastAt - 4000));
    assert.ok(share > 0.4, `they ask in ${share} of all moments`);
  });

  test('ask everything as often after a pause, and rest where a step has pauses', async () => {
    const [pausing, steady] = await measureUsers([
      { id: 'c1', model: 'closed', vus: 1, durationSec: 12 },
      { id: 'steady', model: 'closed', vus: 1, durationSec: 2, dataset: { thinkMs: 0 } },
    ]);
    assert.ok(steady.all > pausing.all, `${steady.all} in 2 s without a pause, ${pausing.all} in 12 s`);
    const firsts = asked.flatMap(({ at, query }, i) => {
      const restMs = at - (asked[i - 1]?.at ?? at);
      return restMs > 0.9 * thinkMs && restMs < 1.5 * thinkMs
        ? [/getById|getAll|getBy/.exec(query)?.[0]]
        : [];
    });
    for (const kind of ['getById', 'getAll', 'getBy'])
      assert.ok(firsts.filter((f) => f === kind).length >= 3, `after a pause: ${firsts}`);
  });
});

/**
 * @param {number[]} times epoch ms, rising
 * @returns {number} share of the twentieths of a second in which there is one
 */
function shareOfMoments(times) {
  const moments = times.map((at) => Math.floor(at / 50));
  return new Set(moments).size / (moments[moments.length - 1] - moments[0] + 1);
}
