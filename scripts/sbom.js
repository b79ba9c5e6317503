/**
 * The bill of materials of the checkout in the form of CycloneDX, from its lock files alone: the same files give the
 * same bytes.
 */
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';

/** @import { Lock, Pinned } from './locks.js' */

/** What each language's packages are called in a package URL. */
const PURL_TYPES = Object.freeze({ npm: 'npm', cargo: 'cargo', go: 'golang' });

/**
 * @param {{name: string, version: string}} own
 * @param {Lock[]} locks
 * @returns {string} JSON
 */
export function sbomOf({ name, version }, locks) {
  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, name, {
    version,
    bomRef: name,
  });
  /** @type {Map<string, {pinned: Pinned, files: Set<string>}>} */
  const all = new Map();
  for (const { file, packages } of locks)
    for (const pinned of packages) {
      const known = all.get(purlOf(pinned)) ?? { pinned, files: new Set() };
      known.files.add(file);
      all.set(purlOf(pinned), known);
    }
  for (const [purl, { pinned, files }] of all) bom.components.add(componentOf(purl, pinned, [...files]));
  const serializer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(serializer).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/**
 * @param {string} purl
 * @param {Pinned} pinned
 * @param {string[]} files that name it
 */
function componentOf(purl, { name, version, license, hash, goSum }, files) {
  const component = new Models.Component(Enums.ComponentType.Library, name, { version, bomRef: purl, purl });
  if (license) component.licenses.add(new Models.LicenseExpression(license));
  if (hash) component.hashes.set(/** @type {Enums.HashAlgorithm} */ (hash.algorithm), hash.hex);
  if (goSum) component.properties.add(new Models.Property('ladderbench:go.sum', goSum));
  for (const file of files) component.properties.add(new Models.Property('ladderbench:lock', file));
  return component;
}

/** @param {Pinned} pinned */
export function purlOf({ language, name, version }) {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${PURL_TYPES[language]}/${path}@${encodeURIComponent(version)}`;
}
