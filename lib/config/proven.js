import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { readDeclared } from './declared.js';
import { schemaProblems } from './validate.js';

/** @import { Proven, Stack } from '../types.d.ts' */

/** Ways to run a system. */
export const WAYS = /** @type {const} */ (['native', 'container', 'endpoint']);

/** When the way in which systems by their address are asked and watched was changed last. */
const ENDPOINT_CHANGED = '2026-11-26';

/**
 * What a system was seen to do, and with which version: `proven.json` of its folder.
 * @param {Pick<Stack, 'folder'>} stack
 * @returns {Proven | null} null: nothing is on record
 */
export function provenOf({ folder }) {
  const path = join(folder, 'proven.json');
  return existsSync(path) ? readDeclared(path) : null;
}

/**
 * @param {Pick<Stack, 'folder'>} stack
 * @returns {boolean} whether something is on record of it, and no published run
 */
export function isUnpublished(stack) {
  const proven = provenOf(stack);
  return proven !== null && WAYS.every((way) => !proven[way].run);
}

/**
 * @param {Pick<Stack, 'folder'>} stack
 * @param {string} [root] in which its runs lie
 * @returns {string[]} what is wrong with its record
 */
export function provenProblems(stack, root = ROOT) {
  const proven = provenOf(stack);
  if (!proven) return [];
  const problems = schemaProblems('proven', proven);
  if (problems.length > 0) return problems;
  for (const way of WAYS) {
    const { run } = proven[way];
    if (run && !existsSync(join(root, 'reports', run, 'README.md')))
      problems.push(`${way}.run: there is no published run ${run}`);
  }
  const { date, since } = proven.endpoint;
  if (date && date < ENDPOINT_CHANGED && !since)
    problems.push(
      `endpoint.since: seen before ${ENDPOINT_CHANGED}: say what has changed since, or run it again`,
    );
  return problems;
}

/**
 * @param {Proven | null} proven
 * @returns {string} one line: `native 7.0.15, container, endpoint untested`
 */
export function provenLine(proven) {
  if (!proven) return 'no run yet';
  return WAYS.map((way) => {
    const { version, blocked } = proven[way];
    return [way, blocked ? 'untested' : version].filter(Boolean).join(' ');
  }).join(', ');
}
