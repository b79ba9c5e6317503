import { MISSING, ratioWithInterval } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { stepText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { counted, findingText, pairText } from '../../words.js';

/**
 * @import { Comparison } from '../../../record/comparisons.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Plan} plan
 * @param {Comparison[]} comparisons of one workload and transport
 * @returns {(Section | null)[]} those with a ratio, and why others have none
 */
export function comparisonParts(plan, comparisons) {
  const made = comparisons.filter((c) => c.ratio !== null);
  const refused = refusals(plan, comparisons);
  if (comparisons.length === 0) return [];
  return [
    {
      title: 'Comparisons',
      tables:
        made.length === 0
          ? []
          : [
              table(made, [
                left('operation', (c) => c.operation),
                left('step', (c) => stepText(plan, c.stepId)),
                left('systems', (c) => pairText(plan, c.a, c.b)),
                right('throughput ratio (95 % CI)', (c) => ratioWithInterval(c.ratio)),
                right('p99 ratio (95 % CI)', (c) => ratioWithInterval(c.p99Ratio)),
                right('pairs', (c) => (c.pairs === 0 ? MISSING : c.pairs)),
                left('finding', (c) => findingText(plan, c)),
              ]),
            ],
      parts: [refused.length > 0 ? { intro: ['Not compared:'], notes: refused } : null],
    },
  ];
}

/**
 * What was not compared, and why: one line for each reason.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {string[]}
 */
function refusals(plan, comparisons) {
  const refused = comparisons.filter((c) => c.ratio === null);
  return groupBy(refused, (c) => c.why ?? '').map((same) => {
    const steps = [...new Set(same.map((c) => stepText(plan, c.stepId)))].join('; ');
    return `${same[0].why}: ${counted(same.length, 'comparison')} (${steps})`;
  });
}
