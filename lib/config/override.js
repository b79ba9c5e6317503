import { resolve } from 'node:path';
import { which } from '../process/tool.js';
import { namedBy } from '../setup/needs.js';
import { UNKNOWN_DURABILITY } from './durability.js';

/** @import { StackManifest } from '../types.d.ts' */

/**
 * A system that the user gives by its address is not ours, whatever the manifest would start: neither settings nor
 * durability nor promises hold for it, but what it says itself, and what holds of every server of its
 * version. A manifest that starts nothing describes no other server than that.
 * @param {StackManifest} manifest
 * @returns {StackManifest} as it describes the system at the address
 */
export function atAddress(manifest) {
  if (!manifest.native && !manifest.docker) return manifest;
  const title = manifest.native?.override?.title ?? manifest.title;
  return {
    ...manifest,
    title: title.replace(' (ours)', ''),
    origin: 'upstream',
    settings: {},
    traits: {},
    durability: { ...UNKNOWN_DURABILITY },
    promises: undefined,
  };
}

/**
 * A program of the user's own in place of the one that a manifest builds or fetches. It is the vendor's, not ours:
 * the origin says so in every report.
 * @param {StackManifest} manifest
 * @param {Record<string, string | undefined>} [env] in which `native.override.env` may name a program
 * @returns {StackManifest} the manifest as it is when the variable is not set
 */
export function withOverride(manifest, env = process.env) {
  const override = manifest.native?.override;
  const given = override && programOf(override, env);
  if (!override || !given) return manifest;
  const fill = (/** @type {string} */ part) => part.replaceAll('{binary}', given.binary);
  const { config, env: variables } = /** @type {NonNullable<StackManifest['native']>} */ (manifest.native);
  return {
    ...manifest,
    title: override.title ?? manifest.title,
    origin: 'upstream',
    settings: {},
    traits: override.traits ?? {},
    // Which version it is, and so what its hooks need, is not known before it runs.
    ...(manifest.hookBuild ? { hookBuild: manifest.hookBuild.map(({ engines: _, ...b }) => b) } : {}),
    native: {
      override,
      needs: [
        {
          binary: given.binary,
          hint: `${override.env} does not name a program that can be started: correct it, or unset it`,
          source: given.source,
        },
      ],
      ...(config ? { config } : {}),
      ...(variables ? { env: variables } : {}),
      start: override.start.map(fill),
      ...(override.version ? { version: override.version.map(fill) } : {}),
    },
  };
}

/**
 * @param {import('../types.d.ts').NativeOverride} override
 * @param {Record<string, string | undefined>} env
 * @returns {{binary: string, source: string} | null}
 */
function programOf(override, env) {
  const named = env[override.env];
  if (named) return { binary: resolve(named), source: namedBy(override.env, env) };
  const found = (override.path ?? []).find((name) => which(name) !== null);
  return found ? { binary: String(which(found)), source: `${found} on PATH` } : null;
}
