import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { BenchError } from '../errors.js';
import { readOptions } from '../options.js';
import { ARCHIVE, packRun, unpackRun, withRun } from '../record/archive.js';
import { holdRun } from '../record/lock.js';
import { recordFiles } from '../record/run-folder.js';
import { SUMS, seal, unseal } from '../record/seal.js';
import { layOut, smallRun } from '../record/testing.js';
import { junitProblems } from '../report/testing.js';
import { readJson, writeJson } from '../store.js';
import { compareVerb, packetNotes } from './compare.js';
import { reportVerb } from './report.js';

const NONE = readOptions([]).options;

/** @param {import('node:test').TestContext} t */
function reportsOf(t) {
  const reports = mkdtempSync(join(tmpdir(), 'lb-report-verb-'));
  t.after(() => rmSync(reports, { recursive: true, force: true }));
  /** @type {string[]} */
  const said = [];
  /** @type {string[]} */
  const results = [];
  const output = /** @type {any} */ ({
    say: (/** @type {string} */ text) => said.push(text),
    result: (/** @type {string} */ text) => results.push(text),
  });
  return {
    reports,
    said,
    results,
    output,
    /** @param {string[]} words @param {object} [flags] */
    report: (words, flags = {}) => reportVerb(words, { ...NONE, reports, ...flags }, output),
    index: () => readFileSync(join(reports, 'README.md'), 'utf8'),
  };
}

/** @param {string} run @returns {Record<string, string>} what is rendered */
function renderedIn(run) {
  const charts = existsSync(join(run, 'charts')) ? readdirSync(join(run, 'charts')).sort() : [];
  return Object.fromEntries(
    ['README.md', 'report.html', ...charts.map((c) => `charts/${c}`)].map((f) => [
      f,
      readFileSync(join(run, f), 'utf8'),
    ]),
  );
}

test('--pack puts an open run into one file, from which the report is the same bytes', async (t) => {
  const { reports, report, said, results } = reportsOf(t);
  const run = join(reports, 'a-run');
  smallRun(run);
  await report(['a-run'], { verify: true });
  const before = renderedIn(run);
  await report(['a-run'], { pack: true });
  assert.ok(said.includes('packed a-run into data.columns'));
  assert.deepEqual(
    readdirSync(run)
      .filter((f) => f !== 'charts')
      .sort(),
    ['README.md', ARCHIVE, 'report.html'],
  );
  assert.deepEqual(renderedIn(run), before);
  const bytes = readFileSync(join(run, ARCHIVE));
  for (const page of ['README.md', 'report.html']) rmSync(join(run, page));
  await report(['a-run'], { verify: true });
  assert.deepEqual(renderedIn(run), before);
  await report(['a-run'], { format: 'html' });
  assert.deepEqual(results.splice(-1), [before['report.html']], 'the page, and nothing is written');
  await report(['a-run'], { pack: true });
  assert.ok(said.includes('a-run is packed already'));
  assert.ok(readFileSync(join(run, ARCHIVE)).equals(bytes));
  await report(['a-run'], { unpack: true });
  await report(['a-run'], { verify: true, pack: true });
  assert.ok(readFileSync(join(run, ARCHIVE)).equals(bytes));
});

test('a run that has not ended, or that is being written, is not packed', async (t) => {
  const { reports, report } = reportsOf(t);
  const run = join(reports, 'a-run');
  smallRun(run);
  holdRun(run);
  await assert.rejects(() => report(['a-run'], { pack: true }), /is being written by process/);
  unseal(run);
  await assert.rejects(
    () => report(['a-run'], { pack: true }),
    /the run a-run has not ended: it has no SHA256SUMS/,
  );
  assert.ok(existsSync(join(run, 'plan.json')));
});

test('--verify names what was changed, and neither it nor a report after it makes the change good', async (t) => {
  const { reports, report } = reportsOf(t);
  const run = join(reports, 'a-run');
  const { cells } = smallRun(run);
  packRun(run);
  unpackRun(run);
  const sums = readFileSync(join(run, SUMS), 'utf8');
  const file = recordFiles(cells[0]).resources;
  writeFileSync(join(run, file), '{"t":7}\n');
  for (const flags of [{ verify: true }, {}, { pack: true }, { verify: true }])
    await assert.rejects(
      () => report(['a-run'], flags),
      (e) => e instanceof BenchError && e.exitCode === 4 && e.message.includes(`${file}: changed`),
    );
  assert.equal(readFileSync(join(run, SUMS), 'utf8'), sums);
  assert.equal(readFileSync(join(run, 'README.md'), 'utf8'), '# A run\n', 'nothing was derived from it');
});

test('a broken run spoils its own row of the list and nothing else', async (t) => {
  const { reports, report, said, index } = reportsOf(t);
  for (const name of ['a-cut', 'b-empty', 'c-torn', 'd-changed', 'whole']) smallRun(join(reports, name));
  writeFileSync(join(reports, 'a-cut', 'plan.json'), '{"trials": [');
  writeFileSync(join(reports, 'b-empty', 'plan.json'), '{}');
  unseal(join(reports, 'b-empty'));
  packRun(join(reports, 'c-torn'));
  writeFileSync(join(reports, 'c-torn', ARCHIVE), 'torn');
  const { cells } = smallRun(join(reports, 'd-changed'));
  writeFileSync(join(reports, 'd-changed', recordFiles(cells[0]).result), '{}');
  assert.equal(await report(['whole']), 0);
  const rows = index()
    .split('\n')
    .filter((line) => line.startsWith('| ['));
  assert.deepEqual(
    rows.map((r) => /\[([^\]]*)/.exec(r)?.[1]),
    ['whole', 'd-changed', 'c-torn', 'b-empty', 'a-cut'],
  );
  assert.match(rows[0], /\| smoke \| native \| Alpha \| \d \/ 2 \|/);
  for (const row of rows.slice(1)) assert.match(row, /its files cannot be read/);
  assert.equal(said.filter((line) => /^in the list of runs, \S+ has no figures: /.test(line)).length, 4);
});

test("--prune keeps the newest N of each profile, and what is not the run's own", async (t) => {
  const { reports, report, said, index } = reportsOf(t);
  for (const n of [1, 2, 3]) {
    smallRun(join(reports, `2026-01-0${n}-smoke`), { profileId: 'smoke' });
    smallRun(join(reports, `2026-01-0${n}-ladder`), { profileId: 'ladder' });
  }
  packRun(join(reports, '2026-01-01-smoke'));
  writeFileSync(join(reports, '2026-01-02-ladder', 'notes.txt'), 'mine');
  holdRun(join(reports, '2026-01-01-ladder'));
  mkdirSync(join(reports, '2026-01-00-broken'));
  writeFileSync(join(reports, '2026-01-00-broken', 'plan.json'), '{');
  mkdirSync(join(reports, 'no-run'));
  assert.equal(await report([], { prune: 1 }), 0);
  assert.deepEqual(readdirSync(reports).sort(), [
    '2026-01-00-broken',
    '2026-01-01-ladder',
    '2026-01-02-ladder',
    '2026-01-03-ladder',
    '2026-01-03-smoke',
    'README.md',
    'index.html',
    'index.json',
    'no-run',
  ]);
  assert.deepEqual(readdirSync(join(reports, '2026-01-02-ladder')), ['notes.txt']);
  assert.ok(existsSync(join(reports, '2026-01-01-ladder', 'plan.json')));
  assert.ok(said.some((line) => /^left 2026-01-01-ladder: it is being written/.test(line)));
  assert.ok(said.some((line) => /^left 2026-01-00-broken: /.test(line)));
  assert.doesNotMatch(index(), /2026-01-01-smoke/);
  for (const bad of ['0', '-1', '1.5', 'all'])
    assert.throws(() => readOptions(['report', `--prune=${bad}`]), /--prune .*: needs a whole number/);
  await assert.rejects(() => report(['2026-01-03-smoke'], { prune: 1 }), /--prune is for all runs/);
});

test('runs are compared packed or not, and not when a file changed', async (t) => {
  const { reports, output, results } = reportsOf(t);
  const { cells } = smallRun(join(reports, 'open'));
  smallRun(join(reports, 'packed'));
  packRun(join(reports, 'packed'));
  assert.equal(await compareVerb(['open', 'packed'], { ...NONE, reports }, output), 0);
  assert.match(results[0], /^# packed against open\n.*\| alpha \| counters \| get, /s);
  writeFileSync(join(reports, 'open', recordFiles(cells[0]).result), '{}');
  await assert.rejects(
    () => compareVerb(['open', 'packed'], { ...NONE, reports }, output),
    /a file of open changed after the run/,
  );
});

const work = mkdtempSync(join(tmpdir(), 'lb-stored-run-'));
after(() => rmSync(work, { recursive: true, force: true }));
const GOLDEN = layOut('run-small', join(work, 'run-small'));

/**
 * A run of one system, two cells and five repeats, all alike.
 * @param {string} folder
 * @param {number} speed of all its figures
 */
function repeatedRun(folder, speed) {
  mkdirSync(join(folder, 'results'), { recursive: true });
  const plan = readJson(join(GOLDEN, 'plan.json'));
  const trial = plan.trials.find((/** @type {any} */ t) => t.systems.includes('alpha'));
  const repeats = [1, 2, 3, 4, 5];
  const cells = repeats.flatMap((repeat) =>
    trial.cells.slice(0, 2).map((/** @type {any} */ c) => {
      const id = `${c.id.replace(/r\d+$/, '')}r${repeat}`;
      const record = readJson(join(GOLDEN, recordFiles(c.id).result));
      const operations = Object.fromEntries(
        Object.entries(record.operations).map(([op, o]) => [
          op,
          {
            ...o,
            ratePerSec: o.ratePerSec * speed,
            systemCpuUsPerOp: (10 + repeat / 100) / speed,
            verdict: { status: 'VALID', reasons: [] },
          },
        ]),
      );
      const verdict = { status: 'VALID', reasons: [] };
      writeJson(join(folder, recordFiles(id).result), { ...record, cell: id, repeat, operations, verdict });
      return { ...c, id, repeat };
    }),
  );
  writeJson(join(folder, 'environment.json'), readJson(join(GOLDEN, 'environment.json')));
  writeJson(join(folder, 'plan.json'), { ...plan, trials: [{ ...trial, cells }], lifecycle: [] });
  seal(folder);
}

test('compare is a gate in every format, and writes the summary of a job', async (t) => {
  const { reports, output, results } = reportsOf(t);
  const summary = join(reports, 'summary.md');
  process.env.GITHUB_STEP_SUMMARY = summary;
  t.after(() => delete process.env.GITHUB_STEP_SUMMARY);
  repeatedRun(join(reports, 'base'), 1);
  repeatedRun(join(reports, 'new'), 0.8);
  const limits = 'throughput<-10%,cpu>+15%';
  const compare = (/** @type {object} */ flags, words = ['base', 'new']) =>
    compareVerb(words, { ...NONE, reports, ...flags }, output);
  assert.equal(await compare({ failOn: limits }), 4);
  assert.match(results[0], /^# new against base\n/);
  assert.match(results[0], /−20 % .*\*\*worse\*\*.*\*\*crossed on \d+ of \d+ loads\*\*/s);
  assert.equal(readFileSync(summary, 'utf8'), `${results[0]}\n`);
  assert.equal(await compare({ failOn: limits, format: 'json' }), 4);
  assert.deepEqual(schemaProblems('compare', JSON.parse(results[1])), []);
  assert.equal(JSON.parse(results[1]).exitCode, 4);
  assert.equal(await compare({ failOn: limits, format: 'junit' }), 4);
  assert.deepEqual(junitProblems(results[2]), []);
  assert.match(results[2], /<failure type="limit" message="throughput&lt;-10%, cpu&gt;\+15%">/);
  assert.equal(await compare({ format: 'csv' }), 0);
  assert.match(results[3], /^system,workload,.*\r\nalpha,counters,resp,/);
  assert.equal(await compare({ failOn: limits }, ['base', 'base']), 0, 'the same keeps every limit');
  assert.equal(await compare({ failOn: limits }, ['new', 'base']), 0, 'and so does what is better');
  assert.equal(await compare({ failOn: limits }, ['base:alpha', 'new:alpha']), 4);
  await assert.rejects(() => compare({ format: 'html' }), /unknown --format "html"/);
  await assert.rejects(
    () => compare({}, ['base:alpha', 'base:alph']),
    /has no system "alph": did you mean "?alpha/,
  );
});

test('what the kernel did with packets in one of two runs alone is said beside their ratios', () => {
  const plain = { congestionControl: 'cubic', tracksPackets: false };
  assert.deepEqual(packetNotes(plain, plain), []);
  assert.deepEqual(packetNotes(undefined, plain), [], 'runs of before do not tell');
  assert.deepEqual(packetNotes(plain, { congestionControl: null, tracksPackets: null }), []);
  const [tracked, ...others] = packetNotes(plain, { ...plain, tracksPackets: true });
  assert.match(tracked, /^\*\*The kernel tracked packets after only\*\*/);
  assert.deepEqual(others, []);
  assert.deepEqual(packetNotes({ ...plain, congestionControl: 'bbr' }, plain), [
    "**TCP's congestion control differs**: bbr before, cubic after.",
  ]);
});

test('a report gives its figures to other programs', async (t) => {
  const { results, report } = reportsOf(t);
  await report([GOLDEN], { format: 'json' });
  await report([GOLDEN], { json: true });
  await report([GOLDEN], { format: 'junit' });
  await report([GOLDEN], { format: 'csv' });
  assert.deepEqual(schemaProblems('figures', JSON.parse(results[0])), []);
  assert.equal(results[1], results[0]);
  assert.deepEqual(junitProblems(results[2]), []);
  assert.match(results[3], /^run,system,.*\r\nrun-small,[a-z]+,/);
});

test('--prune keeps a run behind a link, and everything in it', async (t) => {
  const { reports, report, said } = reportsOf(t);
  const backup = join(reports, '..', `${basename(reports)}-backup`);
  t.after(() => rmSync(backup, { recursive: true, force: true }));
  smallRun(backup, { profileId: 'smoke' });
  const before = readdirSync(backup, { recursive: true });
  smallRun(join(reports, '2026-01-02-smoke'), { profileId: 'smoke' });
  symlinkSync(backup, join(reports, '2020-01-01-smoke'));
  assert.equal(await report([], { prune: 1 }), 0);
  assert.deepEqual(readdirSync(backup, { recursive: true }), before);
  assert.ok(
    said.some((line) => /^left 2020-01-01-smoke: it is a link/.test(line)),
    said.join('\n'),
  );
});

test('a run without its checksums is reported as not sealed, and no gate accepts it', async (t) => {
  const { reports, report, said } = reportsOf(t);
  const run = join(reports, 'a-run');
  const { cells } = smallRun(run);
  const more = (/** @type {string} */ path) => {
    const record = readJson(path);
    for (const operation of Object.values(record.operations)) operation.ratePerSec *= 10;
    writeJson(path, record);
  };
  more(join(run, recordFiles(cells[0]).result));
  unseal(run);
  const unsealed = /not sealed: it has no SHA256SUMS/;
  assert.equal(await report(['a-run'], {}), 0);
  assert.match(said.splice(0).join('\n'), unsealed);
  assert.match(readFileSync(join(run, 'README.md'), 'utf8').slice(0, 400), unsealed);
  assert.equal(await report(['a-run'], { format: 'csv' }), 0);
  assert.match(said.splice(0).join('\n'), unsealed);

  const compared = (/** @type {object} */ flags) => {
    /** @type {string[]} */
    const lines = [];
    const output = /** @type {any} */ ({
      say: (/** @type {string} */ line) => lines.push(line),
      result: (/** @type {string} */ text) => lines.push(text),
    });
    return compareVerb(['a-run', 'a-run'], { ...NONE, reports, ...flags }, output).then(() => lines);
  };
  const [line, page] = await compared({});
  for (const text of [line, page]) assert.match(text, unsealed);
  await assert.rejects(
    () => compared({ failOn: 'throughput<-10%' }),
    (e) => e instanceof BenchError && e.exitCode === 4 && unsealed.test(e.message),
  );
});

test('files that lie open beside an archive count only with their checksums', async (t) => {
  const { reports } = reportsOf(t);
  const run = join(reports, 'a-run');
  smallRun(run);
  const plan = readJson(join(run, 'plan.json'));
  packRun(run);
  writeJson(join(run, 'plan.json'), { ...plan, profileId: 'edited' });
  assert.equal(
    withRun(run, (data) => readJson(join(data, 'plan.json')).profileId),
    plan.profileId,
  );
});
