/**
 * Servers that lie to the load alone, by value, order, time or loss: each must be INVALID wherever its lie is told, by a
 * wrong answer under the load or by the state after it; and the one that does not lie must not be accused.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readRun } from '../figures/run.js';
import { ROOT } from '../paths.js';
import { placementOf } from '../process/placement.js';
import { withRun } from '../record/archive.js';
import { readJson } from '../store.js';
import {
  addHttpSystem,
  addLikeResponder,
  addSystem,
  newestRun,
  runCommand,
  shortProfile,
  systemsOf,
  temporaryFolder,
} from './harness.js';

/** @import { Profile } from '../types.d.ts' */

const folder = temporaryFolder();
const serverOf = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url));

/** How many lies were told, each in each workload that it applies to, and how many were seen. */
const count = { told: 0, seen: 0 };

/** So many runs at once: nothing here asks for times, and servers that do not hurry leave a run to wait for the most part. */
const AT_ONCE = 6;
/** So many systems of a run at most: several shorter runs end sooner than a long one, and each writes a report. */
const AT_MOST = 9;
let runs = 0;
/** @type {(() => void)[]} */
const waiting = [];

/**
 * @param {string[]} args of the command
 * @returns {ReturnType<typeof runCommand>} when it was its turn
 */
async function runInTurn(args) {
  if (runs >= AT_ONCE) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  else runs++;
  try {
    return await runCommand(args);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else runs--;
  }
}

/**
 * @param {string} name of its own
 * @returns {{at: string, stacks: string, flags?: string[]}} `flags`: further ones of the command
 */
function placeOf(name) {
  const at = join(folder, name);
  mkdirSync(at);
  return { at, stacks: join(at, 'stacks') };
}

/**
 * @param {ReturnType<typeof placeOf>} place
 * @param {string} workload
 * @param {string[]} lies systems by that name; `none` is among them
 * @param {Partial<Profile>} [profile]
 * @returns {Promise<Map<string, import('../types.d.ts').CellRecord[]>>} what was measured of each
 */
async function accused({ at, stacks, flags = [] }, workload, lies, profile = {}) {
  const path = shortProfile(at, {
    workloads: [workload],
    warmupSec: 0,
    steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: 2 }],
    // A tolerance for errors is none for lies.
    thresholds: { errorRatio: 0.2, minOperations: 10 },
    ...profile,
  });
  /** @type {(part: string[]) => Promise<[string, import('../types.d.ts').CellRecord[]][]>} */
  const measured = async (part) => {
    const reports = join(at, `reports-${part[0]}`);
    const { stderr } = await runInTurn([
      ...[path, '--stacks', stacks, '--no-live', '--systems', part.join(','), '--reports', reports, ...flags],
    ]);
    const { records } = newestRun(reports);
    return part.map((lie) => {
      const own = records.filter((r) => r.system === lie);
      assert.ok(own.length > 0, `${lie}: ${stderr}`);
      for (const { status, reason } of own) assert.equal(status, 'ok', `${lie}: ${reason} ${stderr}`);
      return [lie, own];
    });
  };
  const n = Math.ceil(lies.length / AT_MOST);
  const parts = Array.from({ length: n }, (_, part) => lies.filter((_, i) => i % n === part));
  return new Map((await Promise.all(parts.map(measured))).flat());
}

/**
 * @param {ReturnType<typeof placeOf>} place
 * @param {string} workload
 * @param {string[]} lies
 * @param {Partial<Profile>} [profile]
 */
async function demandAllCaught(place, workload, lies, profile) {
  const records = await accused(place, workload, ['none', ...lies], profile);
  const codes = (/** @type {import('../types.d.ts').CellRecord} */ { verdict }) =>
    verdict.reasons.map((r) => r.code);
  for (const honest of records.get('none') ?? [])
    assert.deepEqual(
      codes(honest).filter((c) => ['oracle', 'errors', 'missing_metric'].includes(c)),
      [],
      `${honest.cell}: ${honest.oracle?.detail} ${JSON.stringify(honest.operations)}`,
    );
  const told = lies.flatMap((lie) => records.get(lie) ?? []);
  const missed = told.filter((record) => !codes(record).includes('oracle'));
  count.told += told.length;
  count.seen += told.length - missed.length;
  assert.deepEqual(
    missed.map((record) => record.cell),
    [],
    missed.map((record) => record.oracle?.detail).join('\n'),
  );
  for (const { verdict, oracle, system, cell } of told) {
    assert.equal(verdict.status, 'INVALID', cell);
    assert.match(
      String(oracle?.detail),
      /were not what was sent|are not there|that nobody|were not sent|is off by|^wrong: |that cannot be|of \d+ counters|documents read back/,
      `${system} is told by its reason`,
    );
  }
}

/** Lies about entities, and the workloads that meet them. */
const ENTITIES = /** @type {Record<string, string[]>} */ ({
  'graphql-queries': [
    ...['filter-empty', 'filter-first', 'filter-others', 'id-name', 'id-nulls', 'id-null', 'id-rare'],
    ...['all-first', 'all-nulls', 'all-empty', 'all-lacks-one', 'all-one-more', 'numbers', 'texts'],
    'one-late',
  ],
  'federation-depth': [
    ...['id-name', 'id-nulls', 'id-null', 'id-rare', 'numbers', 'texts', 'coops-others', 'hens-blank'],
    ...['relations-empty', 'relations-first', 'projections-null', 'projections-empty', 'projections-zero'],
    'one-late',
  ],
  'mixed-workload': [
    ...['id-name', 'id-nulls', 'id-null', 'id-rare', 'numbers', 'texts', 'coops-others', 'hens-blank'],
    ...['relations-empty', 'relations-first', 'projections-null', 'projections-empty', 'projections-zero'],
    ...['projections-others', 'all-first', 'all-nulls', 'all-empty', 'all-lacks-one', 'all-one-more'],
    ...['one-late', 'loses-some', 'loses-last', 'replaces', 'doubles', 'projects-half'],
    'projects-to-another',
  ],
  'rest-crud': [
    ...['read-name', 'read-fields', 'read-rare', 'one-late', 'stale-read', 'loses-some', 'loses-last'],
    ...['replaces', 'doubles', 'loses-update', 'keeps-deleted', 'deletes-another'],
  ],
});

describe('lies to the load alone', { concurrency: 2 * AT_ONCE }, () => {
  for (const [workload, lies] of Object.entries(ENTITIES))
    test(`every lie about entities under load only is found: ${workload}`, async () => {
      const place = placeOf(workload);
      for (const lie of ['none', ...lies])
        addHttpSystem(place.stacks, lie, {
          client: '_meshql',
          workloads: Object.keys(ENTITIES),
          start: [serverOf('entities-server.js'), '{port}', lie],
        });
      await demandAllCaught(place, workload, lies);
    });

  /** Lies about events that clients of the mix are told, and those about what is stored. */
  const TOLD = [
    ...['page-empty', 'page-one', 'page-type', 'page-cut', 'page-session', 'page-invented', 'page-half'],
    ...[
      'page-short',
      'page-rare',
      'page-oldest',
      'page-swapped',
      'page-stale',
      'stream-cut',
      'stream-swapped',
    ],
    ...['stream-loses', 'stream-loses-event', 'stream-doubles'],
  ];
  const STORED = [
    ...[
      'sessions-half',
      'stored-cut',
      'stored-level',
      'stored-source',
      'stored-session',
      'stored-time',
      'loses-some',
    ],
    ...['loses-last', 'replaces-batch', 'replaces-event', 'doubles'],
  ];

  for (const [what, lies, focus] of /** @type {const} */ ([
    ['what is told of events', TOLD, false],
    ['what is stored of them', STORED, true],
  ]))
    test(`every lie to the load alone is seen: ${what}`, async () => {
      const place = placeOf(what.replaceAll(' ', '-'));
      for (const lie of ['none', ...lies])
        addHttpSystem(place.stacks, lie, {
          ...{ client: '_ingest', workloads: ['events'] },
          start: [serverOf('events-server.js'), '{port}', '0', '0', '', '0', lie],
        });
      await demandAllCaught(place, 'events', lies, {
        steps: [{ id: 'c4', model: 'closed', vus: 4, durationSec: focus ? 3 : 6, focus }],
      });
    });

  const COUNTERS = [
    ...['pipelined', 'last', 'replica', 'swapped', 'constant', 'null', 'other', 'neighbour', 'stray'],
  ];

  /** @param {string} stacks @param {string[]} lies */
  function addCounters(stacks, lies) {
    for (const lie of lies)
      addSystem(stacks, lie, {
        more: { native: { start: [process.execPath, serverOf('wrong-answers.js'), '{port}', lie] } },
      });
  }

  test('every lie about counters is seen in a pipeline, too: lost there alone, the last one lost, from a replica that is behind', async () => {
    const place = placeOf('counters');
    addCounters(place.stacks, ['none', ...COUNTERS]);
    await demandAllCaught(place, 'counters', COUNTERS, {
      steps: [{ id: 'c4-p8', model: 'closed', vus: 4, depth: 8, durationSec: 3 }],
    });
  });

  const DOCUMENTS = ['loses-some', 'loses-last', 'to-another', 'cuts', 'another', 'nothing'];
  const addDocuments = (/** @type {string} */ stacks, /** @type {string[]} */ lies) => {
    for (const lie of lies)
      addLikeResponder(stacks, lie, 'documents', [
        serverOf('documents-server.js'),
        ...['{port}', '{data}/documents', '0', lie],
      ]);
  };

  test('every lie about documents that are written once is seen', async () => {
    const lies = [...DOCUMENTS, 'keeps-deleted'];
    const place = placeOf('documents');
    addDocuments(place.stacks, ['none', ...lies]);
    await demandAllCaught(place, 'documents', lies, {
      steps: [{ id: 'c4', model: 'closed', vus: 4, operations: 800 }],
    });
  });

  const placement = placementOf();
  const alone = { skip: 'problem' in placement ? placement.problem : false };

  /** Only systems that promise alike are loaded beside one another: a start has a pair of each promise. */
  const PROMISES = ['none', 'page-cache', 'fsync-interval', 'fsync'];

  /** @param {string} stacks @param {string} system @param {string} policy */
  function promise(stacks, system, policy) {
    const path = join(stacks, system, 'stack.json');
    const durability = { policy, meaning: 'what its neighbour promises' };
    writeFileSync(path, JSON.stringify({ ...readJson(path), durability }));
  }

  /**
   * Of systems that are loaded side by side each lie is seen, and the honest one is not accused.
   * @param {ReturnType<typeof placeOf>} place
   * @param {string} workload
   * @param {string[]} systems two by two
   * @param {Partial<Profile>} profile
   */
  async function demandAllCaughtInPairs({ at, stacks, flags = [] }, workload, systems, profile) {
    const most = 2 * PROMISES.length;
    const groups = systems.flatMap((_, i) => (i % most === 0 ? [systems.slice(i, i + most)] : []));
    for (const group of groups)
      for (const [i, system] of group.entries()) promise(stacks, system, PROMISES[Math.floor(i / 2)]);
    await Promise.all(
      groups.map(async (group) => {
        const reports = join(at, `beside-${group[0]}`);
        mkdirSync(reports);
        const path = shortProfile(reports, {
          // Nobody compares them: they need not be warmed until they agree to a hair, which they seldom do beside others.
          ...{ workloads: [workload], sideBySide: { maxStarts: 5, warmupSec: 0.2 } },
          ...profile,
        });
        const { code, stderr } = await runInTurn([
          ...[path, '--stacks', stacks, '--no-live', '--systems', group.join(','), '--starts', '1'],
          ...['--reports', reports, '--engine', 'native', ...flags],
        ]);
        const [start] = withRun(newestRun(reports).folder, (data) => readRun(data).starts);
        assert.equal(start.status, 'ok', `${group}: ${start.reason} ${stderr}`);
        assert.deepEqual([...new Set(start.systems.map((s) => s.system))].sort(), [...group].sort());
        for (const { system, oracle } of start.systems)
          assert.equal(oracle?.ok, system === 'none', `${system} of ${group}: ${oracle?.detail}`);
        for (const part of /** @type {const} */ (['told', 'seen']))
          count[part] += group.filter((system) => system !== 'none').length;
        assert.equal(code, 4, stderr);
      }),
    );
  }

  test(
    'every lie about documents that are written again and again, side by side, is seen',
    alone,
    async () => {
      const lies = ['ignores-existing', 'stale', 'loses-last', 'loses-some', 'to-another', 'cuts', 'another'];
      const place = placeOf('documents-side-by-side');
      addDocuments(place.stacks, ['none', ...lies]);
      await demandAllCaughtInPairs(place, 'documents', ['none', ...lies], {
        dataset: { keys: 200, documents: 200 },
        steps: [{ id: 'c4', model: 'closed', vus: 4, operations: 200 }],
      });
    },
  );

  /** Lies about counters and messages, and in replies that tell a counter; and what subscribers are told. */
  const LIVE = [
    ...[
      'increment-lost',
      'increment-to-another',
      'increment-doubled',
      'increment-last',
      'message-lost',
      'message-replaced',
      'message-another-twice',
      'message-cut',
    ],
    ...['message-text', 'message-author', 'message-authors-swapped', 'message-texts-swapped', 'message-last'],
  ];
  const REPLIES = ['told-constant', 'told-another', 'told-before', 'told-more'];
  const PUSHES = ['pushed-more', 'pushed-again'];

  for (const { id, folder: home } of systemsOf('realtime')) {
    const standIn = join(home, 'lying.js');
    if (!existsSync(standIn) || id.includes('@')) continue;

    /** @param {string} name @param {string[]} transports @param {string[]} lies */
    const liveSystems = (name, transports, lies) => {
      const place = placeOf(`${id}-${name}`);
      const workloads = join(place.at, 'workloads');
      mkdirSync(workloads);
      const own = join(ROOT, 'k6', 'workloads', 'realtime.js');
      // Few counters, so that each is added to; and nobody waits for hundreds of users.
      writeFileSync(
        join(workloads, 'live.js'),
        `import { facts as whole } from '${own}';
export * from '${own}';
const cases = { hot: whole.cases.hot, some: { dataset: { counters: 20 }, transports: ['http', 'ws'] } };
export const facts = Object.freeze({ ...whole, leadSec: 0.3, minOperations: 10, cases });
`,
      );
      for (const lie of lies)
        addHttpSystem(place.stacks, lie, {
          ...{ client: id, workloads: [] },
          start: [serverOf('live-server.js'), standIn, '{port}', lie],
          more: { workloads: { live: { transports } } },
        });
      return { ...place, flags: ['--workloads-folder', workloads] };
    };
    const seconds = { steps: [{ id: 'c4', model: /** @type {const} */ ('closed'), vus: 4, durationSec: 1 }] };

    test(`every lie about counters and messages under load only is found: ${id}`, async () => {
      const { tells } = await import(standIn);
      const lies = [...LIVE, ...(tells ? REPLIES : [])];
      const place = liveSystems('alone', ['http', 'ws'], ['none', ...lies]);
      await demandAllCaught(place, 'live', lies, seconds);
    });

    test(`every lie in what subscribers are told is found: ${id}`, async () => {
      const place = liveSystems('subscribed', ['subscribed'], ['none', ...PUSHES]);
      await demandAllCaught(place, 'live', PUSHES, seconds);
    });

    test(`every lie about counters and messages, side by side, is seen: ${id}`, alone, async () => {
      const { tells } = await import(standIn);
      const systems = ['none', ...LIVE, ...(tells ? REPLIES : [])];
      const caught = ['http', 'ws'].map((transport) => {
        const place = liveSystems(`side-by-side-${transport}`, [transport], systems);
        return demandAllCaughtInPairs(place, 'live', systems, seconds);
      });
      await Promise.all(caught);
    });
  }

  test('every lie about counters, side by side, is seen', alone, async () => {
    const place = placeOf('counters-side-by-side');
    addCounters(place.stacks, ['none', ...COUNTERS]);
    await demandAllCaughtInPairs(place, 'counters', ['none', ...COUNTERS], {
      steps: [{ id: 'c4-p8', model: 'closed', vus: 4, depth: 8, durationSec: 1 }],
    });
  });
});

after(() =>
  console.log(`# ${count.seen} of ${count.told} lies were seen, each in each workload that it applies to`),
);
