import { WAYS } from '../lib/config/proven.js';

/** @import { Proven, ProvenWay } from '../lib/types.d.ts' */

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
