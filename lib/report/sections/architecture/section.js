import { holds } from '../../../config/durability.js';
import { versionOf } from '../../versions.js';

/**
 * @import { PlannedSystem } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the systems' READMEs and manifests say of how they are built, as far as it holds of the version that ran.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section(run) {
  const told = run.plan.systems
    .map((s) => ({ title: s.title, notes: notesFor(s, versionOf(run, s.id)) }))
    .filter(({ notes }) => notes.length > 0);
  if (told.length === 0) return null;
  return {
    title: 'Architecture and durability',
    parts: told.map(({ title, notes }) => ({ intro: [`**${title}**`], notes })),
  };
}

/**
 * @param {Pick<PlannedSystem, 'notes' | 'notesWhen'>} system
 * @param {string | null} version null: none of those that hold of a range
 * @returns {string[]} paragraphs
 */
export function notesFor({ notes = [], notesWhen = [] }, version) {
  return [...notes, ...notesWhen.filter((rule) => holds(rule, { version })).map(({ note }) => note)];
}
