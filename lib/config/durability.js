/**
 * What an acknowledgement means may differ by version, by transport, and by how a server that we did not configure says it
 * is set: a manifest has rules for it beside what holds for the server as the suite starts it.
 * @import { DurabilityRule, PlannedSystem } from '../types.d.ts'
 */

/** Of a server that somebody else configured. */
export const UNKNOWN_DURABILITY = Object.freeze({
  policy: /** @type {const} */ ('unknown'),
  meaning: 'unknown: the server was given by its address, and does not report its durability',
});

/**
 * @param {Pick<PlannedSystem, 'durability' | 'durabilityWhen'>} system
 * @param {{version: string | null, transport: string, stated?: Record<string, string> | null}} facts of what runs;
 *   `stated`: its settings, as it says
 * @returns {{policy: string, meaning: string}} of the first rule that holds, else what the system says without rules
 */
export function durabilityOf({ durability, durabilityWhen = [] }, facts) {
  const rule = durabilityWhen.find((r) => holds(r, facts));
  return rule ? { policy: rule.policy, meaning: rule.meaning } : durability;
}

/**
 * @param {Pick<PlannedSystem, 'durability' | 'durabilityWhen'>[]} systems
 * @param {string} transport
 * @returns {boolean} whether an acknowledgement of each may mean the same, in some version; which one runs is known later
 */
export function mayPromiseAlike(systems, transport) {
  const [first, ...others] = systems.map(({ durability, durabilityWhen = [] }) => [
    durability.policy,
    ...durabilityWhen.filter((r) => r.transports?.includes(transport) ?? true).map((r) => r.policy),
  ]);
  return first.some((policy) => others.every((policies) => policies.includes(policy)));
}

/**
 * @param {Pick<DurabilityRule, 'from' | 'below' | 'transports' | 'settings'>} rule
 * @param {{version: string | null, transport?: string, stated?: Record<string, string> | null}} facts
 * @returns {boolean}
 */
export function holds({ from, below, transports, settings }, { version, transport, stated }) {
  if ((from || below) && version === null) return false;
  if (from && compareVersions(String(version), from) < 0) return false;
  if (below && compareVersions(String(version), below) >= 0) return false;
  if (transports && !transports.includes(transport ?? '')) return false;
  return Object.entries(settings ?? {}).every(([name, value]) => stated?.[name] === value);
}

/**
 * @param {string} a `2.10.0`, with anything before the first digit
 * @param {string} b
 * @returns {number} below 0 when `a` is the older one
 */
export function compareVersions(a, b) {
  const [x, y] = [a, b].map((v) => (/\d+(?:\.\d+)*/.exec(v)?.[0] ?? '').split('.').map(Number));
  const at = Array.from({ length: Math.max(x.length, y.length) }, (_, i) => (x[i] ?? 0) - (y[i] ?? 0));
  return at.find((d) => d !== 0) ?? 0;
}
