import { section as architecture } from './architecture/section.js';
import { section as breakdown } from './breakdown/section.js';
import { section as ceilings } from './ceilings/section.js';
import { section as chaos } from './chaos/section.js';
import { section as conditions } from './conditions/section.js';
import { section as cost } from './cost/section.js';
import { section as counted, detailsSection as countedToo } from './counted/section.js';
import { section as deployment } from './deployment/section.js';
import { section as durability } from './durability/section.js';
import { section as failures } from './failures/section.js';
import { section as files } from './files/section.js';
import { section as killed } from './first-screen/kills.js';
import { section as firstScreen } from './first-screen/section.js';
import { section as ladders } from './ladders/section.js';
import { section as limits } from './limits/section.js';
import { section as method } from './method/section.js';
import { section as notShown } from './not-shown/section.js';
import { section as observer } from './observer/section.js';
import { section as oracle } from './oracle/section.js';
import { section as prices } from './prices/section.js';
import { section as script } from './script/section.js';
import { pageSection as pairedLoads, section as sideBySide } from './side-by-side/section.js';
import { section as soak } from './soak/section.js';
import { section as suite } from './suite/section.js';
import { section as targets } from './targets/section.js';
import { section as workload } from './workload/section.js';

/**
 * @import { Run } from '../run.js'
 * @import { Section } from '../view.js'
 */

/** @typedef {(run: Run) => Section | Section[] | null} Make null where it has nothing to show */

/**
 * What a reader of the page needs, most important first.
 * @type {readonly Make[]}
 */
const PAGE = Object.freeze([
  firstScreen,
  script,
  pairedLoads,
  prices,
  targets,
  suite,
  breakdown,
  ladders,
  failures,
  deployment,
  limits,
  counted,
  soak,
  killed,
  chaos,
]);

/**
 * The same of a run of faults.
 * @type {readonly Make[]}
 */
const OF_FAULTS = Object.freeze([firstScreen, chaos]);

/**
 * The same of a run that only asks if a system is the same after a while.
 * @type {readonly Make[]}
 */
const OF_TIME = Object.freeze([firstScreen, soak]);

/**
 * Every figure behind it, and under which conditions it was measured.
 * @type {readonly Make[]}
 */
const DETAILS = Object.freeze([
  sideBySide,
  durability,
  workload,
  countedToo,
  cost,
  ceilings,
  observer,
  oracle,
  architecture,
  notShown,
  conditions,
  method,
  files,
]);

/**
 * @param {Run} run
 * @returns {{page: Section[], details: Section[]}} sections that have something to show
 */
export function sectionsOf(run) {
  const made = (/** @type {readonly Make[]} */ all) => all.flatMap((make) => make(run) ?? []);
  const own = run.faults.length > 0 ? OF_FAULTS : run.asksOfTime ? OF_TIME : null;
  const page = own ?? PAGE;
  // How much the systems can do only says at which rate they met their faults, or spent their time.
  const rest = PAGE.filter((make) => !page.includes(make));
  const [first, ...more] = made(page);
  return {
    page: [first, ...more.map(folded)],
    details: [...made(rest).map(withoutCharts), ...made(DETAILS)],
  };
}

/** @param {Section} section @returns {Section} below its title, which is all that is seen of it at first */
function folded(section) {
  if (section.title !== undefined) return { ...section, folded: true };
  return { ...section, parts: (section.parts ?? []).flatMap((part) => (part ? [folded(part)] : [])) };
}

/** @param {Section} section @returns {Section} its words and tables alone */
function withoutCharts({ charts: _, parts = [], ...own }) {
  return { ...own, parts: parts.flatMap((part) => (part ? [withoutCharts(part)] : [])) };
}
