import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCell } from '../judge/testing.js';
import { whyText } from '../judge/why.js';
import { capacityOf, scalabilityOf } from './capacity.js';
import { compareSides } from './comparisons.js';
import { leadsOf as leadsOfComparisons } from './lead.js';
import { rowsOf } from './rows.js';

/** @param {string} system @param {number[]} rates @param {object} [more] */
const entry = (system, rates, more = {}) => {
  const [row] = rowsOf(rates.map((ratePerSec, i) => aCell({ system, repeat: i + 1, ratePerSec, ...more })));
  return { system, row, figure: row.ratePerSec };
};

/**
 * @param {import('./comparisons.js').Side[]} sides
 * @param {'more' | 'less'} better
 * @param {{reference: import('./rows.js').Row | null}} [atRate]
 */
function leadsOf(sides, better, atRate) {
  const known = sides.filter(({ figure }) => figure);
  const metric = better === 'more' ? 'throughput' : 'response';
  return leadsOfComparisons(
    known.map(({ system }) => system),
    known.flatMap((a, i) =>
      known.slice(i + 1).map((b) => compareSides(a, b, metric, atRate ? { atRate } : {})),
    ),
  );
}
const SLOW = [100, 101, 99, 100, 100];
const times = (/** @type {number} */ n) => SLOW.map((r) => r * n);
const BOUND = { reasons: [{ code: 'set_by_client' }] };

test('who beats all others is ahead, by its lead over the nearest; who beats some, of these', () => {
  const [lead] = leadsOf([entry('a', SLOW), entry('b', times(2)), entry('c', times(1.5))], 'more');
  assert.deepEqual([lead.outcome, lead.winner, lead.beaten.sort()], ['winner', 'b', ['a', 'c']]);
  assert.equal(lead.ratio?.estimate.toFixed(2), '1.33');
  const [some] = leadsOf([entry('a', SLOW), entry('b', times(2)), entry('c', times(2))], 'more');
  assert.deepEqual([some.outcome, some.winner, some.beaten], ['winner', 'b', ['a']]);
  assert.deepEqual(
    some.best?.map(({ system, ratio }) => [system, ratio?.estimate.toFixed(2)]),
    [
      ['b', '2.00'],
      ['c', '2.00'],
    ],
    'who beats the same systems',
  );
  assert.deepEqual(
    lead.best?.map(({ system }) => system),
    ['b'],
  );
  const [less] = leadsOf([entry('a', SLOW), entry('b', times(2))], 'less');
  assert.equal(less.winner, 'a');
});

test('whose figure may be compared with nobody is no part of what is said of the others, and is named', () => {
  const past = { reasons: [{ code: 'p99_threshold', measured: 9, limit: 1 }] };
  const barred = { ...entry('c', times(0.1)), figure: null };
  const [two] = leadsOf([entry('a', SLOW), entry('b', SLOW), barred], 'more');
  assert.deepEqual([two.outcome, two.systems, two.unranked], ['tie', ['a', 'b'], undefined]);
  const bound = entry('c', times(0.1), past);
  const [lead] = leadsOf([entry('a', SLOW), entry('b', SLOW), bound], 'more');
  assert.deepEqual([lead.outcome, lead.systems], ['tie', ['a', 'b']]);
  assert.deepEqual(
    lead.unranked?.map(({ system }) => system),
    ['c'],
  );
  assert.ok(lead.unranked?.[0].why);
  const [alone] = leadsOf([entry('a', SLOW), bound], 'more');
  assert.deepEqual(
    [alone.outcome, alone.systems],
    ['not comparable', ['a', 'c']],
    'two alone are told in one line',
  );
});

test('a tie and what is inconclusive name nobody', () => {
  const verdictOf = (/** @type {number[]} */ b) => {
    const [lead] = leadsOf([entry('a', SLOW.slice(0, b.length)), entry('b', b)], 'more');
    return [lead.outcome, lead.beaten.length];
  };
  assert.deepEqual(verdictOf(SLOW), ['tie', 0]);
  assert.deepEqual(verdictOf([80, 140, 95, 100, 120]), ['inconclusive', 0]);
});

test('a trend is told by its nearest one that is further away than a tie would be', () => {
  const few = (/** @type {number} */ n) => times(n).slice(0, 2);
  const trendOf = (/** @type {number[]} */ ...rates) => {
    const [lead] = leadsOf(
      rates.map((rate, i) => entry('abc'[i], few(rate))),
      'more',
    );
    return [lead.outcome, lead.winner, lead.beaten.sort().join(), lead.ratio?.estimate.toFixed(2)];
  };
  assert.deepEqual(trendOf(1, 2, 80), ['too few', 'c', 'a,b', '40.00']);
  assert.deepEqual(
    trendOf(1, 1.98, 2),
    ['too few', 'b', 'a', '1.98'],
    'of the other two nobody can say more',
  );
  assert.deepEqual(trendOf(1, 1.02), ['too few', 'b', '', '1.02']);
});

test('a lower bound may win and may not lose; of two of them nobody is named', () => {
  const of = (/** @type {any} */ a, /** @type {any} */ b) => {
    const [lead] = leadsOf([entry('a', SLOW, a), entry('b', times(2), b)], 'more');
    return [lead.outcome, lead.winner];
  };
  assert.deepEqual(of({}, BOUND), ['at least', 'b']);
  assert.deepEqual(of(BOUND, {}), ['not comparable', null]);
  assert.deepEqual(of(BOUND, BOUND), ['not comparable', null]);
});

const atRate = (
  /** @type {string} */ system,
  /** @type {number[]} */ p99,
  /** @type {number} */ lag,
  more = {},
) => {
  const latency = (/** @type {number} */ ms) => ({ ...aCell().operations.get.serviceMs, p99: ms });
  const [row] = rowsOf(
    p99.map((ms, i) =>
      aCell({
        ...{ system, repeat: i + 1, ratePerSec: 50_000 },
        result: /** @type {any} */ ({
          responseMs: latency(ms),
          lagMs: latency(lag),
          targetPerSec: 50_000,
          ...more,
        }),
      }),
    ),
  );
  return { system, row, figure: row.responseP99Ms };
};

test('latencies at one rate are compared only where host and client are quick enough to tell them apart', () => {
  const [quick, slow] = [atRate('a', SLOW, 5), atRate('b', times(3), 8)];
  const verdictOf = (/** @type {any} */ reference, entries = [quick, slow]) => {
    const [lead] = leadsOf(entries, 'less', { reference });
    return [lead.outcome, lead.winner];
  };
  assert.deepEqual(verdictOf(atRate('n', [40], 1).row), ['winner', 'a']);
  assert.deepEqual(
    verdictOf(atRate('n', [60], 1).row),
    ['not comparable', null],
    'the null responder takes more than half of it',
  );
  assert.deepEqual(
    verdictOf(atRate('n', [40], 1).row, [atRate('a', SLOW, 11), slow]),
    ['not comparable', null],
    'sent too late',
  );
  assert.deepEqual(verdictOf(null), ['not comparable', null], 'without the null responder nobody knows');
  assert.deepEqual(
    verdictOf(atRate('n', [40], 1, { targetPerSec: 20_000 }).row),
    ['not comparable', null],
    'nor at another rate',
  );
  const [lead] = leadsOf([quick, slow], 'less', { reference: atRate('n', [60], 1).row });
  assert.equal(
    lead.why.map(whyText).join(),
    'too fast to compare here: a server that does nothing already takes 60.0 ms at this rate',
  );
  const [late] = leadsOf([atRate('a', SLOW, 11), slow], 'less', { reference: atRate('n', [40], 1).row });
  assert.equal(
    late.why.map(whyText).join(),
    'too fast to compare here: the load itself was sent up to 11.0 ms late (p99)',
  );
});

test('half the capacity at equal latency: behind on capacity, not comparable by latency', () => {
  const of = (/** @type {string} */ system, /** @type {number} */ factor) => ({
    capacity: entry(system, times(factor)),
    latency: atRate(system, SLOW, 5),
  });
  const [whole, half] = [of('whole', 1000), of('half', 500)];
  const [capacity] = leadsOf([half.capacity, whole.capacity], 'more');
  assert.deepEqual([capacity.outcome, capacity.winner], ['winner', 'whole']);
  const [latency] = leadsOf([half.latency, whole.latency], 'less', { reference: atRate('n', [90], 1).row });
  assert.deepEqual([latency.outcome, latency.winner], ['not comparable', null]);
});

test('replies in many segments, dearer for the client: a bound never makes a system slower', () => {
  for (const factor of [0.5, 0.8, 0.99]) {
    const [lead] = leadsOf([entry('whole', SLOW), entry('cut', times(factor), BOUND)], 'more');
    assert.deepEqual([lead.outcome, lead.winner], ['not comparable', null], String(factor));
  }
});

test('systems under different promises are compared within each promise', () => {
  const synced = (/** @type {string} */ id, /** @type {number} */ n) => {
    const own = entry(id, times(n));
    return { ...own, row: { ...own.row, parity: { ...own.row.parity, durability: 'fsync' } } };
  };
  const leads = leadsOf([entry('a', SLOW), synced('as', 1), entry('b', times(2)), synced('bs', 3)], 'more');
  assert.deepEqual(
    leads.map((l) => [l.systems, l.winner]),
    [
      [['a', 'b'], 'b'],
      [['as', 'bs'], 'bs'],
    ],
  );
  assert.deepEqual(leadsOf([entry('a', SLOW), synced('bs', 2)], 'more'), []);
});

test('who lists other amounts is no rival where that may be why, and loses to whom it cannot be', () => {
  const of = (/** @type {string} */ system, /** @type {number} */ n, /** @type {number} */ listed) =>
    entry(system, times(n), { record: { system, listed } });
  const [lead] = leadsOf([of('a', 1, 27), of('b', 1.3, 16), of('c', 30, 16)], 'more');
  assert.deepEqual([lead.outcome, lead.winner, lead.beaten.sort()], ['winner', 'c', ['a', 'b']]);
  const [two] = leadsOf([of('a', 1, 27), of('b', 1.3, 16)], 'more');
  assert.deepEqual(
    [two.outcome, two.why.map(whyText)],
    ['not comparable', ['answers list all that is stored, and that is 27 ≠ 16']],
  );
});

test('six numbers of users give the scalability law, five give none, and a client that took part is told', () => {
  const users = [1, 2, 5, 10, 20, 50];
  const steps = (/** @type {number[]} */ of, reasons = /** @type {{code: string}[]} */ ([])) =>
    rowsOf(
      of.map((vus) =>
        aCell({ vus, ratePerSec: (1000 * vus) / (1 + 0.1 * (vus - 1) + 0.001 * vus * (vus - 1)), reasons }),
      ),
    );
  const law = scalabilityOf(steps(users));
  assert.ok(law && Math.abs(law.sigma.estimate - 0.1) < 1e-3 && Math.abs(law.kappa.estimate - 0.001) < 1e-4);
  assert.deepEqual([Math.round(law.peakUsers.estimate), law.trend, law.mostUsers], [30, true, 50]);
  assert.equal(scalabilityOf(steps(users.slice(1))), null);
  assert.equal(scalabilityOf(steps(users, [{ code: 'set_by_client' }]))?.clientSteps, 6);
});

test('capacity is the last step that keeps the objective, and no dip of throughput ends it', () => {
  const row = (/** @type {number} */ vus, /** @type {number} */ rate, /** @type {number} */ p99) =>
    rowsOf([
      aCell({ vus, ratePerSec: rate, result: { serviceMs: /** @type {any} */ ({ p50: 1, p99 }) } }),
    ])[0];
  const found = capacityOf([
    row(1, 100, 1),
    row(20, 900, 20),
    row(50, 800, 60),
    row(100, 700, 140),
    row(200, 650, 300),
  ]);
  assert.deepEqual(
    [found.within?.step.vus, found.broken?.step.vus, found.why, found.best?.step.vus, found.last?.step.vus],
    [50, 100, 'p99', 20, 200],
  );
  assert.equal(capacityOf([row(1, 100, 1)], { p99Ms: 0.5 }).within, null);
});

test('a step of too few operations for a p99 breaks the objective by its p95', () => {
  const few = (/** @type {number} */ vus, /** @type {number} */ p95) =>
    rowsOf([
      aCell({
        vus,
        ratePerSec: 10,
        result: { count: 300, serviceMs: /** @type {any} */ ({ p50: 1, p95, p99: 9000 }) },
      }),
    ])[0];
  const [fast, slow] = [few(10, 90), few(50, 655)];
  assert.deepEqual([fast.serviceMs.p99, slow.serviceMs.p95?.median], [null, 655]);
  const found = capacityOf([fast, slow]);
  assert.deepEqual(
    [found.within, found.broken?.step.vus, found.why],
    [null, 50, 'p99'],
    'nobody knows if 10 users keep it',
  );
});
