import { fcnnlsVector } from 'ml-fcnnls';
import { createRng } from './rng.js';
import { median, quantile } from './summary.js';

/**
 * The Universal Scalability Law: X(N) = λ·N / (1 + σ·(N − 1) + κ·N·(N − 1)). λ is the throughput of one user alone, σ the
 * share of the work that waits its turn (contention), κ what each pair of users costs beside it (coherence). With κ > 0
 * throughput has a peak, at N* = √((1 − σ) / κ), and falls beyond it.
 * N. J. Gunther, "A General Theory of Computational Scalability Based on Rational Functions", arXiv:0808.1431 (2008);
 * "Guerrilla Capacity Planning", Springer 2007, chapters 4 to 6.
 * @typedef {{lambda: number, sigma: number, kappa: number}} Usl
 * @import { Interval } from '../types.d.ts'
 */

/** Resamples of its intervals: each is a fit. */
const RESAMPLES = 1000;

/**
 * Fits the law as Gunther does, by its form N/X = a + b·(N − 1) + c·N·(N − 1), which is linear, with a = 1/λ, b = σ/λ and
 * c = κ/λ; squares of relative errors, because steps differ by orders of magnitude; σ and κ are not below 0.
 * @param {readonly {users: number, rate: number}[]} points rates above 0
 * @returns {Usl | null} null where fewer than three numbers of users are known, or nothing fits
 */
export function fitUsl(points) {
  if (new Set(points.map((p) => p.users)).size < 3) return null;
  const rows = points.map(({ users, rate }) =>
    [1, users - 1, users * (users - 1)].map((term) => (term * rate) / users),
  );
  // Columns of like size: users and their squares lie far apart.
  const scale = [0, 1, 2].map((j) => Math.max(...rows.map((r) => r[j])));
  const scaled = rows.map((r) => r.map((v, j) => v / scale[j]));
  const found = fcnnlsVector(
    scaled,
    rows.map(() => 1),
  ).K.to1DArray();
  const [a, b, c] = found.map((v, j) => v / scale[j]);
  return a > 0 ? { lambda: 1 / a, sigma: b / a, kappa: c / a } : null;
}

/**
 * @param {Usl} law
 * @param {number} users
 * @returns {number} throughput, per second
 */
export function uslAt({ lambda, sigma, kappa }, users) {
  return (lambda * users) / (1 + sigma * (users - 1) + kappa * users * (users - 1));
}

/**
 * @param {Usl} law
 * @returns {number} N*, the number of users with the most throughput; infinite where more always do more
 */
export function uslPeak({ sigma, kappa }) {
  if (sigma >= 1) return 1;
  return kappa > 0 ? Math.max(1, Math.sqrt((1 - sigma) / kappa)) : Number.POSITIVE_INFINITY;
}

/**
 * @typedef {object} Scalability
 * @property {Interval} lambda per second
 * @property {Interval} sigma
 * @property {Interval} kappa
 * @property {Interval} peakUsers N*; its ends may be infinite
 * @property {number} peakRate throughput there; of an infinite N* what no number of users exceeds
 * @property {number} missesBy largest distance of a step's median from the law, as a share of it
 * @property {number} repeats
 */

/** The same steps give the same intervals. */
const SEED = 1;

/**
 * The law of one system, with 95 % percentile bootstrap intervals (Efron 1979) over whole repeats: what all steps of a
 * repeat suffered together stays together.
 * @param {readonly {users: number, byRepeat: ReadonlyMap<string | number, number>}[]} steps
 * @returns {Scalability | null} null where nothing fits
 */
export function scalabilityFrom(steps) {
  const repeats = [...new Set(steps.flatMap((s) => [...s.byRepeat.keys()]))];
  const pointsOf = (/** @type {(string | number)[]} */ drawn) =>
    steps.flatMap(({ users, byRepeat }) => {
      const rates = drawn.flatMap((r) => byRepeat.get(r) ?? []);
      return rates.length > 0 ? [{ users, rate: median(rates) }] : [];
    });
  const points = pointsOf(repeats);
  const law = fitUsl(points);
  if (!law) return null;
  const random = createRng(SEED);
  const draws = Array.from({ length: repeats.length > 1 ? RESAMPLES : 0 }, () =>
    fitUsl(pointsOf(repeats.map(() => repeats[Math.floor(random() * repeats.length)]))),
  ).filter((f) => f !== null);
  const interval = (/** @type {(law: Usl) => number} */ read) => {
    const values = Float64Array.from(draws, read).sort();
    const at = (/** @type {number} */ q) => (values.length > 0 ? quantile(values, q) : read(law));
    return { estimate: read(law), low: at(0.025), high: at(0.975) };
  };
  const peakUsers = interval(uslPeak);
  return {
    lambda: interval((f) => f.lambda),
    sigma: interval((f) => f.sigma),
    kappa: interval((f) => f.kappa),
    peakUsers,
    peakRate: Number.isFinite(peakUsers.estimate) ? uslAt(law, peakUsers.estimate) : law.lambda / law.sigma,
    missesBy: Math.max(...points.map(({ users, rate }) => Math.abs(uslAt(law, users) / rate - 1))),
    repeats: repeats.length,
  };
}
