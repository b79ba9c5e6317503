import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { readDeclared } from './declared.js';
import { schemaProblems } from './validate.js';

/** @import { Proven, ProvenWay, Stack } from '../types.d.ts' */

/** Ways to run a system. */
const WAYS = /** @type {const} */ (['native', 'container', 'endpoint']);

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
  const { date, since } = proven.endpoint;
  return [
    ...WAYS.flatMap((way) => {
      const { run } = proven[way];
      return run && !existsSync(join(root, 'reports', run, 'README.md'))
        ? [`${way}.run: there is no published run ${run}`]
        : [];
    }),
    ...(date && date < ENDPOINT_CHANGED && !since
      ? [`endpoint.since: seen before ${ENDPOINT_CHANGED}: say what has changed since, or run it again`]
      : []),
  ];
}

/**
 * @param {(Proven | null)[]} systems records of all
 * @returns {string} two sentences for the README
 */
export function provenCounts(systems) {
  const seen = (/** @type {typeof WAYS[number]} */ way) =>
    systems.filter((proven) => proven && !proven[way].blocked).length;
  const old = systems.filter((proven) => proven?.endpoint.since).length;
  return `${systems.length} systems are supported: ${seen('native')} were run as processes, ${seen('container')} in containers. ${seen('endpoint')} were reached by their address${old > 0 ? ` (${old} of these by older code)` : ''}: [versions, and what blocks the rest](docs/proven.md).`;
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

/**
 * @param {{id: string, proven: Proven | null}[]} systems
 * @returns {string} docs/proven.md
 */
export function provenPage(systems) {
  const rows = systems.map(
    ({ id, proven }) => `| \`${id}\` | ${WAYS.map((way) => cell(proven?.[way])).join(' | ')} |`,
  );
  return [
    '# Tested versions',
    '',
    'Which version of each system ran, how and when. *Untested* gives the reason. `node scripts/proven.mjs` writes this page from `proven.json` of each system.',
    '',
    `| system | ${WAYS.join(' | ')} |`,
    `|---|${WAYS.map(() => '---|').join('')}`,
    ...rows,
    '',
  ].join('\n');
}

/** @param {ProvenWay | undefined} way @returns {string} */
function cell(way) {
  if (!way || way.blocked) return `*untested*: ${way?.blocked ?? 'no run yet'}`;
  const run = way.run ? ` ([run](../reports/${way.run}/README.md))` : '';
  const since = way.since ? ` *Not repeated since this was added:* ${way.since}` : '';
  return `**${[way.version, way.date].filter(Boolean).join(', ')}**: ${way.saw}${run}${since}`;
}
