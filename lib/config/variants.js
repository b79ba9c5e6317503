import { isOf } from './validate.js';

/**
 * Variants: one product in several configurations, each a system of its own.
 * @import { Stack, StackManifest } from '../types.d.ts'
 */

/** The name by which a record says that a system is its manifest's own configuration. */
export const BASE_VARIANT = 'default';

/**
 * A stack and its variants. The id of a variant is `<stack>@<variant>`; its manifest is the stack's own with the
 * variant laid over it, and with the workloads that name it.
 * @param {string} id of the stack
 * @param {string} folder absolute
 * @param {StackManifest} manifest
 * @returns {Stack[]} the base first
 */
export function expandVariants(id, folder, manifest) {
  const { variants = {}, ...base } = manifest;
  const own = { id, base: id, variant: BASE_VARIANT, folder, manifest: withWorkloads(base, null) };
  return [
    own,
    ...Object.entries(variants).map(([variant, { profiles, setting, ...over }]) => ({
      id: `${id}@${variant}`,
      base: id,
      variant,
      folder,
      ...(profiles ? { profiles } : {}),
      ...(setting ? { setting } : {}),
      manifest: withWorkloads(laidOver(base, over), variant),
    })),
  ];
}

/**
 * @param {StackManifest} base
 * @param {import('../types.d.ts').VariantManifest} over whose companions replace those of the same name and no others, where the
 *   base has any; a setting, or all of native or docker, that is null there is not there
 * @returns {StackManifest}
 */
function laidOver(base, over) {
  const manifest = overlay(base, over);
  const own = base.native?.companions;
  const others = over.native?.companions;
  if (own && others) manifest.native.companions = own.map((c) => others.find((o) => o.name === c.name) ?? c);
  for (const way of ['native', 'docker']) if (manifest[way] === null) delete manifest[way];
  for (const [name, value] of Object.entries(over.settings ?? {}))
    if (value === null) delete manifest.settings[name];
  return manifest;
}

/**
 * What the schema cannot say: names on both sides must match.
 * @param {StackManifest} manifest
 * @returns {string[]}
 */
export function variantProblems(manifest) {
  const { workloads, variants = {}, native, docker } = manifest;
  const known = Object.keys(variants);
  /** @type {string[]} */
  const problems = [];
  const used = new Set();
  for (const [workload, { variants: named = [] }] of Object.entries(workloads))
    for (const variant of named) {
      used.add(variant);
      if (!known.includes(variant))
        problems.push(
          `workloads.${workload}.variants: unknown variant "${variant}"; known: ${known.join(', ') || 'none'}`,
        );
    }
  for (const variant of known)
    if (!used.has(variant)) problems.push(`variants.${variant}: no workload names it, so it would never run`);
  for (const [id, { evictsAt, settings }] of Object.entries({ '': manifest, ...variants }))
    if (evictsAt && !{ ...manifest.settings, ...settings }[evictsAt])
      problems.push(`${id && `variants.${id}.`}evictsAt: there is no setting "${evictsAt}"`);
  for (const [id, over] of Object.entries(variants)) {
    if (over.native && docker && over.docker === undefined)
      problems.push(
        `variants.${id}: changes "native" only; in a container it would be the base (docker.env, or docker: null)`,
      );
    for (const { name } of over.native?.companions ?? [])
      if (native?.companions?.every((c) => c.name !== name))
        problems.push(`variants.${id}: no companion is called "${name}", so it replaces none`);
  }
  return problems;
}

/**
 * @param {StackManifest} manifest
 * @param {string | null} variant null: the base, which takes part in every workload that does not leave it out
 * @returns {StackManifest}
 */
function withWorkloads(manifest, variant) {
  const entries = Object.entries(manifest.workloads).filter(([, own]) =>
    variant === null ? own.base !== false : (own.variants ?? []).includes(variant),
  );
  const workloads = Object.fromEntries(entries.map(([id, { transports }]) => [id, { transports }]));
  return { ...manifest, workloads };
}

/**
 * Objects are merged, everything else is replaced.
 * @param {any} base
 * @param {any} over
 * @returns {any}
 */
export function overlay(base, over) {
  if (!isOf(base, 'object') || !isOf(over, 'object')) return over;
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = overlay(base[key], value);
  return merged;
}
