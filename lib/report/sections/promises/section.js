import { meets } from '../../../figures/compare.js';
import { templateBeside } from '../../template.js';
import { itemOf } from '../../words.js';
import { foundAt, itemsOfLoad, PROMISED, placesOf } from './evaluation.js';

/**
 * @import { Row } from '../../../figures/rows.js'
 * @import { SystemPromise } from '../../../types.d.ts'
 * @import { Written } from '../../template.js'
 * @import { Promising } from './evaluation.js'
 */

const write = templateBeside(import.meta.url);

/**
 * Whether the systems keep the promises of their manifests.
 * @param {Promising} run
 * @returns {Written | null} a row for each whose load is part of the run
 */
export function section(run) {
  const rows = run.plan.systems.flatMap(({ id, promises = [] }) =>
    promises.flatMap((promise) =>
      placesOf(run, id, promise).flatMap((place) => rowAt(run, id, promise, place)),
    ),
  );
  return rows.length === 0 ? null : write(run.plan, { rows });
}

/**
 * @param {Promising} run
 * @param {string} system
 * @param {SystemPromise} promise
 * @param {Row} place
 * @returns {object[]} its row; none where the run has not what it is held against
 */
function rowAt(run, system, { title, metric, load, or, ...first }, place) {
  const facts = run.plan.workloads.find((w) => w.id === load.workload);
  const ways = [first, ...(or ? [or] : [])].flatMap(({ atLeast, atMost, against }) => {
    const found = foundAt(run, system, { metric, load, against }, place);
    if (!found) return [];
    // What was counted needs no interval: where none may fail, one that failed breaks the promise.
    const isBroken = atMost === 0 && found.counts?.failed && found.measured?.why.length === 0;
    return [
      {
        ...{ least: atLeast ?? null, most: atMost ?? null, unit: against ? '' : PROMISED[metric].unit },
        ...{ other: against?.system ?? null, figure: null, counts: null, missing: 0, ...found },
        storage: against?.storage
          ? { items: itemsOfLoad(run.plan, load, place.step), item: facts && itemOf(facts) }
          : null,
        verdict: isBroken ? 'not met' : found.measured && meets(found.measured, { atLeast, atMost }),
      },
    ];
  });
  const row = { title, system, operation: load.operation ?? null, step: place.step.id };
  // One of several ways is enough.
  const kept = ways.find((w) => w.verdict === 'met') ?? ways.find((w) => w.verdict !== 'not met');
  return ways.length === 0 ? [] : [{ ...row, ways, decided: kept ?? ways[0] }];
}
