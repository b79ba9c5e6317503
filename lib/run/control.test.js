import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openControl } from './control.js';

/** @type {any} */
const ORDER = { window: { phase: 'load', startMs: 0, endMs: 1 }, parts: [], connections: 1, depth: 1 };
const REPORT = { acked: 7, failed: 0, aborted: 0, endedMs: 1 };

/** @param {string} url @param {unknown} report */
async function ask(url, report) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(report) });
  return answer.json();
}

test('a side waits for its order, does it, and its report comes with its next question', async () => {
  const control = await openControl(['s0', 's1']);
  const first = ask(`${control.url}/s0`, null);
  await control.ready(['s0']);
  const done = control.order('s0', ORDER);
  assert.deepEqual(await first, ORDER);
  const second = ask(`${control.url}/s0`, REPORT);
  assert.deepEqual(await done, REPORT);
  control.end();
  assert.equal(await second, null, 'there is nothing more to do');
  assert.equal(await ask(`${control.url}/s1`, null), null, 'nor for who asks later');
  await control.close();
});

test('who has not asked gets no order, and a stranger none either', async () => {
  const control = await openControl(['s0']);
  await assert.rejects(control.order('s0', ORDER), /s0 has not asked/);
  const answer = await fetch(`${control.url}/stranger`, { method: 'POST', body: 'null' });
  assert.equal(answer.status, 404);
  await control.close();
});
