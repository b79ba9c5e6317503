import { canBeUnpacked, findNeed } from '../setup/needs.js';

/** @import { NativeCompanion, NativeNeed, NativeRecipe, StackManifest } from '../types.d.ts' */

/**
 * Which form each companion of a system has on this machine: one that the user has given, its own program, or what
 * stands in for it. What it needs and builds becomes part of the recipe, so that set-up knows of it.
 * @param {StackManifest} manifest
 * @param {Record<string, string | undefined>} [env] in which `given.env` may name one that runs already
 * @param {(need: NativeNeed) => boolean} [canBeHad]
 * @returns {StackManifest} the same where there are no companions
 */
export function withCompanions(manifest, env = process.env, canBeHad = obtainable) {
  const { native } = manifest;
  if (!native?.companions) return manifest;
  const companions = native.companions.map((c) => formOf(c, env, canBeHad));
  const needs = [...(native.needs ?? []), ...companions.flatMap((c) => c.needs ?? [])];
  const build = [
    ...(native.build ?? []),
    ...companions.flatMap((c) => (c.build ?? []).map((b) => ({ ...b, companion: c.name }))),
  ];
  const stoodFor = native.companions.flatMap((c, i) => (companions[i].standsIn ? (c.standIn ?? []) : []));
  return stoodFor.reduce(withPromisesOf, {
    ...manifest,
    native: { ...native, companions, needs, build },
  });
}

/**
 * What an acknowledgement means, and the settings, where something stands in.
 * @param {StackManifest} manifest
 * @param {NonNullable<NativeCompanion['standIn']>} standIn
 * @returns {StackManifest}
 */
function withPromisesOf(manifest, { durability = manifest.durability, traits }) {
  return { ...manifest, durability, ...(traits ? { traits: { ...manifest.traits, ...traits } } : {}) };
}

/**
 * @param {NativeCompanion} companion
 * @param {Record<string, string | undefined>} env
 * @param {(need: NativeNeed) => boolean} canBeHad
 * @returns {NativeCompanion}
 */
function formOf({ standIn, ...own }, env, canBeHad) {
  const given = own.given && env[own.given.env];
  if (given) return { name: own.name, given: own.given, url: given };
  if (!standIn || (own.needs ?? []).every(canBeHad)) return own;
  const { title, durability: _, traits: __, ...over } = standIn;
  // What it would have to say of its settings and its version is no matter of another program.
  const { readBack: ___, version: ____, ...kept } = own;
  return { ...kept, ...over, standsIn: title };
}

/** @param {NativeNeed} need */
function obtainable(need) {
  return findNeed(need) !== null || canBeUnpacked(need);
}

/**
 * @param {NativeRecipe} native resolved
 * @returns {string[]} one line for each stand-in: what would put the real thing in its place
 */
export function missingForReal({ companions = [] }) {
  return companions.flatMap(({ name, standsIn, given }) =>
    standsIn
      ? [`${standsIn} stands in for ${name}${given ? `; ${given.env}=URL gives a real one` : ''}`]
      : [],
  );
}

/**
 * What the schema cannot say: names are unique, placeholders of ports and addresses have a companion, and who waits for
 * another comes after it.
 * @param {StackManifest} manifest as it is written
 * @returns {string[]}
 */
export function companionProblems({ native }) {
  const companions = native?.companions ?? [];
  // A stand-in may have the ports of what it stands in for, or others.
  const ports = companions.flatMap((c) => [
    c.name,
    ...new Set([...(c.ports ?? []), ...(c.standIn?.ports ?? [])]),
  ]);
  const twice = ports.filter((name, i) => ports.indexOf(name) !== i);
  const known = [
    ...ports.map((name) => `port.${name}`),
    ...companions.filter((c) => c.url ?? c.standIn?.url).map((c) => `url.${c.name}`),
  ];
  const used = JSON.stringify(native ?? {}).matchAll(/\{((?:port|url)\.[^}]*)\}/g);
  const strange = new Set([...used].map(([, name]) => name).filter((name) => !known.includes(name)));
  const early = companions.flatMap((c, i) =>
    (c.after ?? [])
      .filter((name) => !companions.slice(0, i).some((before) => before.name === name))
      .map((name) => `native.companions.${i}.after: there is no "${name}" before "${c.name}"`),
  );
  return [
    ...early,
    ...[...new Set(twice)].map((name) => `native.companions: the name "${name}" is used twice`),
    ...[...strange].map(
      (name) => `native: unknown placeholder {${name}}; known: ${[...new Set(known)].join(', ') || 'none'}`,
    ),
  ];
}
