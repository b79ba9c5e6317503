// @vitest-environment node
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConvexClient, ConvexHttpClient } from 'convex/browser';
import { afterAll, expect, test } from 'vitest';
import { api } from './convex/_generated/api.js';
import { type Behaviour, startStandIn } from './testing/stand-in';

const root = join(import.meta.dirname, '../../..');
const work = mkdtempSync(join(tmpdir(), 'lb-convex-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const { workload } = api as any;
const k6: string = process.env.K6 ?? '';

async function withStandIn<T>(behaviour: Behaviour, use: (url: string) => Promise<T>): Promise<T> {
  const standIn = await startStandIn(behaviour);
  try {
    return await use(standIn.url);
  } finally {
    await standIn.stop();
  }
}

test("the stand-in speaks what the vendor's own clients understand", () =>
  withStandIn({}, async (url) => {
    const http = new ConvexHttpClient(url);
    expect(await http.mutation(workload.increment, { name: 'c0', by: 2 })).toBe(2);
    await expect(http.mutation(workload.increment, { name: 'c0', by: 0 })).rejects.toThrow(/at least 1/);
    const client = new ConvexClient(url);
    const seen: number[] = [];
    client.onUpdate(workload.getCounter, { name: 'c0' }, (counter: any) => seen.push(counter.value));
    expect(await client.mutation(workload.increment, { name: 'c0', by: 3 })).toBe(5);
    expect(seen.at(-1)).toBe(5);
    await client.close();
  }));

/** One step of the workload by k6 itself, through the client of this stack. */
async function drive(url: string, transport: string, step: object = {}) {
  const out = join(work, `${transport}-${Math.random()}.json`);
  const planned = {
    id: 'c2-hot',
    model: 'closed',
    vus: 2,
    durationSec: 2,
    warmupSec: 1,
    case: 'hot',
    dataset: { counters: 1 },
    ...step,
  };
  const variables = {
    SYSTEM: 'convex',
    WORKLOAD: 'realtime',
    PROFILE: 'smoke',
    BASE_URL: url,
    TRANSPORT: transport,
    STEP: 'c2-hot',
    STEP_JSON: JSON.stringify(planned),
    SUMMARY_FILE: `${out}.summary`,
    HISTOGRAMS_FILE: out,
  };
  const flags = Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  // Not the synchronous way: the stand-in lives in this process.
  const child = spawn(k6, ['run', '--quiet', '--address', '', ...flags, join(root, 'k6/main.js')]);
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  child.stdout.on('data', (data) => (said += data));
  await new Promise((resolve) => child.once('close', resolve));
  if (!existsSync(out)) throw new Error(said);
  const { notes, windows } = JSON.parse(readFileSync(out, 'utf8'));
  const of = (op: string) => windows.find((w: any) => w.op === op && w.phase === 'measure');
  return { oracle: notes.oracle, of };
}

function failures(window: any) {
  return Object.keys(window.errors).filter((c) => window.errors[c] > 0);
}

const hasK6 = k6 !== '' && existsSync(k6);

for (const transport of ['http', 'ws', 'subscribed']) {
  test.skipIf(!hasK6)(`the load over ${transport} is stored as acknowledged`, { timeout: 60_000 }, () =>
    withStandIn({}, async (url) => {
      const { oracle, of } = await drive(url, transport);
      expect(oracle).toMatchObject({ ok: true, stored: oracle.acked, indeterminate: 0 });
      expect(of('increment').count).toBeGreaterThan(20);
      expect(of('createMessage').count).toBeGreaterThan(5);
      expect(failures(of('increment'))).toEqual([]);
      if (transport !== 'subscribed') return expect(of('delivery')).toBeUndefined();
      expect(of('delivery').count).toBeGreaterThan(20);
      expect(failures(of('delivery'))).toEqual([]);
    }),
  );
}

test.skipIf(!hasK6)("k6's own iterations speak the sync protocol, too", { timeout: 60_000 }, () =>
  withStandIn({}, async (url) => {
    const { oracle, of } = await drive(url, 'ws', { drive: 'iteration' });
    expect(oracle).toMatchObject({ ok: true, stored: oracle.acked });
    expect(of('increment').count).toBeGreaterThan(20);
  }),
);

for (const transport of ['http', 'ws']) {
  test.skipIf(!hasK6)(`a function that throws is a failure over ${transport}`, { timeout: 60_000 }, () =>
    withStandIn({ refusesBodies: 100 }, async (url) => {
      const { oracle, of } = await drive(url, transport);
      expect(failures(of('createMessage'))).toEqual(['server']);
      expect(of('createMessage').count).toBe(0);
      expect(failures(of('increment'))).toEqual([]);
      expect(oracle.ok).toBe(true);
    }),
  );
}

test.skipIf(!hasK6)(
  'a socket closed with a call pending is a failure, and the state still agrees',
  { timeout: 60_000 },
  () =>
    withStandIn({ closesEvery: 25 }, async (url) => {
      const { oracle, of } = await drive(url, 'ws');
      expect(failures(of('increment'))).toEqual(['connect']);
      expect(Object.keys(of('increment').errorKinds)).toEqual(['closed 1013 Overloaded']);
      expect(oracle.ok).toBe(true);
    }),
);

test.skipIf(!hasK6)('a write conflict over HTTP is a failure by the name of it', { timeout: 60_000 }, () =>
  withStandIn({ conflictsEvery: 7 }, async (url) => {
    const { of } = await drive(url, 'http');
    expect(failures(of('increment'))).toEqual(['server']);
    expect(Object.keys(of('increment').errorKinds)).toEqual(['HTTP 503 OptimisticConcurrencyControlFailure']);
  }),
);
