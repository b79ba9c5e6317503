import { combine, poolOf } from '../../../figures/figure.js';
import { groupBy } from '../../../group-by.js';
import { areSizesApart } from '../../../record/footprint.js';

/**
 * @import { Figure } from '../../../figures/figure.js'
 * @import { Row } from '../../../figures/rows.js'
 * @import { Footprint } from '../../../figures/step-figures.js'
 * @import { Run } from '../../run.js'
 */

/**
 * How large the data is of which a run by count is made, and what it takes on disk.
 * @param {Pick<Run, 'plan' | 'rows' | 'wholes' | 'measured'>} run
 * @returns {any[]} one for each workload that has steps by count
 */
export function footprintsOf({ plan, rows, wholes, measured }) {
  const byCount = rows.filter((r) => r.operation !== '' && r.step.operations !== undefined);
  return groupBy(byCount, (r) => r.workload).flatMap(([{ workload }]) => {
    const cells = measured.filter((r) => r.workload === workload && r.status === 'ok');
    const steps = wholes.filter((r) => r.workload === workload && r.tried.ran > 0 && r.footprint);
    const datasets = groupBy(
      cells.flatMap((c) => (c.dataset ? [c.dataset] : [])),
      (d) => d.sha256,
    ).map(([d]) => d);
    const stored = groupBy(steps, nameOf).map((own) => storedOf(plan, own));
    return datasets.length + stored.length > 0 ? [{ workload, datasets, stored }] : [];
  });
}

/**
 * @param {{title: string, transport: string}} of a row
 * @returns {string} one system over one transport
 */
function nameOf({ title, transport }) {
  return `${title}, ${transport}`;
}

/**
 * @param {Run['plan']} plan
 * @param {Row[]} own steps of one system over one transport
 */
function storedOf({ systems }, own) {
  const pooled = (/** @type {(footprint: Footprint) => Figure | null} */ read) =>
    poolOf(own.map(({ footprint }) => footprint && read(footprint)));
  const external = own.every((r) => r.external);
  const sizesOf = (/** @type {'before' | 'after'} */ when) => ({
    ...{ own: pooled((f) => f[when].ownBytes), disk: pooled((f) => f[when].diskBytes) },
  });
  // Of the compaction.
  const sizes = { before: sizesOf('before'), after: sizesOf('after') };
  const disk = sizes.after.disk ?? sizes.before.disk;
  const raw = pooled((f) => f.rawBytes);
  const apart = Object.values(sizes).some((size) => areSizesApart(size.own, size.disk));
  return {
    ...{ name: nameOf(own[0]), external, raw, ...sizes },
    counter: String(own[0].footprint?.counter),
    compaction: own.find((r) => r.footprint?.compaction)?.footprint?.compaction ?? null,
    share: disk?.median ? combine([disk, raw], (a, b) => a / b) : null,
    problems: [...new Set(own.flatMap((r) => r.footprint?.problems ?? []))],
    why: (!external && apart && systems.find((s) => s.id === own[0].system)?.sizesApart) || null,
    title: own[0].title,
  };
}
