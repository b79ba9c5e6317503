import { expandVariants } from './variants.js';

/**
 * Settings of a system stand once, in its manifest, and are given to the server from there: as arguments, in its files
 * of configuration, in its environment, or as variables of its compose file. What is printed is what was given.
 * @import { StackManifest } from '../types.d.ts'
 */

/** In an argument list: `--name value` for each setting. */
const ALL = '{settings}';
const ONE = /\{setting\.([^}]+)\}/g;

/**
 * @param {string[]} command argument list of a manifest
 * @param {Record<string, string>} [settings] by the server's own names
 * @returns {string[]} with the settings in their places
 */
export function withSettings(command, settings = {}) {
  return command.flatMap((part) =>
    part === ALL
      ? Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
      : fillSettings(part, settings),
  );
}

/**
 * @param {string} text with `{setting.<name>}`
 * @param {Record<string, string>} [settings]
 * @returns {string}
 */
export function fillSettings(text, settings = {}) {
  return text.replace(ONE, (whole, name) => (Object.hasOwn(settings, name) ? settings[name] : whole));
}

/**
 * @param {string} service of the compose file
 * @param {string} name of a setting; one that is an environment variable of the server keeps its name
 * @returns {string} the variable of the compose file by which it is given
 */
function settingVariable(service, name) {
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return name;
  return `${service}_${name}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

/**
 * @param {import('../types.d.ts').DockerRecipe} recipe
 * @returns {string} the variable of the compose file for the port on loopback
 */
export function portVariable({ service }) {
  return `${service.toUpperCase().replaceAll('-', '_')}_PORT`;
}

/**
 * @param {Pick<StackManifest, 'docker' | 'settings'>} manifest
 * @returns {Record<string, string>} variables of the compose file
 */
export function settingVariables({ docker, settings = {} }) {
  if (!docker) return {};
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [settingVariable(docker.service, name), value]),
  );
}

/**
 * @param {Pick<StackManifest, 'settings' | 'traits'>} manifest
 * @returns {Record<string, string>} what a report prints of a configuration: what was set, then what else it is
 */
export function shownSettings({ settings = {}, traits = {} }) {
  return { ...settings, ...traits };
}

/**
 * A setting that is printed and reaches no server would be a false statement in every report.
 * @param {StackManifest} manifest as it is written
 * @param {(file: string) => string} read a file of the stack: '' when there is none
 * @returns {string[]} problems, one line each
 */
export function settingsProblems(manifest, read) {
  const { settings = {}, docker } = manifest;
  const systems = expandVariants('', '', manifest).map((system) => system.manifest);
  const names = new Set(systems.flatMap((m) => Object.keys(m.settings ?? {})));
  return [
    ...new Set(systems.flatMap((m) => [...nativeProblems(m, read)])),
    ...(docker && docker.settings !== false
      ? [...names].flatMap((name) => composeProblem(name, docker.service, settings, read))
      : []),
  ];
}

/**
 * @param {StackManifest} manifest of one system
 * @param {(file: string) => string} read
 * @returns {Generator<string>} settings that it does not pass on, and what it passes on that is none
 */
function* nativeProblems({ settings = {}, native }, read) {
  if (!native) return;
  const own = Object.keys(settings);
  const text = [JSON.stringify(native), ...(native.config ?? []).map(read)].join('\n');
  const used = new Set([...text.matchAll(ONE)].map(([, name]) => name));
  for (const name of native.start.includes(ALL) ? [] : own)
    if (!used.has(name))
      yield `settings.${name}: native does not pass it on: add {settings} or {setting.${name}} where it belongs`;
  for (const name of used)
    if (!own.includes(name))
      yield `native: {setting.${name}} is not a setting; known: ${own.join(', ') || 'none'}`;
}

/**
 * @param {string} name
 * @param {string} service
 * @param {Record<string, string>} settings of the base, whose values are the compose file's defaults
 * @param {(file: string) => string} read
 */
function composeProblem(name, service, settings, read) {
  const variable = settingVariable(service, name);
  const found = new RegExp(`\\$\\{${variable}:?-([^}]*)\\}`).exec(read('compose.yml'));
  if (!found) return [`settings.${name}: compose.yml does not use \${${variable}:-…}`];
  if (!Object.hasOwn(settings, name) || found[1] === settings[name]) return [];
  return [`settings.${name}: compose.yml's default of ${variable} is "${found[1]}", not "${settings[name]}"`];
}
