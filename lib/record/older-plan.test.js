import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentPlan } from './older-plan.js';

test('the settings of a system in an older plan are read by today’s name', () => {
  const older = { runId: 'r', systems: [{ id: 'alpha', knobs: { appendonly: 'no' } }] };
  assert.deepEqual(currentPlan(older).systems, [{ id: 'alpha', settings: { appendonly: 'no' } }]);
  const current = { runId: 'r', systems: [{ id: 'alpha', settings: { appendonly: 'no' } }] };
  assert.deepEqual(currentPlan(current), current);
});

/** @param {any} workload */
const current = (workload) => currentPlan({ workloads: [workload] }).workloads[0];

test('facts of an older plan are read as one record for each operation', () => {
  const events = current({
    id: 'events',
    title: 'Event ingest',
    operations: ['batch', 'mixed-batch', 'mixed-query', 'mixed-delivery'],
    windows: [['batch'], ['mixed-batch', 'mixed-query', 'mixed-delivery']],
    main: 'batch',
    pipelines: false,
    item: 'event',
    items: { batch: 'batchSize', 'mixed-batch': 'batchSize' },
    users: { 'mixed-query': 'queryClients', 'mixed-delivery': 'streamClients' },
    received: ['mixed-delivery'],
    dataset: { batchSize: 50 },
  });
  const window = 'mixed-batch+mixed-query+mixed-delivery';
  assert.deepEqual(events, {
    id: 'events',
    title: 'Event ingest',
    operations: {
      batch: { main: true, writes: true, items: 'batchSize' },
      'mixed-batch': { window, items: 'batchSize' },
      'mixed-query': { window, users: 'queryClients' },
      'mixed-delivery': { window, users: 'streamClients', received: true },
    },
    windows: { [window]: { order: 'together' } },
    dataset: { batchSize: 50 },
    pipelines: false,
    shown: { item: 'event' },
  });
  assert.deepEqual(current(events), events, 'today’s are left as they are');
});

test('so are a mix with its cases, turns, and a workload of fixed counts', () => {
  const mix = current({
    operations: ['increment', 'note', 'delivery'],
    mix: { increment: 0.7, note: 0.3 },
    pushed: 'delivery',
    received: ['delivery'],
    keySpace: 'counters',
    cases: { hot: { counters: 1 }, spread: { counters: 9 } },
    casesOf: { subscribed: ['hot'] },
    drivesOf: { subscribed: 'burst' },
  });
  assert.deepEqual(mix, {
    operations: {
      increment: { window: 'all', share: 0.7, writes: true },
      note: { window: 'all', share: 0.3 },
      delivery: { pushed: true },
    },
    windows: { all: { order: 'shares' } },
    cases: {
      hot: { dataset: { counters: 1 } },
      spread: { dataset: { counters: 9 }, transports: ['http', 'ws'] },
    },
    drive: { subscribed: 'burst' },
    keys: { space: 'counters' },
  });
  const turns = current({
    operations: ['two', 'three', 'all'],
    turns: ['two', 'three', 'all'],
    writes: null,
    queries: { all: 'getAll' },
    depths: { two: { depth: 2, resolves: 'a → b' }, three: { depth: 3, resolves: 'a → b → c', beside: 'd' } },
    suite: 'Entities',
  });
  assert.deepEqual(turns, {
    operations: {
      two: { window: 'all', shown: { label: 'a → b', depth: 2 } },
      three: { window: 'all', shown: { label: 'a → b → c', depth: 3, beside: 'd' } },
      all: { window: 'all', shown: { query: 'getAll' } },
    },
    windows: { all: { order: 'turns', turns: ['two', 'three', 'all'] } },
    shown: { suite: 'Entities' },
  });
  const counted = current({
    operations: ['set', 'get', 'del'],
    countBound: 'documents',
    keys: 'each',
    documents: true,
    footprintBefore: 'del',
  });
  assert.deepEqual(counted, {
    operations: { set: { writes: true }, get: {}, del: { footprintBefore: true } },
    keys: { each: true, documents: true },
    fixedCount: 'documents',
  });
});

test('an older plan says, too, which workload keeps to no rate', () => {
  const steps = [
    { id: 'c1', model: 'closed' },
    { id: 'open-50', model: 'open' },
  ];
  const workloads = [{ id: 'documents', operations: ['set'], countBound: 'documents' }];
  const read = currentPlan({ absent: [], profile: { steps }, workloads });
  assert.deepEqual(
    read.absent.map((a) => [a.workload, a.steps]),
    [['documents', ['open-50']]],
  );
  assert.deepEqual(currentPlan(read).absent, read.absent, 'once');
});
