import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { suggest } from '../config/nearest.js';
import { BenchError } from '../errors.js';
import { REPORTS } from '../paths.js';

/**
 * @param {Record<string, any>} flags
 * @returns {string} absolute folder of runs
 */
export function reportsFolder(flags) {
  return flags.reports ? resolve(flags.reports) : REPORTS;
}

/**
 * @param {string | undefined} name a run's id, or the path of its folder; `latest` is the newest
 * @param {string} reports
 * @returns {string} absolute folder
 * @throws {BenchError} unknown, with the nearest name
 */
export function findRun(name, reports) {
  const runs = existsSync(reports)
    ? readdirSync(reports)
        .filter((r) => existsSync(join(reports, r, 'plan.json')))
        .sort()
    : [];
  if (name === undefined) throw new BenchError('which run?', { hint: suggest('', runs) });
  if (name === 'latest' && runs.length > 0) return join(reports, runs[runs.length - 1]);
  const candidates = [resolve(name), join(reports, basename(name))];
  const found = candidates.find((path) => existsSync(join(path, 'plan.json')));
  if (!found)
    throw new BenchError(`no run "${name}": ${suggest(name, runs)}`, {
      hint: 'runs are the folders of reports/',
    });
  return found;
}
