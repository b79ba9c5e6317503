import { operationsThat } from '../../../../k6/schedule/facts.js';
import { figureText, MISSING, mebibytes, percent, significant, wholeNumber } from '../../../format.js';
import { extremesOf, scaled } from '../../../record/figure.js';
import { sidesQuestion } from '../../matrix/questions.js';
import { phrase } from '../../template.js';
import { figureRange, itemOf } from '../../words.js';
import { storageLines } from '../promises/storage-bound.js';

/**
 * @import { MetricName } from '../../../types.d.ts'
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Question } from '../../matrix/questions.js'
 * @import { Deployment } from './deployment.js'
 */

/** What one system has: as it is printed; with a figure it can be compared. @typedef {{text: string, figure?: Figure | null, row?: Row}} Side */

/**
 * `kind`: what a line tells; the words of it are in `templates/phrases/metricText.hbs`. `metric`: what its sides are compared
 * by; without one nobody wins.
 * @typedef {{kind: string, sides: Side[], metric?: MetricName, operation?: string, item?: string, starts?: number,
 *   grown?: string | null, size?: number}} Line
 */

/**
 * @param {Deployment} deployment
 * @returns {Question[]} what deploying a system costs and gives, of which any system has something
 */
export function deploymentQuestions(deployment) {
  return linesOf(deployment)
    .filter(({ sides }) => sides.some(({ text }) => text !== MISSING))
    .map((line) => questionOf(deployment, line));
}

/** @param {Deployment} deployment @param {Line} line @returns {Question} */
function questionOf({ plan, systems }, { sides, metric = 'size', ...words }) {
  return sidesQuestion(
    { plan },
    { metric, measure: phrase('metricText', words), unit: '', weight: 0 },
    sides.map(({ text, ...side }, i) => ({ figure: null, ...side, system: systems[i], note: text })),
  );
}

/** @param {Deployment} deployment @returns {Line[]} */
function linesOf(deployment) {
  const { facts, main, dataset, systems } = deployment;
  const carrying = operationsThat(facts, (o) => o.items);
  const sent = (carrying.length > 0 ? carrying : Object.keys(facts.operations)).filter((op) =>
    rowsFor(deployment, op).some((r) => r),
  );
  const itemsIn = (/** @type {string} */ op) => itemsOf(facts.operations[op]?.items, dataset);
  const failed = systems.map((_, i) =>
    sent.reduce((n, op) => n + (rowsFor(deployment, op)[i]?.tried.failed ?? 0), 0),
  );
  const ofRows = rowLines(deployment);
  return [
    ...startLines(deployment),
    // Memory is that of the whole step, all its windows together.
    ofRows(main, 'peak', 'memory', (r) => r.used.system.rssPeakBytes, inMib),
    ofRows(main, 'steady', 'memory', (r) => r.used.system.rssSteadyBytes, inMib),
    // Of what carries nothing the ladder has the throughput.
    ...(carrying.length > 0 ? sent : []).map((op) =>
      ofRows(op, 'rate', 'throughput', (r) => scaled(r.ratePerSec, itemsIn(op)), figureRange),
    ),
    { kind: 'failed', sides: failed.map((n) => ({ text: wholeNumber(n) })) },
    ofRows(main, 'cpu', 'cpu', (r) => scaled(r.systemCpuUsPerOp, 1 / itemsIn(main))),
    ...syncLines(deployment),
    ...ceilingLines(deployment),
    ...sizeLines(deployment),
  ];
}

/**
 * @param {string | number | undefined} size
 * @param {Record<string, number>} dataset
 */
export function itemsOf(size, dataset) {
  return typeof size === 'string' ? dataset[size] : (size ?? 1);
}

/**
 * @param {Deployment} deployment
 * @param {string} operation
 * @returns {(Row | undefined)[]} by system, on the step of the table
 */
function rowsFor({ rows, stepId, systems }, operation) {
  return systems.map((id) =>
    rows.find((r) => r.system === id && r.step.id === stepId && r.operation === operation),
  );
}

/** @param {Deployment} deployment @returns {(Lifecycle | undefined)[]} by system */
export function lifecycleFor({ lifecycle, systems }) {
  return systems.map((id) => lifecycle.find((l) => l.system === id));
}

/**
 * @param {Deployment} deployment
 * @returns {(operation: string, kind: string, metric: MetricName, read: (row: Row) => Figure | null,
 *   text?: (figure: Figure | null) => string) => Line} of the rows of an operation
 */
function rowLines(deployment) {
  return (operation, kind, metric, read, text = figureText) => ({
    ...{ kind, metric, operation, item: itemOf(deployment.facts) },
    sides: rowsFor(deployment, operation).map((row) => {
      if (!row) return { text: MISSING };
      if (row.failure !== null) return { text: `n/a: ${row.failure}` };
      const figure = read(row);
      return { text: text(figure), figure, row };
    }),
  });
}

/**
 * @param {Deployment} deployment
 * @returns {string | null} why none of the systems can have figures of its start and its rest; null where one has
 *   them, each lacks them for a reason of its own, or to measure them failed: a failure stands in the table
 */
export function unstartedReason(deployment) {
  const own = lifecycleFor(deployment);
  const reasons = new Set(own.map((l) => (l?.status === 'unavailable' ? l.reason : null)));
  return reasons.size === 1 ? ([...reasons][0] ?? null) : null;
}

/** @param {Deployment} deployment @returns {Line[]} */
function startLines(deployment) {
  const own = lifecycleFor(deployment);
  // What none of them has, for one reason, is said below the table.
  if (unstartedReason(deployment) !== null) return [];
  const sidesOf = (/** @type {(l: Lifecycle) => Side} */ side) =>
    own.map((l) => {
      if (!l) return { text: MISSING };
      return l.status === 'ok' ? side(l) : { text: `${l.status}: ${l.reason}` };
    });
  return [
    {
      ...{ kind: 'start', metric: 'startUp', starts: Math.max(...own.map((l) => l?.start?.n ?? 0)) },
      sides: sidesOf(({ start: figure }) => ({
        figure,
        text: figure ? `${figureRange(figure)}, min ${significant(extremesOf(figure).least)}` : MISSING,
      })),
    },
    { kind: 'idle', sides: sidesOf((l) => ({ text: mebibytes(l.idleRssBytes) })) },
    { kind: 'resident', sides: sidesOf((l) => ({ text: mebibytes(l.idleResidentBytes) })) },
  ];
}

/** @param {Figure | null} figure */
function inMib(figure) {
  return figureText(figure, mebibytes);
}

/** @param {Deployment} deployment @returns {Line[]} */
function syncLines({ syscalls, systems, facts, dataset, first, main: operation }) {
  if (!first) return [];
  const own = systems.map((id) =>
    syscalls.find((r) => r.system === id && [operation, ''].includes(r.operation)),
  );
  const items = itemsOf(facts.operations[operation]?.items, dataset);
  return [
    {
      ...{ kind: 'syncs', operation, item: itemOf(facts) },
      sides: own.map((row) => {
        if (!row?.syncs) return { text: row?.failure ?? MISSING };
        const { perOp } = row.syncs;
        return { text: `${figureText(scaled(perOp, 1 / items))} (${figureText(perOp)})` };
      }),
    },
    {
      ...{ kind: 'syncTime', operation },
      sides: own.map((row) => ({ text: figureText(row?.syncs?.timeRatio, percent) })),
    },
  ];
}

/** @param {Deployment} deployment @returns {Line[]} */
function ceilingLines(deployment) {
  const detailed = storageLines(deployment);
  if (detailed.length > 0) return detailed;
  const sides = lifecycleFor(deployment).map((l) => {
    const figure = l?.storagePerSec;
    const problem = l?.ceilings[0]?.problem;
    return { figure, text: figure || !problem ? figureText(figure) : `n/a: ${problem}` };
  });
  const item = itemOf(deployment.facts);
  return [{ ...{ kind: 'storage', metric: 'throughput', item, grown: null, size: 0 }, sides }];
}

/** @param {Deployment} deployment @returns {Line[]} */
function sizeLines(deployment) {
  return [false, true].map((shared) => ({
    kind: shared ? 'shared' : 'size',
    sides: lifecycleFor(deployment).map((l) => {
      const parts = (l?.runtime ?? []).filter((r) => r.shared === shared);
      const bytes = parts.reduce((sum, r) => sum + r.bytes, 0);
      const what = parts.map((r) => r.what).join(', ');
      return { text: parts.length > 0 ? `${mebibytes(bytes)} (${what})` : MISSING };
    }),
  }));
}
