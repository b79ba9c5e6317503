import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { BenchError, causeOf } from '../errors.js';
import { isFile } from './declared.js';
import { portVariable } from './settings.js';
import { BASE_VARIANT } from './variants.js';

/** @import { Stack } from '../types.d.ts' */

/** A service as its file has it, whatever that is. @typedef {Record<string, any>} Service */

/** What the run itself sees to, or what would make two runs meet. */
const FORBIDDEN = ['restart', 'container_name', 'privileged', 'network_mode'];

/**
 * Holds a stack's compose file to its manifest, without Docker: the images that the manifest names are those that it
 * starts, each replaceable by its variable, and nothing is published beyond loopback.
 * @param {Stack} stack
 * @returns {string[]} problems, one line each
 */
export function composeProblems({ folder, manifest, variant }) {
  const { docker } = manifest;
  const path = join(folder, 'compose.yml');
  if (!docker)
    return existsSync(path) && variant === BASE_VARIANT
      ? ['compose.yml: stack.json has no "docker" that would use it']
      : [];
  if (!isFile(path)) return ['docker: the folder has no compose.yml'];
  /** @type {Record<string, Service>} */
  let services;
  try {
    services = servicesIn(readFileSync(path, 'utf8'));
  } catch (error) {
    return [`compose.yml: ${causeOf(error)}`];
  }
  /** @type {string[]} */
  const problems = [];
  const say = (/** @type {string} */ problem) => problems.push(`compose.yml: ${problem}`);
  const named = Object.values(services).flatMap(({ image }) => (image === undefined ? [] : String(image)));
  for (const [variable, image] of Object.entries(docker.images))
    if (!named.includes(`\${${variable}:-${image}}`))
      say(`no "image: \${${variable}:-${image}}", as docker.images says`);
  for (const image of named) {
    const variable = /^\$\{([A-Z0-9_]+):-/.exec(image)?.[1];
    if (!variable) say(`"image: ${image}" cannot be replaced by a variable`);
    else if (!(variable in docker.images))
      problems.push(`docker.images: ${variable} of compose.yml is missing`);
  }
  if (!services[docker.service]) say(`no service "${docker.service}", as docker.service says`);
  const ports = Object.values(services).flatMap(portsOf);
  const published = `127.0.0.1:\${${portVariable(docker)}:-`;
  if (!ports.some((port) => port.startsWith(published) && port.endsWith(`}:${docker.port}`)))
    say(`no port "${published}…}:${docker.port}"`);
  for (const port of ports)
    if (!port.startsWith('127.0.0.1:')) say(`port "${port}" is published beyond loopback`);
  for (const [name, service] of Object.entries(services)) {
    const { file, service: base } = service.extends ?? {};
    // What every system in a container has: equal limits and network, and no right that it can do without.
    if (!String(file).endsWith('_shared/base.yml') || base !== 'system')
      say(`service "${name}" does not extend "system" of _shared/base.yml`);
    for (const word of FORBIDDEN)
      if (word in service) say(`"${word}" must not be set by a system (service "${name}")`);
  }
  return problems;
}

/** @param {Service} service @returns {string[]} as `host:port:port`, whichever way it writes them */
function portsOf({ ports = [] }) {
  const inOneLine = (/** @type {any} */ { host_ip: host, published, target }) =>
    [host, published, target].filter((part) => part !== undefined).join(':');
  return [ports].flat().map((port) => (typeof port === 'object' && port ? inOneLine(port) : String(port)));
}

/**
 * @param {string} text of a compose file
 * @returns {Record<string, Service>} by name
 * @throws {BenchError} it is no YAML, or has no services
 */
export function servicesIn(text) {
  try {
    const services = parse(text, { merge: true, logLevel: 'error' })?.services ?? {};
    if (Object.values(services).every((service) => service instanceof Object)) return services;
  } catch (error) {
    throw new BenchError(`it is no YAML: ${causeOf(error).split('\n')[0]}`);
  }
  throw new BenchError('a service of it is no mapping');
}
