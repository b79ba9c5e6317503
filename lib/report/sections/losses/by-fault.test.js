import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultText } from '../../../config/faults.js';
import { recordsOf } from '../../testing.js';
import { faultTable } from './answer.js';

const step = { id: 'kill', model: 'open', fault: { kind: 'kill' } };
const plan = /** @type {any} */ ({
  systems: ['a', 'b'].map((id) => ({ id, title: id.toUpperCase() })),
  workloads: [{ id: 'w', title: 'Work' }],
});
const faults = /** @type {any[]} */ ([
  {
    ...{ kind: 'kill', workload: 'w', system: 'a', title: 'A', step, failure: null, lost: 0, acked: 10 },
    ...{ notRestored: 0, usable: 5, restoredMs: { median: 80 } },
  },
]);

/** @param {object[]} leads of the workloads that met the fault @returns {string} who recovers first, and what else came out */
function saidOf(...leads) {
  const matrices = leads.map((lead) => ({
    questions: [{ load: { title: faultText(/** @type {any} */ (step)) }, leads: [lead] }],
  }));
  const [table] = faultTable(/** @type {any} */ ({ plan, faults, matrices })).tables;
  return recordsOf(table)[0]['fastest recovery (95 % CI)'];
}

const won = {
  ...{ outcome: 'winner', winner: 'a', metric: 'recovery', beaten: ['b'], systems: ['a', 'b'], n: 5 },
  ...{ ratio: { estimate: 2, low: 1.8, high: 2.2 }, why: [] },
};
const as = (/** @type {string} */ outcome) => ({ outcome, winner: null, systems: ['a', 'b'], why: [] });

test('of a fault a tie, too few repeats and what cannot be compared are told as such, and none is called inconclusive', () => {
  assert.equal(saidOf(as('tie')), '➖ tie');
  assert.equal(saidOf(as('tie'), as('inconclusive'), as('tie')), '➖ tie; ❔ inconclusive');
  assert.equal(saidOf(as('too few')), '❔ too few repeats');
  assert.equal(saidOf(as('not comparable')), 'not comparable');
  assert.equal(saidOf(), '–', 'of one system alone');
  assert.match(saidOf(as('tie'), won), /^✅ A 2\.00× \(1\.80–2\.20\) faster; others: ➖ tie$/);
});
