/** @import { NativeCompanion, StackManifest } from '../types.d.ts' */

/**
 * Whether each companion of a system is its own program or one that the user has given. What it needs and builds becomes
 * part of the recipe, so that set-up knows of it.
 * @param {StackManifest} manifest
 * @param {Record<string, string | undefined>} [env] in which `given.env` may name one that runs already
 * @returns {StackManifest} the same where there are no companions
 */
export function withCompanions(manifest, env = process.env) {
  const { native } = manifest;
  if (!native?.companions) return manifest;
  const companions = native.companions.map((c) => formOf(c, env));
  const needs = [...(native.needs ?? []), ...companions.flatMap((c) => c.needs ?? [])];
  const build = [
    ...(native.build ?? []),
    ...companions.flatMap((c) => (c.build ?? []).map((b) => ({ ...b, companion: c.name }))),
  ];
  return { ...manifest, native: { ...native, companions, needs, build } };
}

/**
 * @param {NativeCompanion} own
 * @param {Record<string, string | undefined>} env
 * @returns {NativeCompanion}
 */
function formOf(own, env) {
  const url = own.given && env[own.given.env];
  return url ? { name: own.name, given: own.given, url } : own;
}

/**
 * What the schema cannot say: names are unique, placeholders of ports and addresses have a companion, and who waits for
 * another comes after it.
 * @param {StackManifest} manifest as it is written
 * @returns {string[]}
 */
export function companionProblems({ native }) {
  const companions = native?.companions ?? [];
  const ports = companions.flatMap((c) => [c.name, ...(c.ports ?? [])]);
  const twice = ports.filter((name, i) => ports.indexOf(name) !== i);
  const known = [
    ...ports.map((name) => `port.${name}`),
    ...companions.filter((c) => c.url).map((c) => `url.${c.name}`),
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
