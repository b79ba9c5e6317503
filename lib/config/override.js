import { resolve } from 'node:path';

/** @import { StackManifest } from '../types.d.ts' */

/**
 * What a system is called when the user names it: by a variable, or by the address of one that already runs.
 * @param {StackManifest} manifest
 * @param {boolean} named
 * @returns {Pick<StackManifest, 'title' | 'origin' | 'knobs'>}
 */
export function labelOf(manifest, named) {
  const override = named ? manifest.native?.override : undefined;
  if (!override) return manifest;
  return { title: override.title, origin: 'upstream', knobs: override.knobs ?? {} };
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
  const named = override && env[override.env];
  if (!override || !named) return manifest;
  const binary = resolve(named);
  const fill = (/** @type {string} */ part) => part.replaceAll('{binary}', binary);
  return {
    ...manifest,
    ...labelOf(manifest, true),
    native: {
      override,
      needs: [
        {
          binary,
          hint: `${override.env} names no program that can be started: correct it, or unset it`,
          source: `named by ${override.env}`,
        },
      ],
      start: override.start.map(fill),
      ...(override.version ? { version: override.version.map(fill) } : {}),
    },
  };
}
