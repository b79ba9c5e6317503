import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { aCell } from '../../../judge/testing.js';
import { readPlan } from '../../../record/run-folder.js';
import { STORED } from '../../../record/testing.js';
import { readJson } from '../../../store.js';
import { runOf } from '../../run.js';
import { rowsUnder } from '../../testing.js';
import { placeOf } from '../first-screen/section.js';
import { limitsOf, meaningText, notesFor, section, settingsText } from './section.js';

/** @type {any} */
const system = {
  id: 'a',
  title: 'A',
  origin: 'upstream',
  role: 'system',
  engine: 'native',
  settings: { workers: '2' },
  traitsWhen: [
    { below: '2', traits: { module: 'old' } },
    { from: '2', traits: { module: 'new' } },
  ],
  durability: { policy: 'unknown', meaning: 'planned' },
  provenance: '',
};

/** @param {object} record */
const cell = (record) => aCell({ system: 'a', record: { version: '2.8.3', ...record } });

test('settings are those that were given, with what holds of the version that ran', () => {
  assert.equal(settingsText(system, [cell({})], '2.8.3'), 'workers 2, module new');
  assert.equal(settingsText(system, [cell({})], '1.2.0'), 'workers 2, module old');
});

test('of a server by its address they are what it says itself, or not known: never ours', () => {
  const given = { ...system, engine: 'external' };
  const stated = { workers: '8', save: '' };
  assert.equal(
    settingsText(given, [cell({ stated })], '2.8.3'),
    'as it says itself: workers 8, save, module new',
  );
  assert.equal(settingsText(given, [cell({})], '2.8.3'), 'module new; not known: it does not say');
  assert.equal(
    settingsText({ ...given, traitsWhen: undefined }, [cell({})], null),
    'not known: it does not say',
  );
});

test('what an acknowledgement means is said by transport where that makes a difference', () => {
  const of = (/** @type {string} */ transport, /** @type {string} */ durability) =>
    cell({ transport, durability });
  assert.equal(meaningText(system, []), 'planned');
  assert.equal(meaningText(system, [of('http', 'x'), of('ws', 'x')]), 'x');
  assert.equal(
    meaningText(system, [of('http', 'behind'), of('ws', 'on disk'), of('subscribed', 'on disk')]),
    'http: behind; ws, subscribed: on disk',
  );
});

test('a run of nothing but starts side by side has the versions that they told, on both pages alike', () => {
  const stored = join(STORED, 'run-small');
  const files = { plan: readPlan(stored), environment: readJson(join(stored, 'environment.json')) };
  // The first one is a server of ours, whose version no reader asks for.
  const [, first, second] = files.plan.systems;
  const record = { version: '9.8.7', durability: 'on disk from 9', paired: 0 };
  const run = { ...runOf({ ...files, records: [] }), records: [aCell({ system: first.id, record })] };
  const rows = rowsUnder(section(run), /^Conditions$/, 1);
  const of = (/** @type {string} */ id) => rows.find((row) => row.system.includes(`(${id})`));
  assert.equal(of(first.id)?.version, '9.8.7');
  assert.equal(of(first.id)?.['an acknowledgement means'], 'on disk from 9');
  assert.equal(of(second.id)?.version, 'not reported');
  assert.ok(placeOf(run).conditions.includes(`${first.title} 9.8.7`), placeOf(run).conditions);
});

test('a control group without limits is said to have none, whatever the kernel writes for it', () => {
  const none = { cpu: null, memory: null };
  assert.deepEqual(limitsOf({ version: 'v1', cpu: '-1', memory: '9223372036854771712' }), {
    version: 'v1',
    ...none,
  });
  assert.deepEqual(limitsOf({ version: 'v2', cpu: 'max 100000', memory: 'max' }), { version: 'v2', ...none });
  const limits = { version: 'v2', cpu: '200000 100000', memory: 536870912 };
  assert.deepEqual(limitsOf({ ...limits, memory: '536870912' }), limits);
});

/** @param {object} more @returns {string} the chapter of a stored run whose environment has more */
function chapterWith(more) {
  const stored = join(STORED, 'run-small');
  const environment = readJson(join(stored, 'environment.json'));
  const plan = readPlan(stored);
  const host = { ...environment.host, .../** @type {any} */ (more).host };
  const run = runOf({ plan, environment: { ...environment, ...more, host }, records: [] });
  return String(section(run).text);
}

test('what the kernel does with packets is said as far as it tells', () => {
  const of = (/** @type {string | null} */ congestionControl, /** @type {boolean | null} */ tracksPackets) =>
    /^\| packets \| (.*) \|$/m.exec(
      chapterWith({ host: { network: { congestionControl, tracksPackets } } }),
    )?.[1];
  assert.equal(of('cubic', false), 'congestion control cubic, not tracked');
  assert.equal(of('bbr', true), 'congestion control bbr, tracked for a firewall');
  assert.equal(of('bbr', null), 'congestion control bbr, it is not known whether tracked');
  assert.equal(of(null, null), 'not reported');
});

test('loads in which two systems take turns are told where there are any', () => {
  const stored = join(STORED, 'run-small');
  const environment = readJson(join(stored, 'environment.json'));
  const plan = readPlan(stored);
  const textWith = (/** @type {object[]} */ cells) => {
    const trials = [{ repeat: null, cells, systems: [] }];
    const own = { ...plan, trials, profile: { ...plan.profile, sideBySide: {} } };
    return section(runOf({ plan: /** @type {any} */ (own), environment, records: [] })).text;
  };
  assert.doesNotMatch(textWith([{ stepId: 'x' }]), /in turns|turns of/);
  assert.match(textWith([{ stepId: 'x', slotMs: 50 }]), /they take turns of 50 ms/);
});

test('a run that went on with other code says when, and with which', () => {
  assert.doesNotMatch(chapterWith({}), /the rest measured/);
  const then = {
    at: '2026-11-25T13:48:50.176Z',
    git: { sha: '64b6db3552a7415dcacd', dirty: true },
    host: { cpuModel: 'AMD EPYC', cores: 2 },
  };
  assert.match(
    chapterWith({ resumed: [then] }),
    /\n\| the rest measured \| 2026-11-25 13:48 UTC, revision 64b6db3552a7, with uncommitted changes, AMD EPYC, 2 cores \|\n/,
  );
});

const notes = ['of every version'];
const notesWhen = [
  { below: '2.0.4', note: 'of the old ones' },
  { from: '2.0.4', note: 'of the new ones' },
];

test('a note of a range of versions is printed where one of it ran, and else nowhere', () => {
  const all = (/** @type {string | null} */ version) => notesFor({ notes, notesWhen }, version);
  assert.deepEqual(all('1.2.0'), ['of every version', 'of the old ones']);
  assert.deepEqual(all('2.10.0'), ['of every version', 'of the new ones']);
  assert.deepEqual(all(null), notes, 'its version was not told');
  assert.deepEqual(notesFor({}, '1.2.0'), [], 'an older plan has none');
});
