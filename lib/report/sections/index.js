import { loadTablesOf } from '../entries.js';
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
 * @import { Section } from '../template.js'
 */

/** What each question of a reader is answered by, below the first screen, by its title; null where it has nothing to show. */
const CHAPTERS = Object.freeze({
  'Ladder of users': ladder,
  Operations: operations,
  Cost: cost,
  Losses: losses,
  'Over time': time,
  Promises: promises,
  'Not shown, and why': gaps,
  Conditions: conditions,
});

/**
 * @param {Run} run
 * @returns {Section[]} the answer, and then at most eight chapters, each folded: the one that the run was made for first
 */
export function sectionsOf(run) {
  const page = { ...run, loads: loadTablesOf(run) };
  const { Losses, 'Over time': overTime } = CHAPTERS;
  const faulted = run.faults.length > 0 ? { Losses, 'Over time': overTime } : {};
  const first = run.asksOfTime ? { 'Over time': overTime, Losses } : faulted;
  const folded = Object.entries({ ...first, ...CHAPTERS }).flatMap(([title, make]) => {
    const written = make(page);
    return written ? [{ ...written, title }] : [];
  });
  return [...firstScreen(page), ...folded];
}
