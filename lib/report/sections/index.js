import { section as conditions } from './conditions/section.js';
import { section as cost } from './cost/section.js';
import { section as firstScreen } from './first-screen/section.js';
import { section as gaps } from './gaps/section.js';
import { section as ladder } from './ladder/section.js';
import { section as losses } from './losses/section.js';
import { section as operations } from './operations/section.js';
import { section as prices } from './prices/section.js';
import { section as promises } from './promises/section.js';
import { section as script } from './script/section.js';
import { section as sideBySide } from './side-by-side/section.js';
import { section as targets } from './targets/section.js';
import { section as time } from './time/section.js';

/**
 * @import { Run } from '../run.js'
 * @import { Section } from '../view.js'
 */

/** @typedef {(run: Run) => Section | Section[] | null} Make null where it has nothing to show */

/** @typedef {{title: string, makes: readonly Make[]}} Chapter */

/** What each question of a reader is answered by, below the first screen. */
const CHAPTERS = Object.freeze({
  ladder: { title: 'Ladder of users', makes: [ladder] },
  operations: {
    title: 'Operations',
    makes: [sideBySide, script, operations],
  },
  cost: { title: 'Cost', makes: [prices, cost] },
  losses: { title: 'Losses', makes: [losses] },
  time: { title: 'Over time', makes: [time] },
  promises: { title: 'Promises and targets', makes: [targets, promises] },
  gaps: { title: 'Not shown, and why', makes: [gaps] },
  conditions: { title: 'Conditions', makes: [conditions] },
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
  return [...firstScreen(run), ...chapters.flatMap((chapter) => chapterOf(run, chapter) ?? [])];
}

/**
 * @param {Run} run
 * @param {Chapter} chapter
 * @returns {Section | null} null where it has nothing to show
 */
function chapterOf(run, { title, makes }) {
  const parts = makes.flatMap((make) => make(run) ?? []);
  return parts.length > 0 ? { title, folded: true, parts } : null;
}
