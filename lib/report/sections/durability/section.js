import { percent, significant } from '../../../format.js';
import { groupBy } from '../../group-by.js';
import { shapeText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { policyOf } from '../../words.js';

/**
 * @import { CellRecord, Plan, Recovery } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** @typedef {Exclude<keyof Recovery, 'inconsistent'>} Count */

/**
 * Acknowledged against recovered, by system and load: all repeats together, and the worst of them.
 * @param {Pick<Run, 'plan' | 'records'>} run
 * @returns {Section | null} null where nothing was killed
 */
export function section({ plan, records }) {
  const kills = killsOf(records);
  if (kills.length === 0) return null;
  return {
    title: 'Durability: killed under load',
    intro: [
      'SIGKILL in the midst of the load, then a start on the same data. Acknowledged: answered as done before the kill. Lost: acknowledged and not there afterwards. The counts of all repeats are added up; "worst" is the largest share of one repeat. The page cache of the host survives a kill of a process, so this is no test of a power cut.',
    ],
    tables: [
      table(kills, [
        left('system', ([c]) => c.title),
        left('workload', ([c]) => c.workload),
        left('transport', ([c]) => c.transport),
        left('load', ([c]) => loadText(plan, c)),
        left('declared policy', (cells) => policyOf(plan, cells)),
        right('repeats', (cells) => measured(cells).length),
        right(
          'acknowledged, op/s',
          of((k) => significant(middle(k, 'ackedPerSec'))),
        ),
        right(
          'acknowledged',
          of((k) => sum(k, 'acked')),
        ),
        right(
          'recovered',
          of((k) => sum(k, 'recovered')),
        ),
        right(
          'lost',
          of((k) => sum(k, 'lost')),
        ),
        right('lost, share', of(lostShare)),
        right(
          'worst',
          of((k) => percent(Math.max(...k.map(({ lost, acked }) => lost / Math.max(1, acked))))),
        ),
        right(
          'unanswered',
          of((k) => sum(k, 'indeterminate')),
        ),
        right(
          'restart, ms',
          of((k) => significant(middle(k, 'restartMs'))),
        ),
      ]),
    ],
  };
}

/**
 * @param {CellRecord[]} records
 * @returns {CellRecord[][]} repeats of the same kill
 */
function killsOf(records) {
  const own = records.filter((r) => r.role === 'durability');
  return groupBy(own, (r) => [r.system, r.workload, r.transport, r.step.id].join('\n'));
}

/**
 * @param {CellRecord[]} cells
 * @returns {Recovery[]} of the repeats that were measured to the end
 */
function measured(cells) {
  return cells.flatMap((c) => (c.status === 'ok' && c.verdict.status !== 'INVALID' && c.recovery) || []);
}

/**
 * @param {(kills: Recovery[]) => string | number} text
 * @returns {(cells: CellRecord[]) => string | number} of the usable repeats; why there is none
 */
function of(text) {
  return (cells) => {
    const kills = measured(cells);
    return kills.length > 0 ? text(kills) : `n/a: ${failureOf(cells)}`;
  };
}

/** @param {Recovery[]} kills @param {Count} key */
function sum(kills, key) {
  return kills.reduce((n, k) => n + k[key], 0);
}

/** @param {Recovery[]} kills @param {Count} key */
function middle(kills, key) {
  return kills.map((k) => k[key]).sort((a, b) => a - b)[kills.length >> 1];
}

/** @param {Recovery[]} kills */
function lostShare(kills) {
  return percent(sum(kills, 'lost') / Math.max(1, sum(kills, 'acked')));
}

/** @param {CellRecord[]} cells */
function failureOf(cells) {
  const failed = cells.find((c) => c.status !== 'ok');
  if (failed) return `${failed.status}: ${failed.reason}`;
  return `no repeat is usable (${inconsistencyOf(cells) ?? cells[0].verdict.reasons[0]?.code})`;
}

/**
 * @param {CellRecord[]} cells
 * @returns {string | undefined} what the first repeat had wrong although it had lost nothing
 */
function inconsistencyOf(cells) {
  return cells.find((c) => c.recovery?.inconsistent)?.recovery?.inconsistent;
}

/**
 * @param {Plan} plan
 * @param {CellRecord} record
 */
function loadText(plan, { step }) {
  const users = shapeText(plan, step);
  return step.model === 'closed' ? `saturated, ${users}` : `paced, ${step.ratePerSec} op/s, ${users}`;
}

/**
 * One sentence for each system: what a kill cost it, under which load.
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {string[]}
 */
export function durabilityAnswers(plan, records) {
  return groupBy(killsOf(records), ([r]) => r.system).flatMap((kills) => {
    const [[{ title }]] = kills;
    const wrong = inconsistencyOf(kills.flat());
    const inconsistent = wrong
      ? [`**${title} was not consistent** after it was killed under load and started again: ${wrong}.`]
      : [];
    const usable = kills.filter((cells) => measured(cells).length > 0);
    if (usable.length === 0) return inconsistent;
    const workloads = new Set(usable.map(([r]) => r.workload));
    const said = usable.map((cells) => {
      const [{ workload, transport }] = cells;
      const own = measured(cells);
      const lost = sum(own, 'lost');
      const what = lost === 0 ? 'none' : `${lost} (${lostShare(own)})`;
      const where = workloads.size > 1 ? `, ${workload}` : '';
      return `${what} of ${sum(own, 'acked')} over ${transport}${where} (${loadText(plan, cells[0])})`;
    });
    const lost = usable.some((cells) => measured(cells).some((k) => k.lost > 0));
    return [
      ...inconsistent,
      `**${title} ${lost ? 'lost acknowledged writes' : 'lost no acknowledged write'}** when it was killed under load and started again on its data: ${said.join('; ')}.`,
    ];
  });
}
