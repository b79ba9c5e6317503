import { section as answers } from './answers/section.js';
import { section as architecture } from './architecture/section.js';
import { section as bestSteps } from './best-steps/section.js';
import { section as ceilings } from './ceilings/section.js';
import { section as conditions } from './conditions/section.js';
import { section as cost } from './cost/section.js';
import { section as counted } from './counted/section.js';
import { section as deployment } from './deployment/section.js';
import { section as durability } from './durability/section.js';
import { section as files } from './files/section.js';
import { section as limits } from './limits/section.js';
import { section as method } from './method/section.js';
import { section as notShown } from './not-shown/section.js';
import { section as observer } from './observer/section.js';
import { section as oracle } from './oracle/section.js';
import { section as pages } from './pages/section.js';
import { section as sideBySide } from './side-by-side/section.js';
import { section as soak } from './soak/section.js';
import { section as suite } from './suite/section.js';
import { section as targets } from './targets/section.js';
import { section as workload } from './workload/section.js';

/**
 * @import { Run } from '../run.js'
 * @import { Section } from '../view.js'
 */

/**
 * The sections of the report in their order. Each is a function of a run, null where it has nothing to show, and
 * several where the run has several of its kind.
 * @type {readonly ((run: Run) => Section | Section[] | null)[]}
 */
export const SECTIONS = Object.freeze([
  answers,
  sideBySide,
  bestSteps,
  pages,
  targets,
  suite,
  limits,
  workload,
  counted,
  deployment,
  soak,
  durability,
  cost,
  ceilings,
  observer,
  oracle,
  architecture,
  conditions,
  method,
  notShown,
  files,
]);

/**
 * @param {Run} run
 * @returns {Section[]} those that have something to show
 */
export function sectionsOf(run) {
  return SECTIONS.flatMap((section) => section(run) ?? []);
}
