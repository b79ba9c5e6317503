import { isBound as isClients } from '../judge/attribution.js';
import { medianOfKnown } from '../stats/summary.js';

/** @import { Attribution, CellRecord, Shares } from '../types.d.ts' */

/**
 * Who set a throughput, by what threads were seen doing in each repeat.
 * @param {CellRecord[]} usable repeats
 * @param {string} operation
 * @returns {{who: Attribution, shares: Shares} | null} who did in most repeats, with the medians of what was seen; null
 *   where a schedule did, or pauses
 */
export function setByOf(usable, operation) {
  const results = usable.flatMap((c) => c.operations[operation] ?? []);
  const known = results.flatMap(({ setBy, shares }) => (setBy ? [{ who: setBy, shares }] : []));
  if (known.length === 0) return null;
  const own = known.filter((k) => !isClients(k.who));
  const winners = own.length > known.length / 2 ? own : known.filter((k) => isClients(k.who));
  const times = (/** @type {Attribution} */ who) => winners.filter((w) => w.who === who).length;
  const [{ who }] = [...winners].sort((a, b) => times(b.who) - times(a.who));
  return { who, shares: mediansOf(winners.filter((w) => w.who === who).map((w) => w.shares)) };
}

/** @param {Shares[]} all @returns {Shares} */
function mediansOf(all) {
  const within = (/** @type {'system' | 'loop'} */ who) => {
    const least = medianOfKnown(all.map((s) => s[who]?.least));
    const most = medianOfKnown(all.map((s) => s[who]?.most));
    return least === null || most === null ? null : { least, most };
  };
  return {
    system: within('system'),
    loop: within('loop'),
    ...diskSleepOf(all.flatMap((s) => s.diskSleep ?? [])),
  };
}

/**
 * @param {NonNullable<Shares['diskSleep']>[]} all
 * @returns {Pick<Shares, 'diskSleep'>} of all repeats together
 */
function diskSleepOf(all) {
  if (all.length === 0) return {};
  const sum = (/** @type {'looks' | 'seen'} */ what) => all.reduce((n, one) => n + one[what], 0);
  return { diskSleep: { looks: sum('looks'), seen: sum('seen') } };
}
