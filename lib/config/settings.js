/**
 * Settings of a system stand once, in its manifest, and are given to the server from there: as arguments, in its files
 * of configuration, in its environment, or as variables of its compose file. What is printed is what was given.
 * @import { NativeRecipe, StackManifest, VariantManifest } from '../types.d.ts'
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
 * @param {Pick<StackManifest, 'docker' | 'settings'>} manifest
 * @returns {Record<string, string>} variables of the compose file
 */
export function settingVariables({ docker, settings = {} }) {
  if (!docker) return {};
  const named = Object.entries(settings).map(([name, value]) => [
    settingVariable(docker.service, name),
    value,
  ]);
  return Object.fromEntries(named);
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
export function settingsProblems({ settings = {}, variants = {}, native, docker }, read) {
  const own = Object.keys(settings);
  const of = (/** @type {VariantManifest[]} */ some) =>
    new Set([...own, ...some.flatMap((v) => Object.keys(v.settings ?? {}))]);
  const all = of(Object.values(variants));
  const natively = of(Object.values(variants).filter((v) => v.native !== null));
  return [
    ...(native ? [...natively].flatMap((name) => nativeProblem(name, native, read)) : []),
    ...(native ? strangeNames(native, read, natively) : []),
    ...(docker && docker.settings !== false
      ? [...all].flatMap((name) => composeProblem(name, docker.service, settings, read))
      : []),
  ];
}

/**
 * @param {string} name
 * @param {NativeRecipe} native
 * @param {(file: string) => string} read
 */
function nativeProblem(name, native, read) {
  const given =
    native.start.includes(ALL) || texts(native, read).some((t) => t.includes(`{setting.${name}}`));
  return given
    ? []
    : [`settings.${name}: native does not pass it on: add {settings} or {setting.${name}} where it belongs`];
}

/**
 * @param {NativeRecipe} native
 * @param {(file: string) => string} read
 * @param {Set<string>} known
 */
function strangeNames(native, read, known) {
  const used = texts(native, read).flatMap((t) => [...t.matchAll(ONE)].map(([, name]) => name));
  return [...new Set(used)]
    .filter((name) => !known.has(name))
    .map((name) => `native: {setting.${name}} is not a setting; known: ${[...known].join(', ') || 'none'}`);
}

/**
 * @param {NativeRecipe} native
 * @param {(file: string) => string} read
 */
function texts(native, read) {
  return [JSON.stringify(native), ...(native.config ?? []).map(read)];
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
