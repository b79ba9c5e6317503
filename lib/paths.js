import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where runs are written, unless `--reports` names another folder. */
export const REPORTS = join(ROOT, 'reports');

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
