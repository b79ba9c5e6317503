import { differencesOf, isSameCell, unlikeLists } from './comparisons.js';
import { pairOf, pairOfComparison } from './lead.js';

/**
 * @import { Plan, SideBySideCell } from '../types.d.ts'
 * @import { Row } from './figures.js'
 * @import { Pair } from './lead.js'
 * @import { SideBySideSummary } from './side-by-side.js'
 */

/**
 * What a setting costs on one load: one product in two configurations, by the same rules as two products. Other settings
 * and another durability are what is asked for here; all other conditions are alike.
 * @typedef {object} Price
 * @property {string} from the configuration that comes first in the plan: the product as it is
 * @property {string} to the one that is asked for
 * @property {string} workload
 * @property {string} transport
 * @property {SideBySideCell | null} cell null of systems one after another
 * @property {Row | null} row null of systems side by side
 * @property {Pair} pair
 * @property {boolean} trusted false where the run says that it cannot be
 */

/**
 * @param {Pick<Plan, 'systems'>} plan
 * @param {Row[]} rows
 * @param {SideBySideSummary[]} sideBySide
 * @returns {Price[]}
 */
export function pricesOf(plan, rows, sideBySide) {
  const place = (/** @type {string} */ id) => plan.systems.findIndex((s) => s.id === id);
  return [
    ...sideBySide.flatMap(ofStarts),
    ...rows.flatMap((a) =>
      rows
        .filter((b) => place(a.system) < place(b.system) && isSameProduct(a, b) && isSameCell(a, b))
        .map((b) => ofRows(a, b)),
    ),
  ];
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {boolean} whether they are configurations of one: by their name, or, of servers by their address, by the folder
 *   that drives both and by what each says that it promises
 */
function isSameProduct(a, b) {
  if (a.system.split('@')[0] === b.system.split('@')[0]) return true;
  const [one, other] = [a.parity, b.parity];
  return (
    one.product !== undefined &&
    one.product === other.product &&
    one.durability !== other.durability &&
    ![one.durability, other.durability].includes('unknown')
  );
}

/**
 * @param {SideBySideSummary} summary
 * @returns {Price[]}
 */
function ofStarts({ group, comparisons, trusted }) {
  return comparisons
    .filter((c) => c.kind === 'price')
    .map((c) => ({
      ...{ from: c.a, to: c.b, workload: group.workload, transport: group.transport, row: null },
      cell: group.cells.find((x) => x.id === c.cell) ?? null,
      pair: pairOfComparison(c),
      trusted,
    }));
}

/**
 * @param {Row} a
 * @param {Row} b
 * @returns {Price}
 */
function ofRows(a, b) {
  const ran = a.usable > 0 && b.usable > 0;
  const others = ran
    ? [...differencesOf(a, b), ...unlikeLists(a, b)].filter((d) => !d.startsWith('durability '))
    : [];
  const entry = (/** @type {Row} */ row) => ({
    system: row.system,
    row,
    figure: row.usable > 0 ? row.ratePerSec : null,
  });
  const barred = (/** @type {string} */ why) =>
    /** @type {Pair} */ ({
      a: a.system,
      b: b.system,
      outcome: 'not comparable',
      ratio: null,
      winner: null,
      why,
    });
  return {
    ...{ from: a.system, to: b.system, workload: a.workload, transport: a.transport, cell: null, row: a },
    pair: others.length > 0 ? barred(others.join(', ')) : pairOf(entry(a), entry(b), 'more'),
    trusted: true,
  };
}
