import { duration, significant } from '../../../format.js';
import { countText, diskText, growthText, memoryText, operationOf, secondsOf } from './table.js';

/**
 * @import { SoakResult } from '../../../types.d.ts'
 * @import { Soaked } from '../../../record/soaks.js'
 */

/** @type {Record<SoakResult['verdict'], (time: string) => string>} */
const FOUND = {
  steady: (time) => `the same after ${time}`,
  drifting: (time) => `its p99 grew over ${time}`,
  leaking: (time) => `its memory grew all through ${time}`,
  clinging: (time) => `it kept more and more files or threads open for ${time}`,
  unclear: () => 'whether anything of it grows was not seen',
};

/**
 * One sentence for each soak: whether the system is the same after a while, and by what that is told.
 * @param {Soaked[]} soaks
 * @returns {string[]} Markdown
 */
export function soakAnswers(soaks) {
  return soaks.map((soaked) => {
    const { cell, soak } = soaked;
    const [op] = Object.keys(cell.operations);
    const told =
      soak.verdict === 'clinging'
        ? [`open files ${countText(soak.openFiles)}`, `threads ${countText(soak.threads)}`]
        : [
            ...(soak.rssBytesPerMin
              ? [`memory ${memoryText(soak.rssBytesPerMin.estimate)} MiB a minute`]
              : []),
            ...(soak.p99Growth ? [`p99 ${growthText(soak.p99Growth.estimate)} in all`] : []),
            ...(grew(soak) ? [`data on disk ${diskText(soak)} MiB`] : []),
          ];
    const rate = significant(operationOf(cell).ratePerSec);
    return `**${cell.title}: ${FOUND[soak.verdict](duration(secondsOf(soaked)))}** of ${op} at ${rate} op/s${told.length > 0 ? ` (${told.join(', ')})` : ''}.`;
  });
}

/**
 * @param {Pick<SoakResult, 'disk'>} soak
 * @returns {boolean} whether there was so much more data at the end that it may be the reason
 */
function grew({ disk }) {
  return disk != null && disk.lastBytes > 2 * disk.firstBytes;
}
