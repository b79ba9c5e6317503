import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../process/tool.js';
import { unpacked } from '../setup/debian.js';

/** The only place that knows how Docker and Compose are called. */

/** Where a Compose plugin from Debian's packages lies below the folder that it was unpacked into. */
const PLUGIN = 'usr/libexec/docker/cli-plugins/docker-compose';

/** Debian's own name of the package that holds Compose 2. */
export const COMPOSE_PACKAGE = 'docker-compose';

/**
 * @param {string[]} args
 * @param {Parameters<typeof runTool>[1]} [options]
 */
export function docker(args, options) {
  return runTool(['docker', ...args], options);
}

/**
 * @param {string} ref of an image
 * @param {string} [format] of what is asked of it
 * @returns {Promise<string>} its id, unless something else is asked; empty where the engine does not have it
 */
export async function inspectImage(ref, format = '{{.Id}}') {
  const { ok, stdout } = await docker(['image', 'inspect', '--format', format, ref]);
  return ok ? stdout.trim() : '';
}

/**
 * @param {string[]} command how Compose is called here, from {@link composeCandidates}
 * @param {{project: string, file: string, profile?: string, env?: Record<string, string>, timeoutMs?: number}} where
 * @param {string[]} args
 */
export function compose(command, { project, file, profile, env, timeoutMs }, args) {
  const profiles = profile ? ['--profile', profile] : [];
  return runTool([...command, '--project-name', project, '--file', file, ...profiles, ...args], {
    env: { COMPOSE_IGNORE_ORPHANS: 'true', COMPOSE_PROGRESS: 'quiet', ...env },
    timeoutMs,
  });
}

/** @returns {string[][]} ways to call Compose, the user's own first */
export function composeCandidates() {
  const had = unpacked(COMPOSE_PACKAGE);
  const plugin = had ? join(had.root, PLUGIN) : null;
  return [['docker', 'compose'], ...(plugin && existsSync(plugin) ? [[plugin]] : [])];
}
