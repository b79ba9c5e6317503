/**
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What the systems' manifests say of how they are built.
 * @param {Run} run
 * @returns {Section | null}
 */
export function section({ plan }) {
  const told = plan.systems.filter((s) => (s.notes ?? []).length > 0);
  if (told.length === 0) return null;
  return {
    title: 'Architecture and durability',
    parts: told.map(({ title, notes }) => ({ intro: [`**${title}**`], notes })),
  };
}
