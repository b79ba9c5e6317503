import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { unsetForK6 } from '../process/plain.js';

/** Values of the variables that stood after `--`. @type {Readonly<Record<string, string>>} */
let given = {};

/** @param {Record<string, string>} values of the script's variables: no plan has them */
export function giveVariables(values) {
  given = values;
}

/** Our k6 (k6/extension/main.go) hands on what begins so to the script alone, without the prefix. */
const FOR_SCRIPT = 'LADDERBENCH_ENV_';

/** Of every k6 of ours: it asks nobody on the internet for anything. */
export const QUIET = Object.freeze({ K6_NO_USAGE_REPORT: 'true', K6_AUTO_EXTENSION_RESOLUTION: 'false' });

/** An empty configuration in the place of the user's, which k6 looks for in HOME. */
export const K6_PLAIN = Object.freeze([
  ...['--config', join(ROOT, 'k6', 'config.json')],
  ...['--quiet', '--no-color', '--log-format', 'json'],
]);
export const K6_RUN = Object.freeze(['run', ...K6_PLAIN]);

/**
 * As plain k6 has it: a script sees the whole environment and what `-e` says. What the environment says to k6 itself
 * (`K6_VUS`, `K6_RPS` …) reaches the script, and no load.
 * @param {string} url of the system; empty: the script knows what it addresses
 * @param {string[]} k6Options
 * @returns {Record<string, string | undefined>}
 */
export function scriptEnvironment(url, k6Options) {
  const seen = {
    ...(k6Options.includes('--include-system-env-vars=false') ? {} : process.env),
    ...given,
    ...(url ? { BASE_URL: url } : {}),
  };
  return {
    ...unsetForK6(process.env),
    ...Object.fromEntries(Object.entries(seen).map(([name, value]) => [`${FOR_SCRIPT}${name}`, value])),
  };
}
