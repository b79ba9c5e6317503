import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFile } from './declared.js';
import { BASE_VARIANT } from './variants.js';

/** @import { Stack } from '../types.d.ts' */

/** What every system in a container has: equal limits and network, and no right that it can do without. */
const BASE = /^ +extends:\n +file: \S*_shared\/base\.yml\n +service: system$/m;

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
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((l) => !l.trim().startsWith('#'));
  const text = lines.join('\n');
  const images = Object.fromEntries(
    [...text.matchAll(/image: '?\$\{([A-Z0-9_]+):-([^}]+)\}/g)].map((m) => [m[1], m[2]]),
  );
  /** @type {string[]} */
  const problems = [];
  const say = (/** @type {string} */ problem) => problems.push(`compose.yml: ${problem}`);
  for (const [variable, image] of Object.entries(docker.images))
    if (images[variable] !== image) say(`no "image: \${${variable}:-${image}}", as docker.images says`);
  for (const variable of Object.keys(images))
    if (!(variable in docker.images)) problems.push(`docker.images: ${variable} of compose.yml is missing`);
  for (const line of lines)
    if (/^\s+image:/.test(line) && !/\$\{[A-Z0-9_]+:-/.test(line))
      say(`"${line.trim()}" cannot be replaced by a variable`);
  if (!new RegExp(`^  '?${docker.service}'?:$`, 'm').test(text))
    say(`no service "${docker.service}", as docker.service says`);
  const published = `127.0.0.1:\${${portVariable(docker)}:-`;
  if (!text.includes(published)) say(`no port "${published}…}:${docker.port}"`);
  for (const [name, service] of Object.entries(servicesIn(text)))
    if (!BASE.test(service)) say(`service "${name}" does not extend "system" of _shared/base.yml`);
  for (const port of publishedPorts(lines))
    if (!port.startsWith('127.0.0.1:')) say(`port "${port}" is published beyond loopback`);
  for (const word of FORBIDDEN)
    if (new RegExp(`^\\s+${word}:`, 'm').test(text)) say(`"${word}" must not be set by a system`);
  return problems;
}

/**
 * @param {string} text of a compose file
 * @returns {Record<string, string>} each service's part of it
 */
export function servicesIn(text) {
  const [, all = ''] = /^services:\n((?:[ \t#].*\n|\n)*)/m.exec(`${text}\n`) ?? [];
  const parts = all.split(/^ {2}(?=\S[^\n]*:$)/m).slice(1);
  return Object.fromEntries(
    parts
      .filter((part) => !part.startsWith('#'))
      .map((part) => [part.split(':')[0].replaceAll(/['"]/g, ''), part]),
  );
}

/**
 * @param {string[]} lines
 * @returns {string[]} entries of every `ports:` list
 */
function publishedPorts(lines) {
  let inside = false;
  return lines.flatMap((line) => {
    if (/^\s+ports:/.test(line)) inside = true;
    else if (inside && !/^\s+- /.test(line)) inside = false;
    return inside && /^\s+- /.test(line) ? [line.replace(/^\s+- /, '').replace(/^['"]|['"]$/g, '')] : [];
  });
}

/**
 * @param {import('../types.d.ts').DockerRecipe} recipe
 * @returns {string} the variable of the compose file for the port on loopback
 */
export function portVariable({ service }) {
  return `${service.toUpperCase().replaceAll('-', '_')}_PORT`;
}
