import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where runs are written, unless `--reports` names another folder. */
export const REPORTS = join(ROOT, 'reports');

/** Of folders that hold nothing that cannot be made again, as https://bford.info/cachedir/ has it; backups leave them out. */
export const CACHE_TAG = 'CACHEDIR.TAG';
/** The content that makes such a folder ours. */
export const CACHE_TAG_TEXT =
  'Signature: 8a477f597d28d172789f06886806bc55\n# This folder was made by ladderbench, and `./run-all.sh clean --cache` removes it.\n';

/**
 * What is slow to build or fetch lives here, per user and outside the checkout, keyed by version.
 * @param {...string} parts
 * @returns {string} absolute path
 */
export function cachePath(...parts) {
  // An empty variable is an unset one: it never stands for the folder that one happens to be in.
  const base =
    process.env.LADDERBENCH_CACHE ||
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ladderbench');
  return join(base, ...parts);
}

/**
 * @param {string} path
 * @returns {string} relative to the checkout where it lies inside
 */
export function shown(path) {
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path;
}
