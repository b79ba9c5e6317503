import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, shown } from '../paths.js';
import { runTool } from '../process/tool.js';
import { generatorBuild, isBuilt } from '../setup/builds.js';
import { isFile } from './declared.js';

/** @import { Stack } from '../types.d.ts' */

/** Modules by their path, as imported, exported from, or required; types in comments are none. */
const IMPORTS =
  /^\s*(?:import|export)\b[^;]*?\bfrom\s+'(\.{1,2}\/[^']+|\/[^']+)'|^\s*import\s+'(\.{1,2}\/[^']+)'/gms;

/**
 * Whether the clients can be loaded: every file that they import is there, and, where our k6 is built, k6 takes them.
 * @param {Stack[]} stacks one for each folder
 * @returns {Promise<string[]>} problems
 */
export async function clientProblems(stacks) {
  const clients = stacks.map((s) => join(s.folder, 'client.js')).filter(isFile);
  const missing = new Map(clients.map((client) => [client, missingImports(client)]));
  const whole = clients.filter((client) => missing.get(client)?.length === 0);
  return [...[...missing.values()].flat(), ...(await refusedByK6(whole))];
}

/**
 * @param {string} file
 * @param {Set<string>} [seen]
 * @returns {string[]} imports of it, and of what it imports, that lead nowhere
 */
export function missingImports(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORTS)].flatMap(([, named, bare]) => {
    const specifier = named ?? bare;
    const target = resolve(dirname(file), specifier);
    if (!isFile(target)) return [`${shown(file)}: imports ${specifier}, and there is no ${target}`];
    return target.endsWith('.js') ? missingImports(target, seen) : [];
  });
}

/**
 * @param {string[]} clients
 * @returns {Promise<string[]>} none where our k6 is not built: a check builds nothing
 */
async function refusedByK6(clients) {
  const build = generatorBuild();
  if (clients.length === 0 || !isBuilt(build)) return [];
  const urls = clients.map((client) => pathToFileURL(client).href);
  const { ok, stderr } = await runTool(
    [join(build.output, 'k6'), 'inspect', join(ROOT, 'k6', 'check-clients.js')],
    {
      env: { CLIENTS: urls.join('\n'), K6_INCLUDE_SYSTEM_ENV_VARS: 'true', K6_LOG_FORMAT: 'raw' },
      timeoutMs: 120_000,
    },
  );
  const refused = clients.flatMap((client, i) => {
    const line = stderr.split('\n').find((l) => l.includes(`CLIENT ${urls[i]} `));
    return line ? [`${shown(client)}: k6 cannot load it: ${line.split(`CLIENT ${urls[i]} `)[1].trim()}`] : [];
  });
  return refused.length > 0 || ok ? refused : [`k6 inspect failed: ${stderr.trim().split('\n')[0]}`];
}
