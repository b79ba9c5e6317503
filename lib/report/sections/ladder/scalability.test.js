import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../../figures/rows.js';
import { aCell } from '../../../judge/testing.js';
import { uslAt } from '../../../stats/usl.js';
import { scalabilityText } from './section.js';

const USERS = [1, 20, 50, 100, 200, 500];
const LAW = { lambda: 1000, sigma: 0.02, kappa: 5e-5 };

/** @param {{users?: number[], repeats?: number, law?: typeof LAW, reasons?: {code: string}[]}} [of] */
function stepsOf({ users = USERS, repeats = 5, law = LAW, reasons = [] } = {}) {
  return rowsOf(
    users.flatMap((vus) =>
      Array.from({ length: repeats }, (_, r) =>
        aCell({ vus, repeat: r + 1, ratePerSec: uslAt(law, vus) * (1 + 0.01 * (r - 2)), reasons }),
      ),
    ),
  );
}

test('six numbers of users tell where throughput peaks and why, with intervals', () => {
  const text = String(scalabilityText(stepsOf()));
  assert.match(text, /\*\*A\*\* by the universal scalability law: one user alone 1000 \(980 – 1020\) op\/s;/);
  assert.match(text, /σ = 2\.0 \(2\.0 – 2\.0\) % .* κ = 50 \(50 – 50\) millionths/);
  assert.match(text, /throughput peaks at about 140 \(140 – 140\) users with \d/);
  assert.match(text, /the law fits every step within 1 %/);
});

test('five numbers of users say nothing, and one repeat says a trend without an interval', () => {
  assert.equal(scalabilityText(stepsOf({ users: USERS.slice(0, 5) })), null);
  const text = String(scalabilityText(stepsOf({ repeats: 1 })));
  assert.match(text, /σ = 2\.0 % /);
  assert.match(text, /a trend: 1 of 5 repeats/);
});

test('a peak beyond what was measured, none at all, and figures of the client are called so', () => {
  assert.match(
    String(scalabilityText(stepsOf({ law: { ...LAW, kappa: 1e-6 } }))),
    /would peak at about 990 .* users, beyond the 500 measured/,
  );
  assert.match(
    String(scalabilityText(stepsOf({ law: { ...LAW, kappa: 0 } }))),
    /no peak in sight|beyond the 500 measured/,
  );
  assert.match(
    String(scalabilityText(stepsOf({ reasons: [{ code: 'set_by_client' }] }))),
    /of system and client together: on 6 steps the load generator may have set the figure/,
  );
});
