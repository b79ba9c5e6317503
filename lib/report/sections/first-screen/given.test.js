import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { phrase } from '../../template.js';
import { titleOfRun } from '../../title.js';
import { placeOf, section } from './section.js';
import { trustOf } from './trust.js';

/** @import { CellRecord, PlannedSystem } from '../../../types.d.ts' */

/** @param {string} id @param {Partial<PlannedSystem>} [more] */
const system = (id, more) => ({
  ...{ id, title: id.toUpperCase(), role: 'system', engine: 'external', origin: 'upstream', provenance: '' },
  ...more,
});

/**
 * @param {ReturnType<typeof system>[]} systems
 * @param {CellRecord[]} measured
 * @param {object} [options]
 * @returns {any} a run of them
 */
const runOf = (systems, measured, options) => ({
  plan: {
    ...{ profileId: 'short', runId: '2026-11-02T10-00-00Z-short', engine: 'external', systems, repeats: 5 },
    ...{ workloads: [], cells: [], trials: [], peers: [], absent: [], profile: { repeats: 5, steps: [] } },
    options: { endpoints: {}, ...options },
  },
  environment: { host: { cpuModel: 'CPU', cores: 2, memoryBytes: 2 ** 30, os: 'Linux' } },
  ...{
    records: measured,
    measured,
    sideBySide: [],
    knownLosses: [],
    loads: [],
    matrices: [],
    faults: [],
    kills: [],
    soaks: [],
    answers: [],
  },
  verdicts: { total: 2, valid: 2, degraded: 0, invalid: 0, failed: 0 },
});

/** @param {string} id @param {string} durability @param {string} product @returns {CellRecord} */
function cellOf(id, durability, product) {
  const cell = aCell({ record: { system: id, engine: 'external' }, parity: { durability, product } });
  return /** @type {CellRecord} */ (/** @type {unknown} */ (cell));
}

/** @param {any} run @returns {string} */
const trustIn = (run) => phrase('trustText', trustOf(run), run.plan);
/** @param {any} run @returns {string[]} conditions and command */
const machineOf = (run) => [placeOf(run).conditions, placeOf(run).command];

/** @type {any} a matrix of two systems, alike in each row */
const ties = {
  title: 'Side by side',
  systems: ['a', 'b'],
  questions: Array.from({ length: 4 }, (_, i) => ({
    ...{
      dimension: 'throughput',
      metric: 'throughput',
      measure: '',
      unit: 'op/s',
      weight: i,
      comparisons: [],
    },
    load: { title: '', operation: `load ${i}`, users: 0, depth: 1, notes: [] },
    answers: new Map([...'ab'].map((id, at) => [id, { figure: null, value: at }])),
    leads: [{ outcome: 'tie', systems: ['a', 'b'], winner: null, beaten: [], ratio: null, n: 5, why: [] }],
  })),
};

test('what nobody said of servers by their address is said, and that they keep what they were sent', () => {
  const systems = [system('old'), system('new')];
  const unknown = systems.map(({ id }) => cellOf(id, 'unknown', 'shop'));
  const text = trustIn(runOf(systems, unknown));
  assert.match(text, /What an acknowledgement of OLD and NEW means is not known: taken for alike/);
  assert.match(text, /A server by its address keeps what earlier loads left in it/);
  const known = trustIn(
    runOf(
      systems,
      systems.map(({ id }) => cellOf(id, 'fsync', 'shop')),
    ),
  );
  assert.doesNotMatch(known, /not known/);
  const script = trustIn(runOf(systems, unknown, { script: { path: 'mine.js' } }));
  assert.doesNotMatch(script, /not known|keeps what/, 'a script stores what it likes');
});

test('where systems by their address run nobody says, and the command is what was typed', () => {
  const measure = 'short --endpoint shop:pages=http://10.0.0.7:80 --endpoint alpha=tcp://10.0.0.8:9';
  const options = {
    endpoints: { shop: 'http://10.0.0.7:80', alpha: 'tcp://10.0.0.8:9' },
    again: { measure, resume: '', profile: 'short' },
  };
  const systems = [system('shop', { like: 'pages' }), system('alpha')];
  const [where, again] = machineOf(runOf(systems, [], options));
  assert.match(where, /, Linux · load generator on this machine, systems by their address · /);
  assert.equal(again, measure);
  const [mixed] = machineOf(
    runOf([systems[0], system('here', { engine: 'native' })], [], { endpoints: options.endpoints }),
  );
  assert.match(mixed, /load generator on the same machine; others by their address · /);
});

test('the title says that all are by their addresses, once, and not of a script, which knows no other', () => {
  const titled = (/** @type {any} */ run) => titleOfRun({ ...run.plan, workloads: [{ title: 'Shop' }] });
  const systems = [system('old', { endpoint: 'http://a' }), system('new', { endpoint: 'http://b' })];
  assert.match(titled(runOf(systems, [])), /OLD or NEW, by their addresses\?$/);
  assert.match(titled(runOf([systems[0]], [])), /: how fast is OLD, by its address\?$/);
  const beside = [systems[0], system('here', { engine: 'native' })];
  assert.match(titled(runOf(beside, [])), /OLD or HERE\?$/);
  assert.match(titled(runOf(systems, [], { script: { path: 'mine.js' } })), /OLD or NEW\?$/);
});

test('the title asks which, and systems with a comma in their names can be told from each other', () => {
  const titled = (/** @type {string[]} */ titles) => {
    const run = runOf(
      titles.map((title) => system('s', { title })),
      [],
    );
    return titleOfRun({ ...run.plan, workloads: [{ title: 'Shop' }] });
  };
  assert.equal(titled(['A', 'B', 'C']), 'Shop: A, B or C?');
  assert.equal(titled(['M, one', 'M, two', 'N']), 'Shop: M, one or M, two or N?');
});

test('settings that all products were measured with are named once', () => {
  const titled = (/** @type {string[]} */ ...ids) =>
    titleOfRun(
      /** @type {any} */ ({
        systems: ids.map((id) => {
          const [name, setting] = id.split('@');
          return { id, role: 'system', title: setting ? `${name} (${setting})` : name, setting };
        }),
        workloads: [{ title: 'Shop' }],
        profile: { steps: [] },
        options: {},
      }),
    );
  assert.equal(titled('A', 'A@log', 'B', 'B@log'), 'Shop: A or B, also with log?');
  assert.equal(
    titled('A', 'A@log', 'A@sync', 'B', 'B@log', 'B@sync'),
    'Shop: A or B, also with log and sync?',
  );
  assert.equal(titled('A', 'A@log', 'B'), 'Shop: A, A (log) or B?');
  assert.equal(titled('A', 'B'), 'Shop: A or B?');
  assert.equal(titled('A', 'A@log'), 'Shop: A or A (log)?');
});

test('each system has its version in the conditions, and a server of this project is said to be one', () => {
  /** @param {string[]} versions @param {Partial<PlannedSystem>} [more] */
  const said = (versions, more) => {
    const systems = versions.map((_, i) => system('abc'[i], more));
    const told = systems.map(({ id }, i) => ({ ...cellOf(id, 'none', 'p'), version: versions[i] }));
    return machineOf(runOf(systems, told))[0].split(' · ').slice(3).join(' · ');
  };
  assert.equal(said(['1.2.0', '1.3.0']), 'A 1.2.0, B 1.3.0');
  assert.equal(said(['1.2.0', '']), 'A 1.2.0, B', 'of one it is not known');
  assert.equal(said(['1.2.0', '1.2.0'], { origin: 'reference' }), 'our own servers, no products');
  assert.equal(said(['1.2.0'], { builtAs: 'built at v2' }), 'A 1.2.0 (built at v2)', 'as its user says');
});

test('who was never measured is named on the first screen, after the answers', () => {
  const run = runOf([system('a'), system('b')], []);
  Object.assign(run, { answers: ['A is ahead.'], matrices: [ties], kills: [] });
  Object.assign(run.plan, {
    peers: [{ id: 'other', title: 'Other' }],
    profile: { ...run.plan.profile, title: 'Short' },
  });
  const [first] = section(run).map((part) => JSON.stringify(part));
  assert.ok(first.indexOf('A is ahead.') < first.indexOf('Not in this run: Other'));
});
