import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPSTREAM_BASE } from '../lib/docker/base.js';
import { ROOT } from '../lib/paths.js';
import { Offline, parseImage, resolveImage } from './registry.js';

/** Images under this name are built from this checkout: no registry has them. */
const OWN = 'ladderbench/';
/** Where images stand, by the name of the file: a variable, and the image where it is not set. */
const USES = /** @type {const} */ ([
  [/(^|\/)(docker-)?compose\.yml$/, /^\s+image: '?\$\{([A-Z0-9_]+):-([^}]+)\}/gm],
  [/(^|[./])Dockerfile$/, /^ARG ([A-Z0-9_]+_IMAGE)=(\S+)$/gm],
]);

/**
 * @typedef {object} UsedImage
 * @property {string} image as it is pinned
 * @property {string[]} variables of the compose files that replace it
 */

/**
 * What is known of a tag, by `name:tag`: what a registry said of it, and when; else for which architectures upstream's own
 * files say that it is built.
 * @typedef {Record<string, {checked?: string, digest?: string, architectures: string[], source?: string}>} Seen
 */

/** @returns {UsedImage[]} every one of upstream's that a compose file starts or a Dockerfile stands on, by name */
export function listImages() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => existsSync(join(ROOT, file)));
  /** @type {Map<string, Set<string>>} */
  const found = new Map([[UPSTREAM_BASE, new Set(['BASE_IMAGE'])]]);
  for (const [name, pattern] of USES) {
    for (const file of files.filter((f) => name.test(f))) {
      for (const [, variable, image] of readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)) {
        if (!image.startsWith(OWN)) found.set(image, (found.get(image) ?? new Set()).add(variable));
      }
    }
  }
  return [...found]
    .map(([image, variables]) => ({ image, variables: [...variables].sort() }))
    .sort((a, b) => a.image.localeCompare(b.image));
}

/**
 * Asks the registries. One that did not answer is not asked again.
 * @param {UsedImage[]} images
 * @param {Seen} record of earlier checks
 * @param {string} today
 * @param {Parameters<typeof resolveImage>[1]} [addressOf]
 * @returns {Promise<{lines: string[], seen: Seen, differs: number, offline: number}>} a line for each image
 */
export async function checkImages(images, record, today, addressOf) {
  /** @type {Map<string, string>} */
  const silent = new Map();
  const seen = { ...record };
  const lines = [];
  let differs = 0;
  let offline = 0;
  for (const { image } of images) {
    const name = parseImage(image);
    const tag = tagOf(image);
    try {
      const why = silent.get(name.registry);
      if (why) throw new Offline(why);
      const now = await resolveImage(name, addressOf);
      seen[tag] = { checked: today, ...now };
      const moved = name.digest !== null && name.digest !== now.digest;
      if (moved) differs++;
      lines.push(
        `${moved ? 'differs' : name.digest ? 'same' : 'not pinned'}: ${textOfSeen(tag, name.digest, seen[tag])}`,
      );
    } catch (error) {
      if (error instanceof Offline) {
        silent.set(name.registry, error.message);
        offline++;
        lines.push(`offline: ${textOfSeen(tag, name.digest, record[tag])} (${error.message})`);
      } else {
        differs++;
        lines.push(`cannot be resolved: ${tag}: ${/** @type {Error} */ (error).message}`);
      }
    }
  }
  return { lines, seen, differs, offline };
}

/**
 * @param {string} tag
 * @param {string | null} pinned
 * @param {Seen[string] | undefined} seen
 */
function textOfSeen(tag, pinned, seen) {
  const now = seen?.digest && seen.digest !== pinned ? `, tag is ${seen.digest}` : '';
  return `${tag}, pinned ${pinned ?? 'by its tag alone'}${now}, architectures ${architecturesText(seen)}, checked ${seen?.checked ?? 'never'}`;
}

/** @param {Seen[string] | undefined} seen */
function architecturesText(seen) {
  const known = seen?.architectures.join(', ') || 'not known';
  return seen?.source ? `${known} (by ${seen.source})` : known;
}

/** @param {string} image @returns {string} without its digest */
function tagOf(image) {
  return image.split('@')[0];
}

/**
 * @param {UsedImage[]} images
 * @param {Seen} record
 * @returns {string} docs/images.md
 */
export function imagesPage(images, record) {
  const rows = images.map(({ image, variables }) => {
    const { digest } = parseImage(image);
    const seen = record[tagOf(image)];
    return [
      `\`${tagOf(image)}\``,
      variables.map((v) => `\`${v}\``).join(', '),
      digestText(digest, seen),
      architecturesText(seen),
      seen?.checked ?? 'never',
    ];
  });
  return [
    '# Images',
    '',
    '`node scripts/images.mjs` writes this page from the compose files, the Dockerfiles and `images.json`. `node scripts/images.mjs --check` asks the registries and records the answers. Without an answer it says *offline* and changes nothing.',
    '',
    '*never* means that no check has reached a registry, so a digest in that row is not confirmed. Images named `ladderbench/…` are built from the checkout and are not listed.',
    '',
    '| image | replaced by | pinned digest | architectures | checked |',
    '|---|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
}

/**
 * @param {string | null} pinned
 * @param {Seen[string] | undefined} seen
 */
function digestText(pinned, seen) {
  if (!pinned) return seen?.digest ? `none; the tag is \`${seen.digest}\`` : 'none: never resolved';
  return seen?.digest && seen.digest !== pinned
    ? `\`${pinned}\`; the tag is \`${seen.digest}\` now`
    : `\`${pinned}\``;
}
