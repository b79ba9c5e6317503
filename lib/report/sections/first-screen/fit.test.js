import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitScreen } from './fit.js';

const plan = /** @type {any} */ ({
  options: {},
  profile: { title: 'Work', steps: [] },
  systems: ['a', 'b'].map((id) => ({ id, title: id.toUpperCase(), role: 'system' })),
  workloads: [{ id: 'w', title: 'Work', operations: {} }],
});
const lead = { verdict: 'tie', systems: ['a', 'b'], winner: null, beaten: [], ratio: null, why: '' };

/** @param {string} title @param {number} rows @param {object[]} leads */
const matrix = (title, rows, leads) =>
  /** @type {any} */ ({
    title,
    systems: ['a', 'b'],
    questions: Array.from({ length: rows }, (_, i) => ({
      ...{ text: `load ${i}, op/s`, where: `load ${i}`, dimension: 'throughput', better: 'more', weight: i },
      values: new Map([
        ['a', '1'],
        ['b', '2'],
      ]),
      ...{ figures: new Map(), leads },
    })),
  });
const titlesIn = (/** @type {{title: string}[]} */ own) => own.map(({ title }) => title);

test('where there is no room for all, what compares nobody gives way first', () => {
  const compared = matrix('side by side', 30, [lead]);
  const alone = matrix('alone', 3, []);
  const { shown, rest } = fitScreen(plan, [compared, alone], {}, () => null);
  assert.deepEqual(titlesIn(shown), ['side by side']);
  assert.ok(shown[0].questions.length > 10);
  assert.deepEqual(titlesIn(rest), ['side by side', 'alone']);
  const few = fitScreen(plan, [matrix('side by side', 3, [lead]), alone], {}, () => null);
  assert.deepEqual(titlesIn(few.shown), ['side by side', 'alone'], 'there is room for both');
  const none = fitScreen(plan, [matrix('first', 30, []), alone], {}, () => null);
  assert.deepEqual(titlesIn(none.shown), ['first', 'alone'], 'where nobody is compared, all stand as before');
});
