import { MIN_REPEATS } from '../../../judge/method.js';
import { phrase, templateBeside } from '../../template.js';

/**
 * @import { BusySystem, Effect } from '../../../figures/backgrounds.js'
 * @import { Comparison, Plan } from '../../../types.d.ts'
 * @import { Table } from '../../table.js'
 */

const tables = templateBeside(import.meta.url, 'background-table.hbs');

/** What the first screen has of it. @type {readonly Effect['metric'][]} */
const FIRST = ['throughput', 'p95'];

/**
 * @param {Plan} plan
 * @param {BusySystem[]} backgrounds
 * @param {'first' | 'rest'} part what the first screen has, or what it leaves out
 * @returns {Table[]} one, of all workloads and systems; none where nothing ran in the background
 */
export function backgroundTables(plan, backgrounds, part) {
  const effects = backgrounds
    .flatMap((one) => one.effects.map((effect) => ({ ...one, ...effect })))
    .filter(({ metric }) => FIRST.includes(metric) === (part === 'first'));
  const controls = [...new Set(effects.flatMap((one) => one.controls.map(({ system }) => system)))];
  // Of one the title has the name.
  const several = new Set(effects.map(({ system }) => system)).size > 1;
  return effects.length > 0 ? tables(plan, { effects, controls, several }).tables : [];
}

/**
 * What the background load did to each system and workload, and how soon a change arrives.
 * @param {Plan} plan
 * @param {BusySystem[]} backgrounds
 * @returns {string[]} Markdown
 */
export function backgroundAnswers(plan, backgrounds) {
  return backgrounds.map(({ effects: [rate, p95], ...own }) => {
    const ratios = [p95.ratio, rate.ratio].flatMap((r) => r ?? []);
    const left = rate.rest && isChanged(rate.rest) ? rate.rest : null;
    const control = rate.controls.find(({ rest }) => rest && isChanged(rest)) ?? null;
    const [few, seen] = [ratios.some((r) => r.n < MIN_REPEATS), ratios.some(isChanged)];
    const fields = { ...own, p95: p95.ratio, rate: rate.ratio, left, few, seen, control };
    return phrase('backgroundAnswer', fields, plan);
  });
}

/** @param {Comparison} comparison @returns {boolean} whether its whole interval leaves out that nothing changed */
function isChanged({ ratio }) {
  return ratio !== null && (ratio.low > 1 || ratio.high < 1);
}
