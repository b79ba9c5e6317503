import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { suggest } from '../config/nearest.js';
import { plainLine } from '../controls.js';
import { BenchError } from '../errors.js';
import { linesOf } from './k6-log.js';

/**
 * `--out`: outputs of k6 that a user wants beside ours. Addresses may hold passwords, so that only their names reach a plan.
 * By output: the variables that configure it, whether it writes a file, and by what its lines in k6's log are known.
 * @type {Readonly<Record<string, {variables: string[], file?: true, says: RegExp}>>}
 */
const OUTPUTS = Object.freeze({
  json: { variables: [], file: true, says: /^json$/ },
  csv: { variables: ['K6_CSV_'], file: true, says: /^csv$/ },
  influxdb: { variables: ['K6_INFLUXDB_'], says: /^InfluxDB/ },
  opentelemetry: { variables: ['K6_OTEL_'], says: /OpenTelemetry|failed to upload metrics/i },
  'experimental-prometheus-rw': { variables: ['K6_PROMETHEUS_RW_'], says: /^Prometheus/ },
});

/** As they were given to this process. @type {{name: string, argument: string}[]} */
let given = [];

/**
 * @param {string[]} texts of `--out`: `name` or `name=argument`
 * @returns {string[]} names
 * @throws {BenchError} one that k6 does not have, or a file that cannot be written
 */
export function readOutputs(texts) {
  given = texts.map((text) => {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    if (!Object.hasOwn(OUTPUTS, name))
      throw new BenchError(`unknown output "${name}" in --out: ${suggest(name, Object.keys(OUTPUTS))}`);
    const argument = at < 0 ? '' : text.slice(at + 1);
    return { name, argument: OUTPUTS[name].file ? fileOf(name, argument) : argument };
  });
  const names = given.map((o) => o.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new BenchError(`--out ${twice} is given twice: k6 has it once`);
  return names;
}

/**
 * @param {string} name
 * @param {string} argument
 * @returns {string} absolute
 */
function fileOf(name, argument) {
  if (argument === '') throw new BenchError(`--out ${name} needs a file: --out ${name}=metrics.${name}`);
  const path = resolve(argument);
  const folder = dirname(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new BenchError(`--out ${name}=${argument}: there is no folder ${folder}`);
  return path;
}

/**
 * @param {string[]} names of outputs
 * @throws {BenchError} one writes a file, which k6 in a container would keep to itself
 */
export function demandReachable(names) {
  const file = names.find((name) => OUTPUTS[name]?.file);
  if (file)
    throw new BenchError(`--out ${file} writes a file here, and k6 runs in a container`, {
      hint: 'add --engine native, or take an output that has an address',
    });
}

/**
 * @param {string} load a name for one process of k6: each writes a file of its own
 * @param {NodeJS.ProcessEnv} env
 * @returns {{outputs: string[], env: Record<string, string | undefined>}} what k6 is told, with the variables by which the given
 *   outputs are configured; no others of k6 are let through
 */
export function outputsFor(load, env) {
  const places = given.map(({ name, argument }) => ({
    name,
    place: OUTPUTS[name].file ? pathFor(argument, load) : argument,
  }));
  // k6's csv takes what has a comma or an equals sign for a list of settings.
  const csv = places.find(({ name }) => name === 'csv')?.place;
  const prefixes = given.flatMap(({ name }) => OUTPUTS[name].variables);
  const own = Object.entries(env).filter(([name]) => prefixes.some((p) => name.startsWith(p)));
  return {
    outputs: places.map(({ name, place }) => (place && name !== 'csv' ? `${name}=${place}` : name)),
    env: { ...Object.fromEntries(own), ...(csv ? { K6_CSV_FILENAME: csv } : {}) },
  };
}

/**
 * @param {string[]} log of k6, JSON lines
 * @returns {import('../types.d.ts').LostOutput[]} each output that did not take all that was sent to it
 */
export function outputProblems(log) {
  if (given.length === 0) return [];
  const errors = linesOf(log.join('\n')).filter(({ level }) => level === 'error');
  return given.flatMap(({ name }) => {
    const own = errors.filter(({ output, msg, error }) =>
      OUTPUTS[name].says.test(output ?? `${msg} ${error}`),
    );
    if (own.length === 0) return [];
    const [{ msg, error }] = own;
    // Without the address, which may hold a password.
    const cause = (error ?? '').replace(/.*"[^"]*": /s, '');
    return [{ output: name, cause: plainLine(`${msg}${cause && `: ${cause}`}`) }];
  });
}

/**
 * @param {string} path
 * @param {string} load
 */
function pathFor(path, load) {
  const [, stem, ending] = /** @type {RegExpExecArray} */ (
    /^(.+?)((?:\.[a-z0-9]+){0,2})$/is.exec(basename(path))
  );
  return join(dirname(path), `${stem}.${load}${ending}`);
}
