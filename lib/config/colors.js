/** Okabe and Ito's palette for all kinds of colour vision, without its yellow, which is lost on white. */
export const PALETTE = Object.freeze([
  '#0072B2',
  '#D55E00',
  '#009E73',
  '#CC79A7',
  '#56B4E9',
  '#E69F00',
  '#7F6A9C',
  '#8C6D31',
]);

/**
 * One colour for each system, in every report and on every dashboard: the one that it declares; for others the first of
 * the palette that no system has which is seen beside them, as those are that do the same work.
 * @template {{id: string, color: string | null, workloads: readonly string[]}} S
 * @param {S[]} systems `color`: as declared; null of a variant, which has none of its own
 * @returns {ReadonlyMap<string, string>} by system
 */
export function assignColors(systems) {
  /** @type {Map<string, string>} */
  const colors = new Map();
  const beside = (/** @type {S} */ a, /** @type {S} */ b) => a.workloads.some((w) => b.workloads.includes(w));
  const taken = (/** @type {S} */ system) =>
    systems.filter((s) => s.id !== system.id && beside(system, s)).map((s) => colors.get(s.id));
  for (const system of systems)
    if (system.color !== null && !taken(system).includes(system.color)) colors.set(system.id, system.color);
  for (const [i, system] of systems.entries()) {
    if (colors.has(system.id)) continue;
    const others = taken(system);
    colors.set(system.id, PALETTE.find((c) => !others.includes(c)) ?? PALETTE[i % PALETTE.length]);
  }
  return colors;
}
