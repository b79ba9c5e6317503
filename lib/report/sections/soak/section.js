import { MISSING, percent, significant } from '../../../format.js';
import { SOAK } from '../../../judge/soak.js';

/** @import { CellRecord, Interval, Plan } from '../../../types.d.ts' */

const MIB = 1_048_576;

/**
 * @param {Plan} plan
 * @param {CellRecord[]} measured
 * @returns {{limit: string, p99Limit: string, rows: Record<string, string>[]} | null} null where nothing was soaked
 */
export function soakView(plan, measured) {
  const rows = measured.flatMap(({ soak, title, workload, operations, repeat }) => {
    if (!soak) return [];
    return [
      {
        system: title,
        operation: `${workload}: ${Object.keys(operations).join(', ')}${plan.repeats > 1 ? `, repeat ${repeat}` : ''}`,
        minutes: significant(soak.sec / 60),
        rss: interval(soak.rssBytesPerMin, (v) => signed(v / MIB)),
        detectable: significant(
          soak.detectableBytesPerMin === null ? null : soak.detectableBytesPerMin / MIB,
        ),
        p99: interval(soak.p99Growth, (v) => `${signed(v * 100)} %`),
        verdict: soak.verdict,
      },
    ];
  });
  if (rows.length === 0) return null;
  return { limit: significant(SOAK.rssBytesPerMin / MIB), p99Limit: percent(SOAK.p99Growth), rows };
}

/**
 * @param {Interval | null} value
 * @param {(v: number) => string} text
 */
function interval(value, text) {
  return value ? `${text(value.estimate)} (${text(value.low)} to ${text(value.high)})` : MISSING;
}

/** @param {number} value */
function signed(value) {
  const rounded = Number(value.toFixed(3));
  return rounded > 0 ? `+${significant(rounded)}` : significant(rounded).replace('-', '−');
}
