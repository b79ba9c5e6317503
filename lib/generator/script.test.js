import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scriptProblem } from './script.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-script-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {object} content @param {number} [code] */
function problemOf(content, code = 0) {
  const path = join(folder, 'export.json');
  writeFileSync(path, JSON.stringify(content));
  return scriptProblem(path, code);
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
  const crossed = { whole: false, crossed: ['http_req_duration{scenario:buy}: p(95)<1'] };
  assert.equal(
    problemOf({ notes: crossed, windows: [iterations] }, 99),
    'thresholds of the script were crossed before the step was over; http_req_duration{scenario:buy}: p(95)<1',
  );
  assert.equal(problemOf({ notes: whole, windows: [iterations] }, 99), null);
  assert.match(String(problemOf({ notes: { whole: false }, windows: [] }, 108)), /exec\.test\.abort/);
  assert.match(String(scriptProblem(join(folder, 'none.json'), 0)), /wrote nothing/);
});
