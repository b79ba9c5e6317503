import { BenchError } from '../errors.js';

/** Who calls which function of a script: the scenarios of its own, with the users of a step in place of their load. */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} executor of the script's own
 * @property {number} weight users that it would have had
 * @property {Record<string, any>} kept what stays of it: the function, its variables and tags, how long it may go on
 */

const KEPT = ['exec', 'env', 'tags', 'gracefulStop', 'options'];
/** A script without any has one of this name. */
const DEFAULT = 'default';

/**
 * @param {Record<string, any>} options of the script
 * @returns {Scenario[]} at least one
 */
export function scenariosOf(options) {
  const own = Object.entries(options.scenarios ?? {});
  if (own.length === 0) return [{ name: DEFAULT, executor: shortcutOf(options), weight: 1, kept: {} }];
  return own.map(([name, scenario]) => ({
    name,
    executor: scenario.executor,
    weight: Math.max(1, usersOf(scenario)),
    kept: Object.fromEntries(KEPT.flatMap((key) => (scenario[key] == null ? [] : [[key, scenario[key]]]))),
  }));
}

/** @param {Record<string, any>} options @returns {string} what it says of its load without a scenario */
function shortcutOf({ stages, iterations, duration, vus }) {
  if (stages) return 'stages';
  if (iterations) return 'iterations';
  return duration || vus ? 'vus and duration' : '';
}

/** @param {Record<string, any>} scenario @returns {number} */
function usersOf({ vus, startVUs, stages, preAllocatedVUs, executor }) {
  if (executor === 'ramping-vus')
    return Math.max(
      startVUs ?? 1,
      ...(stages ?? []).map((/** @type {{target: number}} */ s) => s.target ?? 0),
    );
  return preAllocatedVUs ?? vus ?? 1;
}

/**
 * @param {Scenario[]} scenarios
 * @param {number} users at least one for each
 * @returns {number[]} so many for each, in the script's own proportion as far as whole users go
 */
export function sharesOf(scenarios, users) {
  const all = scenarios.reduce((n, { weight }) => n + weight, 0);
  const spare = users - scenarios.length;
  // One for each first, so that none is left out; the largest remainders get what rounding leaves.
  const exact = scenarios.map(({ weight }) => Math.max(0, (users * weight) / all - 1));
  const scale =
    spare /
    Math.max(
      1,
      exact.reduce((n, x) => n + x, 0),
    );
  const parts = exact.map((x) => x * scale);
  const whole = parts.map(Math.floor);
  const order = parts.map((x, i) => ({ i, left: x - whole[i] })).sort((a, b) => b.left - a.left || a.i - b.i);
  const rest = spare - whole.reduce((n, x) => n + x, 0);
  for (const { i } of order.slice(0, rest)) whole[i]++;
  return whole.map((n) => n + 1);
}

/**
 * @param {Scenario[]} scenarios
 * @param {{users: number, totalMs: number, ratePerSec?: number}} load `ratePerSec`: iterations a second of all of them together
 * @returns {Record<string, object>} as k6 has them: so many users call their functions again and again; or at a rate iterations
 *   begin by a schedule, and are dropped where no user is free
 */
export function scenariosUnder(scenarios, { users, totalMs, ratePerSec }) {
  const shares = sharesOf(scenarios, users);
  const all = scenarios.reduce((n, { weight }) => n + weight, 0);
  const loadOf = (/** @type {number} */ weight, /** @type {number} */ share) =>
    ratePerSec === undefined
      ? { executor: 'constant-vus', vus: share }
      : {
          executor: 'constant-arrival-rate',
          // k6 takes whole numbers: a part of the rate is the part of a longer time.
          ...{ rate: ratePerSec * weight, timeUnit: `${all}s` },
          ...{ preAllocatedVUs: share, maxVUs: share },
        };
  return Object.fromEntries(
    scenarios.map(({ name, kept, weight }, i) => [
      name,
      { ...kept, ...loadOf(weight, shares[i]), duration: `${totalMs}ms` },
    ]),
  );
}

/**
 * @param {Pick<Scenario, 'name' | 'executor' | 'weight'>[]} scenarios
 * @returns {string} what of the script's own load is not kept; empty where it has none
 */
export function loadText(scenarios) {
  const [{ executor }] = scenarios;
  if (scenarios.length === 1)
    return executor && `the steps take the place of the script's own load (${executor})`;
  const names = scenarios.map((s) => `${s.name} (${s.executor})`).join(', ');
  const weights = scenarios.map((s) => s.weight).join(' : ');
  return `the steps take the place of the script's own load: its scenarios ${names} share the users ${weights}`;
}

/** @param {Scenario[]} scenarios @returns {Record<string, object>} one iteration by one user of each */
export function onceScenarios(scenarios) {
  const once = { executor: 'per-vu-iterations', vus: 1, iterations: 1 };
  return Object.fromEntries(scenarios.map(({ name, kept }) => [name, { ...kept, ...once }]));
}

/**
 * A threshold that no load of the ladder can cross would be a gate that never closes.
 * @param {string} script
 * @param {Record<string, any>} options
 * @param {string[]} k6Options
 * @param {boolean} [drops] whether iterations can be dropped: at a rate
 * @throws {BenchError} naming it
 */
export function demandGates(script, options, k6Options, drops = false) {
  if (k6Options.some((option) => /^--no-thresholds(=true)?$/.test(option))) return;
  const names = scenariosOf(options).map((s) => s.name);
  for (const threshold of Object.keys(options.thresholds ?? {})) {
    const never = (/** @type {string} */ why, /** @type {string} */ hint) =>
      new BenchError(`${script}: its threshold on ${threshold} cannot be crossed: ${why}`, { hint });
    const [, metric, tags = ''] = /^([^{]*)(?:\{(.*)\})?$/s.exec(threshold) ?? [];
    if (metric === 'dropped_iterations' && !drops)
      throw never(
        'users who wait drop nothing',
        'give --rate in place of --steps, leave it out, or give --no-thresholds after "--"',
      );
    const [, scenario] = /(?:^|,)\s*scenario:\s*"?([^,"]*?)"?\s*(?:,|$)/.exec(tags) ?? [];
    if (scenario !== undefined && !names.includes(scenario))
      throw never(`no scenario is called "${scenario}"`, `its scenarios are: ${names.join(', ')}`);
  }
}
