import { section as conditions } from './conditions/section.js';
import { section as cost } from './cost/section.js';
import { section as firstScreen } from './first-screen/section.js';
import { section as gaps } from './gaps/section.js';
import { section as ladder } from './ladder/section.js';
import { section as losses } from './losses/section.js';
import { section as operations } from './operations/section.js';
import { section as promises } from './promises/section.js';
import { section as time } from './time/section.js';

/**
 * @import { Run } from '../run.js'
 * @import { Section, Written } from '../template.js'
 */

/** `make`: null where it has nothing to show. @typedef {{title: string, make: (run: Run) => Written | null}} Chapter */

/** What each question of a reader is answered by, below the first screen. @satisfies {Record<string, Chapter>} */
const CHAPTERS = Object.freeze({
  ladder: { title: 'Ladder of users', make: ladder },
  operations: { title: 'Operations', make: operations },
  cost: { title: 'Cost', make: cost },
  losses: { title: 'Losses', make: losses },
  time: { title: 'Over time', make: time },
  promises: { title: 'Promises', make: promises },
  gaps: { title: 'Not shown, and why', make: gaps },
  conditions: { title: 'Conditions', make: conditions },
});

/**
 * @param {Run} run
 * @returns {Section[]} the answer, and then at most eight chapters, each folded: the one that the run was made for first
 */
export function sectionsOf(run) {
  const { losses, time, ...others } = CHAPTERS;
  const order = [losses, time, ...Object.values(others)];
  if (run.asksOfTime) order.unshift(time);
  const chapters = run.faults.length > 0 || run.asksOfTime ? [...new Set(order)] : Object.values(CHAPTERS);
  const folded = chapters.flatMap(({ title, make }) => {
    const written = make(run);
    return written ? [{ ...written, title }] : [];
  });
  return [...firstScreen(run), ...folded];
}
