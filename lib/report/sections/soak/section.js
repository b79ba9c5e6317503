import { mebibytes, percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { SOAK } from '../../../judge/method.js';
import { soakCharts } from './charts.js';
import { soakTables } from './table.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan, soaks, asksOfTime }) {
  if (soaks.length === 0) return null;
  const first = soaks.filter(({ cell }) => cell.repeat === 1);
  return {
    title: 'Soak: memory and latency over time',
    intro: [
      `Theil–Sen slopes with their 95 % intervals, the first sixth of the time left out; open files and threads at its beginning → at the end. Leaking: the whole interval above ${mebibytes(SOAK.rssBytesPerMin)} MiB a minute, and the second half still growing. Clinging: ${SOAK.counted} open files or threads more, and more all the time. Drifting: the p99 grew by more than ${percent(SOAK.p99Growth)}. Steady: none of these.`,
    ],
    charts: groupBy(first, ({ cell }) => cell.workload).flatMap((own) => soakCharts(plan, own)),
    // Where nothing else was asked, they stand on the first screen.
    tables: asksOfTime ? [] : soakTables(soaks),
  };
}
