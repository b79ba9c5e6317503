import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BenchError } from '../errors.js';
import { readJson, writeJson } from '../store.js';
import { readRecords, recordOf } from './records.js';
import { isSafeName, lifecycleId, readEnvironment, readPlan, recordFiles } from './run-folder.js';
import { isSealed, SUMS, seal, unseal } from './seal.js';
import { SYSTEM, smallRun } from './testing.js';
import { unfounded, verifyRun } from './verify.js';

/** @param {import('node:test').TestContext} t */
function aRun(t) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-verify-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, ...smallRun(folder) };
}

/**
 * @param {string} path of a JSON file
 * @param {(value: any) => void} change
 */
function edit(path, change) {
  const value = readJson(path);
  change(value);
  writeJson(path, value);
}

test('a run as it was measured holds, and a changed or missing file of any kind is named', (t) => {
  const { folder, cells } = aRun(t);
  assert.deepEqual(verifyRun(folder), []);
  const files = recordFiles(cells[1]);
  const all = ['plan.json', 'profile.json', 'environment.json', recordFiles(lifecycleId(SYSTEM)).result];
  for (const file of [...all, files.meta, files.summary, files.histograms, files.resources, files.result]) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
    );
    assert.deepEqual(verifyRun(folder), [`${file}: changed`]);
    rmSync(path);
    assert.deepEqual(verifyRun(folder), [`${file}: missing`]);
    writeFileSync(path, text);
  }
  writeFileSync(join(folder, 'raw', 'more.json'), '{}');
  assert.deepEqual(verifyRun(folder), ['raw/more.json: not among the checksums']);
  rmSync(join(folder, 'raw', 'more.json'));
  writeFileSync(join(folder, SUMS), 'nonsense\n');
  assert.match(verifyRun(folder)[0], /SHA256SUMS: not of the form/);
  unseal(folder);
  assert.match(verifyRun(folder)[0], /SHA256SUMS: missing/);
});

test('what was changed and sealed again still has to follow from the raw files, the plan and the method', (t) => {
  const { folder, cells } = aRun(t);
  const files = recordFiles(cells[0]);
  /** @type {[string, (value: any) => void, RegExp][]} */
  const forgeries = [
    [
      files.result,
      (r) => {
        r.operations.get.ratePerSec *= 10;
      },
      /^results\/.*c1\.r1\.json: does not follow from raw/,
    ],
    [
      files.result,
      (r) => {
        r.methodVersion = 99;
      },
      /^results\/.*: does not follow from raw/,
    ],
    [
      files.histograms,
      (h) => {
        h.windows[0].count *= 2;
      },
      /^results\/.*: does not follow from raw/,
    ],
    [
      files.meta,
      (m) => {
        m.cell.step.vus = 7;
      },
      /^raw\/.*c1\.r1\.json: not the cell of the plan/,
    ],
    [
      files.meta,
      (m) => {
        m.cell.step.durationSec -= 1;
      },
      /^raw\/.*c1\.r1\.json: not the cell of the plan/,
    ],
    [
      files.meta,
      (m) => {
        m.cell.step.durationSec += 5;
      },
      /^results\/.*: does not follow from raw/,
    ],
    [
      'plan.json',
      (p) => {
        p.methodVersion = 99;
      },
      /^plan\.json: measured by method 99, and this is method \d+/,
    ],
    [
      'plan.json',
      (p) => {
        p.trials[0].cells[0].step.vus = 7;
      },
      /^raw\/.*c1\.r1\.json: not the cell of the plan/,
    ],
    [
      'profile.json',
      (p) => {
        p.seed++;
      },
      /^profile\.json: not the profile of the plan/,
    ],
    [
      `raw/lifecycle.${SYSTEM}.json`,
      (l) => {
        l.startMs[0] = 1;
      },
      /^results\/lifecycle\.alpha\.json: does not follow from raw/,
    ],
  ];
  for (const [file, change, message] of forgeries) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    edit(path, change);
    seal(folder);
    const problems = verifyRun(folder);
    assert.ok(
      problems.some((p) => message.test(p)),
      `${file}: ${problems}`,
    );
    writeFileSync(path, text);
  }
  for (const [file, message] of /** @type {[string, RegExp][]} */ ([
    [files.result, /^results\/.*: missing, and raw\/.* is there/],
    [files.meta, /^results\/.*: nothing of it in raw/],
    [files.histograms, /^results\/.*: does not follow from raw/],
  ])) {
    const text = readFileSync(join(folder, file), 'utf8');
    rmSync(join(folder, file));
    seal(folder);
    assert.match(unfounded(folder)[0], message);
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, 'results', 'stranger.json'), '{}');
  assert.deepEqual(unfounded(folder), ['results/stranger.json: of no cell of the plan']);
});

test('a load whose windows were prolonged until they fitted is that of the plan', (t) => {
  const { folder, cells } = aRun(t);
  const files = recordFiles(cells[0]);
  edit(join(folder, files.meta), ({ cell: { step } }) => {
    step.durationSec += 30;
  });
  writeJson(join(folder, files.result), recordOf(folder, cells[0], readPlan(folder)));
  seal(folder);
  assert.deepEqual(verifyRun(folder), []);
});

test('names in a plan never lead out of the run', (t) => {
  const { folder } = aRun(t);
  for (const name of [
    '../x',
    'a/b',
    '/etc/passwd',
    '..',
    '.',
    '',
    'a\\b',
    'a\nb',
    'a\0b',
    'x'.repeat(300),
    7,
    null,
  ])
    assert.equal(isSafeName(name), false, String(name));
  for (const name of ['counters.resp.alpha@synced.c1-p16.r1', '_null', 'größe 2'])
    assert.equal(isSafeName(name), true, name);
  const text = readFileSync(join(folder, 'plan.json'), 'utf8');
  /** @type {((plan: any) => void)[]} */
  const hostile = [
    (p) => {
      p.trials[0].cells[0].id = '../../out';
    },
    (p) => {
      p.systems[0].id = '/out';
    },
    (p) => {
      p.lifecycle[0].system = '../out';
    },
    (p) => {
      delete p.trials[0].cells[0].id;
    },
  ];
  for (const change of hostile) {
    edit(join(folder, 'plan.json'), change);
    assert.throws(
      () => readPlan(folder),
      /plan\.json is no file of a run: (trials\.0\.cells|systems|lifecycle)\.0.*: (must match pattern|the field "id" is missing)/,
    );
    writeFileSync(join(folder, 'plan.json'), text);
  }
});

test('a JSON file of another kind is refused by name', (t) => {
  const { folder, cells } = aRun(t);
  unseal(folder);
  const plan = readPlan(folder);
  for (const nothing of ['{}', '[]', 'null', '7']) {
    writeFileSync(join(folder, recordFiles(cells[0]).result), nothing);
    assert.throws(
      () => readRecords(folder, plan),
      /c1\.r1\.json is no result of counters\.resp\.alpha\.c1\.r1/,
    );
    writeFileSync(join(folder, 'environment.json'), nothing);
    assert.throws(() => readEnvironment(folder), /environment\.json is no file of a run: /);
    writeFileSync(join(folder, 'plan.json'), nothing);
    assert.throws(
      () => readPlan(folder),
      /plan\.json is no file of a run: top level: (must be object|the field "methodVersion" is missing)/,
    );
  }
  assert.equal(isSealed(folder), false);
  assert.ok(existsSync(folder));
});

test('a record that has lost a field, or has a reason that no verdict has, is refused by name', (t) => {
  const { folder, cells } = aRun(t);
  unseal(folder);
  const plan = readPlan(folder);
  const file = join(folder, recordFiles(cells[0]).result);
  const text = readFileSync(file, 'utf8');
  edit(file, (r) => {
    delete Object.values(r.operations)[0].serviceMs.p99;
  });
  assert.throws(
    () => readRecords(folder, plan),
    /r1\.json is no record: operations\.\w+\.serviceMs: the field "p99" is missing$/m,
  );
  writeFileSync(file, text);
  edit(file, (r) => {
    r.verdict.reasons = [{ code: 'set_by_clients' }];
  });
  assert.throws(
    () => readRecords(folder, plan),
    /verdict\.reasons\.0\.code: "set_by_clients" is not allowed; did you mean "set_by_client"/,
  );
});

test('a run of another method is refused in one line that says who reads it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-method-'));
  try {
    const plan = { trials: [], systems: [], workloads: [], absent: [], profile: {}, options: {} };
    writeJson(join(folder, 'plan.json'), { ...plan, methodVersion: 1 });
    assert.throws(
      () => readPlan(folder),
      (e) =>
        e instanceof BenchError &&
        /plan\.json: measured by method 1, and this is method \d+$/.test(e.message) &&
        /environment\.json/.test(String(e.hint)),
    );
    assert.deepEqual(
      unfounded(folder).map((p) => p.replace(/\d+$/, 'N')),
      ['plan.json: measured by method 1, and this is method N'],
    );
    writeJson(join(folder, 'plan.json'), plan);
    assert.throws(
      () => readPlan(folder),
      /plan\.json is no file of a run: top level: the field "methodVersion" is missing/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a file of raw/ that belongs to nothing in the plan is named', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-verify-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  smallRun(folder);
  writeFileSync(join(folder, 'raw', 'zzz.live.json'), '{}');
  seal(folder);
  assert.deepEqual(verifyRun(folder), ['raw/zzz.live.json: of no cell of the plan']);
});
