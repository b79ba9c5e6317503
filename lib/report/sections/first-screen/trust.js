import { busynessText } from '../../../environment/busyness.js';
import { significant } from '../../../format.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { presumedAlike } from '../../../record/comparisons.js';
import { timesText } from '../../matrix/times.js';
import { counted, listed, titleOf } from '../../words.js';

/**
 * @import { SideBySideSummary } from '../../../record/side-by-side.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/**
 * @param {Run} run
 * @returns {string} Markdown, one line: how often, what was rejected, what shared the machine; how far a
 *   ratio holds, where systems are compared
 */
export function trustOf(run) {
  const { plan, environment, sideBySide, verdicts, measured, matrices, faults } = run;
  const paired = sideBySide.filter(({ starts }) => starts > 0);
  const compared = paired.filter(({ comparisons }) => comparisons.length > 0);
  const parts = [
    ...(compared.length > 0 ? pairedTrust(plan, compared) : []),
    ...(verdicts.total > 0 ? oneByOne(run) : []),
    // What was lost in a fault is the answer.
    ...(faults.length > 0 ? [] : acknowledged(measured, paired)),
    ...presumed(plan, measured),
    // One that the suite starts is a fresh one in each cell.
    ...(!plan.options.script && measured.some((r) => r.engine === 'external')
      ? ['a server by its address keeps what earlier loads left in it']
      : []),
    ...(environment.host.busyBefore && paired.length === 0
      ? [`machine before the run: ${busynessText(environment.host.busyBefore)}`]
      : []),
  ];
  const limit =
    faults.length === 0 && matrices.some(({ systems }) => systems.length > 1)
      ? ' On other hardware expect ratios to move by about 10 %.'
      : '';
  return `**Confidence:** ${parts.join(' · ')}.${limit}`;
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary[]} paired one for each workload
 * @returns {string[]} the worst of all of them
 */
function pairedTrust(plan, paired) {
  const starts = [...new Set(paired.map((p) => p.starts))].sort((a, b) => a - b);
  const failed = paired.reduce((n, p) => n + p.failures.length, 0);
  const seen = paired.flatMap((summary) =>
    summary.same.flatMap(({ verdict }) =>
      verdict.ratio ? [{ summary, ratio: { ...verdict.ratio, pairs: summary.starts } }] : [],
    ),
  );
  const worst = [...seen].sort((x, y) => y.ratio.estimate - x.ratio.estimate)[0];
  const barred = paired.filter((p) => !p.trusted && p.starts > 1).length;
  const where = barred < paired.length ? ` on ${barred} of ${counted(paired.length, 'workload')}` : '';
  const most = starts[starts.length - 1];
  const foreign = paired.flatMap(({ host }) => host.foreignCores ?? []);
  return [
    `${starts.length > 1 ? `${starts[0]} to ` : ''}${counted(most, 'start')} side by side on one core${failed > 0 ? `, ${failed} failed` : ''}`,
    ...(worst
      ? [
          `noise check (A/A, ${titleOf(plan, worst.summary.group.twinOf)} against itself): at most ${timesText(worst.ratio)}${barred > 0 ? `, so nothing is ranked${where}` : ''}`,
        ]
      : []),
    ...(foreign.length === 0
      ? []
      : [
          `other work ${Math.max(...foreign).toFixed(1)} cores, steal ${Math.round(Math.max(...paired.map(({ host }) => host.stealShare)) * 100)} %`,
        ]),
  ];
}

/**
 * @param {Plan} plan
 * @param {Run['measured']} measured
 * @returns {string[]} which systems were compared as one product, though nobody said what their acknowledgements mean
 */
function presumed(plan, measured) {
  // A script has no writes of which this suite would know.
  const own = plan.options.script ? [] : presumedAlike(measured);
  if (own.length === 0) return [];
  return [
    `what an acknowledgement of ${listed(own.map((id) => titleOf(plan, id)))} means is not known: taken for alike`,
  ];
}

/** @param {Pick<Run, 'plan' | 'verdicts' | 'asksOfTime'>} run */
function oneByOne({ plan, verdicts: v, asksOfTime }) {
  const trends = asksOfTime ? '' : `, so trends only: a winner needs ${MIN_REPEATS}`;
  const few = plan.repeats < MIN_REPEATS ? trends : ' in turns';
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
  return acked > 0 ? [`all ${significant(acked)} acknowledged writes were read back`] : [];
}
