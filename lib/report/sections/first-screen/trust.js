import { busynessText } from '../../../environment/busyness.js';
import { wholeNumber } from '../../../format.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { timesText } from '../../matrix/times.js';
import { counted, titleOf } from '../../words.js';

/**
 * @import { SideBySideSummary } from '../../../record/side-by-side.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/**
 * @param {Run} run
 * @returns {string} Markdown, one line: how often, what was rejected, what shared the machine
 */
export function trustOf(run) {
  const { plan, environment, sideBySide, verdicts, measured } = run;
  const paired = sideBySide.filter(({ starts }) => starts > 0);
  const parts = [
    ...paired.flatMap((summary) => pairedTrust(plan, summary)),
    ...(verdicts.total > 0 ? oneByOne(run) : []),
    ...acknowledged(measured, paired),
    ...(environment.host.busyBefore && paired.length === 0
      ? [`machine before the run: ${busynessText(environment.host.busyBefore)}`]
      : []),
  ];
  return `**Trust** ${parts.join(' · ')}. A ratio is good to about 10 % across conditions, whatever its interval says.`;
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {string[]}
 */
function pairedTrust(plan, { starts, failures, same, host, group, trusted }) {
  const seen = same.flatMap((c) => (c.verdict.ratio ? [c.verdict.ratio] : []));
  const worst = [...seen].sort((x, y) => y.estimate - x.estimate)[0];
  return [
    `${counted(starts, 'start')} side by side on one core${failures.length > 0 ? `, ${failures.length} failed` : ''}`,
    ...(worst
      ? [
          `A/A (${titleOf(plan, group.twinOf)} against itself) ${timesText({ ...worst, pairs: starts })} at most${trusted || starts === 1 ? '' : ', so nothing is ranked'}`,
        ]
      : []),
    ...(host.foreignCores === null
      ? []
      : [
          `${host.foreignCores.toFixed(1)} cores of other work on the machine, steal ${Math.round(host.stealShare * 100)} %`,
        ]),
  ];
}

/** @param {Pick<Run, 'plan' | 'verdicts'>} run */
function oneByOne({ plan, verdicts: v }) {
  const few = plan.repeats < MIN_REPEATS ? `, so trends only: a winner needs ${MIN_REPEATS}` : ' in turns';
  const rejected = [
    ...(v.degraded > 0 ? [`${v.degraded} shown and not ranked`] : []),
    ...(v.invalid > 0 ? [`${v.invalid} rejected`] : []),
    ...(v.failed > 0 ? [`${v.failed} failed`] : []),
  ];
  return [
    `${counted(plan.repeats, 'repeat')}${few}`,
    `${v.valid} of ${counted(v.total, 'cell')} valid${rejected.length > 0 ? ` (${rejected.join(', ')})` : ''}`,
  ];
}

/**
 * @param {Run['measured']} measured
 * @param {SideBySideSummary[]} paired
 */
function acknowledged(measured, paired) {
  const oracles = measured.flatMap((r) => (r.oracle ? [r.oracle] : []));
  const acked =
    oracles.reduce((n, o) => n + (o.acked ?? 0), 0) + paired.reduce((n, s) => n + s.state.acked, 0);
  const wrong = oracles.filter((o) => !o.ok).length + paired.reduce((n, s) => n + s.state.wrong.length, 0);
  if (wrong > 0) return [`${counted(wrong, 'check')} of the stored state failed`];
  return acked > 0 ? [`${wholeNumber(acked)} writes acknowledged, all found again`] : [];
}
