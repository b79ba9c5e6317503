import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { k6Command } from './k6.js';
import { scriptProblem } from './script.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-script-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {object} content */
function problemOf(content) {
  const path = join(folder, 'export.json');
  writeFileSync(path, JSON.stringify(content));
  return scriptProblem(path);
}

test('a script without one whole iteration in its window has no figures, and why', () => {
  const iterations = { op: 'iterations', count: 3, errors: { other: 0 } };
  const whole = { whole: true };
  assert.equal(problemOf({ notes: whole, windows: [iterations] }), null);
  assert.equal(
    problemOf({ notes: whole, windows: [{ ...iterations, count: 0, errors: { other: 1 } }] }),
    null,
  );
  assert.match(
    String(problemOf({ notes: whole, windows: [{ ...iterations, count: 0 }] })),
    /--step-duration/,
  );
  assert.match(
    String(problemOf({ notes: { whole: false }, windows: [iterations] })),
    /before the step was over/,
  );
  assert.match(String(problemOf({ notes: { whole: false }, windows: [] })), /--step-duration/);
  assert.match(String(scriptProblem(join(folder, 'none.json'))), /wrote nothing/);
});

test('k6 gets the script as it is, the users and the time of the step, and nothing of another k6', () => {
  process.env.K6_VUS = '7';
  const { command, env } = k6Command(
    /** @type {any} */ ({
      binary: 'k6',
      plan: {
        runId: 'run',
        profileId: 'script',
        profile: { warmupSec: 2 },
        options: {
          script: { path: '/mine.js', sha256: '', k6Options: ['--insecure-skip-tls-verify'], variables: [] },
        },
      },
      cell: { system: 'shop', workload: 'mine', transport: 'script', step: { vus: 20, durationSec: 10 } },
      url: 'http://127.0.0.1:1',
      files: { histograms: '/run/h.json', summary: '/run/s.json', live: '/run/l.json' },
      apiPort: 6565,
      telemetry: { influxUrl: null, dashboardPort: null },
    }),
  );
  delete process.env.K6_VUS;
  const line = command.join(' ');
  assert.match(
    line,
    /--vus 20 --duration 12500ms --insecure-skip-tls-verify --include-system-env-vars=false \/mine\.js$/,
  );
  assert.doesNotMatch(line, /main\.js|--env/);
  assert.equal(env.LADDERBENCH_ENV_BASE_URL, 'http://127.0.0.1:1');
  assert.equal(env.LADDERBENCH_ENV_K6_VUS, '7');
  assert.equal(env.K6_OUT, 'script-measure=/run/h.json');
  assert.deepEqual([env.LADDERBENCH_WARMUP_SEC, env.LADDERBENCH_WINDOW_SEC], ['2', '10']);
  assert.ok('K6_VUS' in env && env.K6_VUS === undefined);
});
