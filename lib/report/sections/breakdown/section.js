import { figureText, MISSING, mebibytes, percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { carriesItems, familiesOf, ladderSteps, stepInLoad } from '../../matrix/families.js';
import { busiestOf } from '../../matrix/questions.js';
import { left, right, table } from '../../table.js';
import { mixPart } from '../workload/mix.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Plan, ResourceUse } from '../../../types.d.ts'
 * @import { Load } from '../../matrix/families.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * Of each load the step on which the systems did most: what the mix was made of, and what it took of the machine. All
 * other steps are in the details.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const busiest = familiesOf(run)
    .flatMap(({ loads }) => loads)
    .filter(({ facts }) => !carriesItems(facts))
    .flatMap((load) => {
      const step = busiestOf(load.main, ladderSteps(run.plan, load.main));
      return step && step.operations === undefined ? [{ load, step }] : [];
    });
  return [mixSection(run, busiest), resources(run, busiest)].flatMap((made) => made ?? []);
}

/** @typedef {{load: Load, step: Row['step']}} Busiest */

/**
 * @param {Run} run
 * @param {Busiest[]} busiest
 * @returns {Section | null} null without a mix; a table for each workload that is one
 */
function mixSection({ plan, rows }, busiest) {
  const loadOf = (/** @type {Row} */ row) =>
    busiest.find(({ load, step }) => isOf(row, load) && row.step.id === step.id)?.load;
  const counted = rows.filter((r) => r.operation !== '' && loadOf(r));
  const placeOf = (/** @type {Row} */ row) => {
    const load = /** @type {Load} */ (loadOf(row));
    return `${nameOf(load)}, ${stepInLoad(plan, load, row.step.id)}`;
  };
  const parts = groupBy(counted, (r) => r.workload).flatMap((own) => mixPart(plan, own, placeOf) ?? []);
  return parts.length > 0 ? { ...parts[0], tables: parts.flatMap((part) => part.tables ?? []) } : null;
}

/**
 * @param {Run} run
 * @param {Busiest[]} busiest
 * @returns {Section | null} null where nobody could look
 */
function resources({ plan, wholes }, busiest) {
  const rows = busiest.flatMap(({ load, step }) =>
    wholes
      .filter((w) => isOf(w, load) && w.step.id === step.id && w.tried.ran > 0)
      .map((whole) => ({ load, whole })),
  );
  /** @type {[string, keyof ResourceUse, ((value: number) => string)?][]} */
  const wanted = [
    ['CPU, cores', 'cpuCores'],
    ['memory at its peak, MiB', 'rssPeakBytes', mebibytes],
    ['received, MiB', 'netRxBytes', mebibytes],
    ['sent, MiB', 'netTxBytes', mebibytes],
    ['read, MiB', 'ioReadBytes', mebibytes],
    ['written, MiB', 'ioWriteBytes', mebibytes],
    ['processes', 'processes', String],
  ];
  const text = (/** @type {Row} */ whole, /** @type {(typeof wanted)[number]} */ [, key, print]) =>
    figureText(whole.used.system[key], print);
  const known = wanted.filter((one) => rows.some(({ whole }) => text(whole, one) !== MISSING));
  if (known.length === 0) return null;
  return {
    title: 'Resource utilization',
    intro: ['On the load on which the systems did most; memory without page cache.'],
    tables: [
      table(rows, [
        left('load', ({ load, whole }) => `${nameOf(load)}, ${stepInLoad(plan, load, whole.step.id)}`),
        left('system', ({ whole }) => whole.title),
        ...known.map((one) =>
          right(one[0], (/** @type {(typeof rows)[number]} */ { whole }) => text(whole, one)),
        ),
        right('host busy', ({ whole }) => figureText(whole.hostBusyRatio, percent)),
      ]),
    ],
  };
}

/** @param {Row} row @param {Load} load */
function isOf({ workload, transport, step }, { facts, transport: over, which }) {
  return workload === facts.id && transport === over && (step.case ?? '') === which;
}

/** @param {Load} load */
function nameOf({ facts, transport, which }) {
  return [facts.title.split(',')[0], `over ${transport}${which ? `, ${which}` : ''}`].join(' ');
}
