import { groupBy } from '../../../group-by.js';
import { SOAK } from '../../../judge/method.js';
import { templateBeside } from '../../template.js';
import { backgroundTables } from './background.js';
import { soakCharts, soakTables } from './soak.js';

/**
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/**
 * Whether a system is the same after a while, and with work in the background.
 * @param {Pick<Run, 'plan' | 'backgrounds'> & Partial<Pick<Run, 'soaks' | 'asksOfTime'>>} run
 * @returns {Written | null}
 */
export function section({ plan, backgrounds, soaks = [], asksOfTime = false }) {
  if (soaks.length + backgrounds.length === 0) return null;
  const first = soaks.filter(({ cell }) => cell.repeat === 1);
  return write(plan, {
    ...{ soaked: soaks.length > 0, limits: SOAK, backgrounds },
    charts: groupBy(first, ({ cell }) => cell.workload).flatMap((own) => soakCharts(plan, own)),
    // Where nothing else was asked, the first screen has the rest.
    tables: soakTables(soaks, asksOfTime ? 'rest' : 'all'),
    effects: backgroundTables(plan, backgrounds, 'rest'),
  });
}
