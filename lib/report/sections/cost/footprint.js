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
    const all = cells.flatMap((c) => c.dataset ?? []);
    const datasets = groupBy(all, ({ sha256 }) => sha256);
    const stored = groupBy(steps, (r) => `${r.title}, ${r.transport}`).map((own) => storedOf(plan, own));
    return datasets.length + stored.length > 0 ? [{ workload, datasets, stored }] : [];
  });
}

/**
 * @param {Run['plan']} plan
 * @param {Row[]} own steps of one system over one transport
 */
function storedOf({ systems }, own) {
  const [{ title, transport, system }] = own;
  const footprints = own.flatMap(({ footprint }) => footprint ?? []);
  const pooled = (/** @type {(of: Footprint) => Figure | null} */ read) => poolOf(footprints.map(read));
  const external = own.every((r) => r.external);
  // Of the compaction.
  const [before, after] = /** @type {const} */ (['before', 'after']).map((when) => ({
    ...{ own: pooled((f) => f[when].ownBytes), disk: pooled((f) => f[when].diskBytes) },
  }));
  const [raw, disk] = [pooled((f) => f.rawBytes), after.disk ?? before.disk];
  const apart = [before, after].some((size) => areSizesApart(size.own, size.disk));
  return {
    ...{ title, transport, external, raw, before, after, counter: footprints[0].counter },
    compaction: footprints.find((f) => f.compaction)?.compaction ?? null,
    share: disk?.median ? combine([disk, raw], (a, b) => a / b) : null,
    problems: [...new Set(footprints.flatMap((f) => f.problems))],
    why: (!external && apart && systems.find((s) => s.id === system)?.sizesApart) || null,
  };
}
