import { resolve } from 'node:path';
import { UNKNOWN_DURABILITY } from './durability.js';

/** @import { StackManifest } from '../types.d.ts' */

/**
 * What a program of the user's own is called, in place of the one that the manifest describes.
 * @param {StackManifest} manifest
 * @returns {Pick<StackManifest, 'title' | 'origin' | 'settings' | 'traits'>}
 */
function labelOfOverride({ native, title }) {
  const override = native?.override;
  return {
    title: override?.title ?? title,
    origin: 'upstream',
    settings: {},
    traits: override?.traits ?? {},
  };
}

/**
 * A system that the user gives by its address is not ours, whatever the manifest would start: neither settings nor
 * durability nor limits hold for it, but what it says itself, and what holds of every server of its version.
 * @param {StackManifest} manifest
 * @returns {StackManifest} as it describes the system at the address
 */
export function atAddress(manifest) {
  const { title } = labelOfOverride(manifest);
  return {
    ...manifest,
    title: `${title.replace(' (reference)', '')} (upstream, by its address)`,
    origin: 'upstream',
    settings: {},
    traits: {},
    durability: { ...UNKNOWN_DURABILITY },
    limits: undefined,
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
  const named = override && env[override.env];
  if (!override || !named) return manifest;
  const binary = resolve(named);
  const fill = (/** @type {string} */ part) => part.replaceAll('{binary}', binary);
  return {
    ...manifest,
    ...labelOfOverride(manifest),
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
