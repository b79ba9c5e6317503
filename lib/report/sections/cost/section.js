import { compareFigures } from '../../../figures/compare.js';
import { comparisonsAt } from '../../../figures/comparisons.js';
import { poolOf } from '../../../figures/figure.js';
import { TOGETHER } from '../../../figures/rows.js';
import { figureText } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { loadTablesOf, winnerText } from '../../entries.js';
import { templateBeside } from '../../template.js';
import { deploymentsOf } from './deployment.js';
import { footprintsOf } from './footprint.js';
import { pricesOf } from './prices.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { LoadTable } from '../../entries.js'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What a system takes: to start, at rest, under load, on disk; and what the load generator takes beside it.
 * @param {Run} run
 * @returns {Written | null}
 */
export function section(run) {
  const { plan, wholes, beside } = run;
  // Memory is read once a trial, not in each of its windows, where others are up.
  const steps = wholes.filter((r) => r.tried.ran > 0 && r.paired === null);
  const loads = loadTablesOf(run).flatMap((table) => cpuFields(run, table) ?? []);
  const deployments = deploymentsOf(run);
  const footprints = footprintsOf(run);
  const calibrations = beside.filter((r) => r.role === 'calibration' && r.operation !== '');
  const prices = pricesOf(run);
  const all = [deployments, footprints, steps, calibrations, loads];
  if (!prices && all.every((own) => own.length === 0)) return null;
  return write(plan, {
    ...{ deployments, footprints, steps, calibrations, loads, prices },
    live: liveCostOf(beside),
  });
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
  const { facts, transport, which, able } = table;
  return lines.length === 0 ? null : { title: facts.title, transport, which, lines, ranked: able.length > 1 };
}

/** @param {Row} row @returns {string | null} of system and load generator */
function cpuText({ systemCpuUsPerOp, generatorCpuUsPerOp }) {
  if (!systemCpuUsPerOp && !generatorCpuUsPerOp) return null;
  return [systemCpuUsPerOp, generatorCpuUsPerOp].map((figure) => figureText(figure)).join(' · ');
}

/** @param {Row[]} beside @returns {object | null} what the live outputs cost the load generator, from pairs with and without them */
function liveCostOf(beside) {
  const of = (/** @type {string} */ step, /** @type {(row: Row) => Figure | null} */ read) => {
    const own = beside.filter((r) => r.role === 'observer' && r.step.id === step);
    // A pool keeps its parts apart by their place: the same operation has the same on both sides.
    return poolOf([...own].sort((a, b) => a.operation.localeCompare(b.operation)).map(read));
  };
  const onOff = (
    /** @type {'throughput' | 'cpu'} */ metric,
    /** @type {(row: Row) => Figure | null} */ read,
  ) => compareFigures(of('telemetry-on', read), of('telemetry-off', read), { metric });
  const rate = onOff('throughput', (r) => r.ratePerSec);
  return rate && { rate, cpu: onOff('cpu', (r) => r.generatorCpuUsPerOp) };
}
