import { representative } from '../../../../k6/schedule/facts.js';
import { groupBy } from '../../../group-by.js';
import { aloneRow } from '../../../record/side-by-side.js';
import { overUsers } from '../../charts/ladder.js';
import { loadText, titleOfGroup } from '../../matrix/side-by-side.js';
import { left, right, table } from '../../table.js';
import { listed, titleOf } from '../../words.js';
import { CELL, cellText } from './cell.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { SideBySideSummary } from '../../../record/side-by-side.js'
 * @import { Plan, SideBySideCell } from '../../../types.d.ts'
 * @import { Chart } from '../../charts/ladder.js'
 * @import { Section } from '../../view.js'
 */

/** Fewer numbers of users are no line. */
const FEWEST_USERS = 2;

/** Who limited a figure. */
const LIMITED_BY = Object.freeze({
  system: 'server CPU-bound',
  waits: 'server waiting (disk, lock, network)',
  elsewhere: 'not the load generator',
  generator: 'load generator',
  unattributed: 'unknown',
});

/**
 * The ladder of systems that were loaded side by side, in the moments in which each was loaded alone.
 * @param {Plan} plan
 * @param {SideBySideSummary[]} summaries
 * @returns {Section[]} one for each group that was measured
 */
export function pairedLadders(plan, summaries) {
  return summaries
    .filter(({ starts, alone }) => starts > 0 && alone.length > 0)
    .map((summary) => ({
      title: `${titleOfGroup(plan, summaries, summary.group)}, each system alone on one core`,
      intro: [CELL],
      charts: chartsOf(plan, summary),
      tables: [ladderTable(plan, summary)],
    }));
}

/** @param {Plan} plan @param {SideBySideSummary} summary */
function ladderTable(plan, summary) {
  const { cells, systems } = summary.group;
  return table(cells, [
    left('load', loadText),
    ...systems.map((id) =>
      right(titleOf(plan, id), (/** @type {SideBySideCell} */ cell) => cellText(aloneRow(summary, cell, id))),
    ),
    left('limited by', (cell) =>
      limitText(
        plan,
        systems.flatMap((id) => aloneRow(summary, cell, id) ?? []),
      ),
    ),
  ]);
}

/** @param {Plan} plan @param {Row[]} rows of one load */
function limitText(plan, rows) {
  const known = rows.flatMap(({ system, setBy }) =>
    setBy ? [{ title: titleOf(plan, system), word: LIMITED_BY[setBy.who] }] : [],
  );
  const groups = groupBy(known, ({ word }) => word);
  if (groups.length <= 1) return groups[0]?.[0].word ?? '–';
  return groups.map((own) => `${listed(own.map(({ title }) => title))}: ${own[0].word}`).join('; ');
}

/**
 * Throughput and p99 over users of the operation by which systems are known, one pair for each case.
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {Chart[]}
 */
function chartsOf(plan, summary) {
  const { group } = summary;
  const facts = plan.workloads.find((w) => w.id === group.workload);
  const main = facts && representative(facts);
  const plain = group.cells.filter((c) => c.depth === 1 && (c.operation === main || c.operation === 'mix'));
  const drawn = groupBy(plain, (c) => c.case ?? '').filter((cells) => cells.length >= FEWEST_USERS);
  return drawn.flatMap((cells) => {
    const sorted = [...cells].sort((a, b) => a.connections - b.connections);
    const [{ operation, case: which }] = sorted;
    return overUsers(plan, {
      title: [`${operation} over ${group.transport}`, which],
      name: [group.workload, group.transport, 'alone', operation, which],
      systems: group.systems,
      places: sorted.map((c) => c.connections),
      rowAt: (id, place) => aloneRow(summary, sorted[place], id),
    });
  });
}
