import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { provenLine, provenOf, provenProblems } from './proven.js';
import { loadStacks } from './stacks.js';

const seen = { version: '1.2.0', date: '2026-01-31', saw: 'all of it, twice' };
const blocked = { blocked: 'nobody has one' };

/** @param {import('node:test').TestContext} t @param {object} proven */
function folderWith(t, proven) {
  const folder = mkdtempSync(join(tmpdir(), 'lb-proven-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'proven.json'), JSON.stringify(proven));
  return { folder };
}

test('every system says of each way to run it what was seen, or what blocks it', () => {
  for (const stack of loadStacks().stacks.filter((s) => s.id === s.base && !s.id.startsWith('_'))) {
    assert.ok(provenOf(stack), stack.id);
    assert.deepEqual(provenProblems(stack), [], stack.id);
  }
});

test('what was seen by its address before that was changed says what has changed since', (t) => {
  const problems = (/** @type {object} */ endpoint) =>
    provenProblems(folderWith(t, { native: blocked, container: blocked, endpoint })).join();
  assert.match(
    problems(seen),
    /endpoint\.since: seen before .*: say what has changed since, or run it again/,
  );
  assert.equal(problems({ ...seen, since: 'it is asked for its settings' }), '');
  assert.equal(problems({ ...seen, date: '2999-01-01' }), '');
});

test('a way that is neither seen nor blocked, or a run that nobody published, is a problem', (t) => {
  const problems = (/** @type {object} */ native) =>
    provenProblems(folderWith(t, { native, container: blocked, endpoint: blocked })).join();
  assert.equal(problems(seen), '');
  assert.match(problems({}), /native: needs exactly one of version, date, saw, blocked/);
  assert.match(problems({ ...seen, ...blocked }), /native: needs exactly one of/);
  assert.match(problems({ ...seen, date: 'lately' }), /native\.date/);
  assert.match(problems({ ...seen, run: 'never' }), /native\.run: there is no published run never/);
  assert.deepEqual(provenProblems({ folder: '/nowhere' }), [], 'a stack of somebody else has none');
});

test('the line says the version, and what is untested', () => {
  const proven = { native: seen, container: { ...seen, version: null }, endpoint: blocked };
  assert.equal(provenLine(proven), 'native 1.2.0, container, endpoint untested');
  assert.equal(provenLine(null), 'no run yet');
});
