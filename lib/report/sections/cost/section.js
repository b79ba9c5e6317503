import { comparisonsAt } from '../../../figures/comparisons.js';
import { liveCostOf } from '../../../figures/generator-cost.js';
import { TOGETHER } from '../../../figures/rows.js';
import { figureText } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { winnerText } from '../../entries.js';
import { templateBeside } from '../../template.js';
import { deploymentsOf } from './deployment.js';
import { footprintsOf } from './footprint.js';
import { pricesOf } from './prices.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { LoadTable, Page } from '../../entries.js'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What a system takes: to start, at rest, under load, on disk; and what the load generator takes beside it.
 * @param {Page} run
 * @returns {Written | null}
 */
export function section(run) {
  const { plan, wholes, beside } = run;
  const lists = {
    ...{ deployments: deploymentsOf(run), footprints: footprintsOf(run) },
    // Memory is read once a trial, not in each of its windows, where others are up.
    steps: wholes.filter((r) => r.tried.ran > 0 && r.paired === null),
    calibrations: beside.filter((r) => r.role === 'calibration' && r.operation !== ''),
    loads: run.loads.flatMap((table) => cpuFields(run, table) ?? []),
  };
  const prices = pricesOf(run);
  if (!prices && Object.values(lists).every((own) => own.length === 0)) return null;
  return write(plan, { ...lists, prices, live: liveCostOf(beside) });
}

/**
 * @param {Run} run
 * @param {LoadTable} table
 * @returns {object | null} CPU for an operation, and who needs less; null where it was not seen
 */
function cpuFields(run, table) {
  const known = table.entries
    .map((entry) => ({
      ...entry,
      cells: entry.cells.map((cell) => ({ ...cell, cpu: cell.row?.usable ? cpuText(cell.row) : null })),
    }))
    .filter(({ cells }) => cells.some(({ cpu }) => cpu));
  // What shares a window cannot be told apart by its CPU.
  const alike = groupBy(known, ({ step, cells }) => [step, ...cells.map(({ cpu }) => cpu)].join('\n'));
  const lines = alike.map((own) => {
    const [entry] = own;
    const isPaired = comparisonsAt(run.comparisons, entry.at, 'efficiency').length > 0;
    return {
      ...entry,
      operations: entry.at.operation === TOGETHER ? entry.operations : own.flatMap((e) => e.operations),
      winner: winnerText(run, table, entry, isPaired ? 'efficiency' : 'cpu'),
    };
  });
  return lines.length === 0 ? null : { ...table, lines };
}

/** @param {Row} row @returns {string | null} of system and load generator */
function cpuText({ systemCpuUsPerOp, generatorCpuUsPerOp }) {
  if (!systemCpuUsPerOp && !generatorCpuUsPerOp) return null;
  return [systemCpuUsPerOp, generatorCpuUsPerOp].map((figure) => figureText(figure)).join(' · ');
}
