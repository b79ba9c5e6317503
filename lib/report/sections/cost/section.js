import { figureText } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { compareFigures } from '../../../record/compare.js';
import { poolOf } from '../../../record/figure.js';
import { placeText } from '../../steps.js';
import { templateBeside } from '../../template.js';
import { deploymentFields, deploymentsOf } from './deployment.js';
import { footprintsOf } from './footprint.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What a system takes: to start, at rest, under load, on disk; and what the load generator takes beside it.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section(run) {
  const { plan, rows, wholes, beside } = run;
  const steps = wholes.filter((r) => r.tried.ran > 0);
  const costs = rows.filter((r) => r.step.model === 'closed' && r.usable > 0);
  const deployments = deploymentsOf(run).map(deploymentFields);
  const footprints = footprintsOf(run);
  const calibrations = beside.filter((r) => r.role === 'calibration' && r.operation !== '');
  if (deployments.length + footprints.length + steps.length + calibrations.length === 0) return null;
  return write(plan, {
    ...{ deployments, footprints, steps, calibrations, live: liveCostOf(beside), least: MIN_REPEATS },
    // What shares a window cannot be told apart by its CPU.
    costs: groupBy(costs, (r) => [r.system, placeText(plan, r), ...costOf(r)].join('\n')).map((own) => ({
      ...{ ...own[0], operations: own.map((r) => r.operation) },
      cpu: costOf(own[0]),
    })),
  });
}

/** @param {Row} row @returns {string[]} CPU of system and load generator for an operation */
function costOf({ systemCpuUsPerOp, generatorCpuUsPerOp }) {
  return [systemCpuUsPerOp, generatorCpuUsPerOp].map((figure) => figureText(figure));
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
