import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { checkAll } from './check.js';
import { loadProfile, profileProblems } from './profiles.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-check-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} id @param {unknown} manifest */
function addStack(id, manifest) {
  mkdirSync(join(folder, 'stacks', id), { recursive: true });
  writeFileSync(
    join(folder, 'stacks', id, 'stack.json'),
    typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
  );
  writeFileSync(join(folder, 'stacks', id, 'client.js'), '');
}

const good = {
  title: 'Some',
  origin: 'upstream',
  workloads: { counters: { transports: ['resp'] } },
  durability: { policy: 'none', meaning: 'in memory' },
  endpoint: { url: 'x://{host}:{port}', port: 1 },
  ready: { tcp: { send: 'a', expect: 'b' }, timeoutSec: 1 },
};

test('the committed manifests and profiles have no problem', async () => {
  assert.deepEqual((await checkAll()).problems, []);
});

test('all problems of all manifests are reported at once, with the nearest valid name', async () => {
  addStack('fine', good);
  addStack('typo', { ...good, titel: 'x', origin: 'upstraem' });
  addStack('unready', { ...good, ready: { timeoutSec: 1 } });
  addStack('mute', { ...good, ready: { tcp: { send: 'a', expect: '' }, timeoutSec: 1 } });
  addStack('unknown', { ...good, workloads: { countres: { transports: ['resp'] } } });
  addStack('broken', '{ "title": ');
  mkdirSync(join(folder, 'stacks', 'empty'), { recursive: true });
  const { problems } = await checkAll({ stackFolders: [join(folder, 'stacks')] });
  const all = problems.join('\n');
  assert.match(all, /typo\/stack\.json: top level: unknown field "titel"; did you mean "title"\?/);
  assert.match(all, /typo\/stack\.json: origin: "upstraem" is not allowed; did you mean "upstream"\?/);
  assert.match(all, /mute\/stack\.json: ready\.tcp\.expect: .+/);
  assert.match(all, /unready\/stack\.json: ready: needs exactly one of tcp, http, command/);
  assert.match(
    all,
    /unknown\/stack\.json: workloads: unknown workload "countres"; did you mean "counters"\?/,
  );
  assert.match(all, /broken\/stack\.json is not valid JSON/);
  assert.match(all, /empty\/stack\.json: missing/);
  assert.doesNotMatch(all, /fine/);
});

test('an unknown profile names the nearest one', () => {
  assert.throws(() => loadProfile('smok'), /unknown profile "smok": did you mean "smoke"\?/);
});

test('a profile that cannot be run is refused with every reason', () => {
  const step = { id: 'a', model: 'closed', vus: 1, durationSec: 5 };
  const base = {
    title: 't',
    seed: 1,
    repeats: 1,
    warmupSec: 1,
    coolDownSec: 0,
    drive: 'iteration',
    dataset: {},
    thresholds: {},
  };
  const problems = (/** @type {any[]} */ steps) =>
    profileProblems(/** @type {any} */ ({ ...base, steps })).join('\n');
  assert.equal(problems([step]), '');
  assert.match(problems([step, step]), /the id "a" is used twice/);
  assert.match(problems([{ ...step, depth: 4 }]), /"depth" needs the drive "burst"/);
  assert.match(problems([{ ...step, warmupSec: -1 }]), /warmupSec/);
  assert.match(problems([{ ...step, model: 'open' }]), /needs exactly one of fractionOfKnee, ratePerSec/);
  assert.match(
    problems([{ ...step, model: 'open', fractionOfKnee: 0.5, drive: 'burst' }]),
    /needs an earlier closed step/,
  );
  assert.match(problems([{ ...step, durationSec: 0 }]), /durationSec/);
});

test('a dataset that no load can be drawn from is refused', () => {
  const profile = loadProfile('smoke');
  const problemsWith = (/** @type {Record<string, number>} */ dataset) =>
    profileProblems({ ...profile, dataset });
  assert.deepEqual(problemsWith({ keys: 1 }), []);
  for (const keys of [0, -5, 1.5, 2 ** 31]) assert.equal(problemsWith({ keys }).length, 1, String(keys));
  assert.deepEqual(problemsWith({ documents: 0 }), ['dataset.documents: must be >= 1']);
  assert.deepEqual(problemsWith({ thinkMs: -1 }), ['dataset.thinkMs: must be >= 0']);
});

test('the profile of one’s own that docs/using.md shows is one', () => {
  const page = readFileSync(join(ROOT, 'docs/using.md'), 'utf8');
  const [, text] = /^## Profiles$[\s\S]*?```json\n([\s\S]*?)```/m.exec(page) ?? [];
  assert.deepEqual(profileProblems(JSON.parse(String(text))), []);
});
