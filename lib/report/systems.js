import { loadStacks } from '../config/stacks.js';

/**
 * What a report knows of a system beside its figures: what it is, whether it may win, its version, what its manifest declares.
 * @import { Plan } from '../types.d.ts'
 * @import { Run } from './run.js'
 */

/**
 * @param {Plan} plan
 * @param {string} id
 * @returns {boolean} whether it is a server of this project, which nobody can choose
 */
export function isOurs({ systems }, id) {
  return systems.find((s) => s.id === id)?.origin === 'reference';
}

/** @param {Plan} plan @returns {Plan['systems']} what the run is about */
export function systemsIn({ systems }) {
  return systems.filter((s) => s.role === 'system');
}

/**
 * A server of this project stands beside products and never wins against them, and a substitute stands beside both.
 * @param {Plan} plan
 * @param {readonly string[]} [ids]
 * @returns {string[]} who may win: the products; where there are none, the servers of this project; else all of them
 */
export function contenders(plan, ids = systemsIn(plan).map(({ id }) => id)) {
  const real = ids.filter((id) => !declaredOf(plan, id).standsInFor);
  const products = real.filter((id) => !isOurs(plan, id));
  return [products, real, [...ids]].find((some) => some.length > 0) ?? [];
}

/**
 * @param {Partial<Pick<Run, 'records'>>} run
 * @param {string} system its id
 * @returns {string | null} the version that it said it is; null where it told none
 */
export function versionOf({ records = [] }, system) {
  return records.find((r) => r.system === system && r.version)?.version ?? null;
}

/**
 * `jobs`: workloads of the suite that it does; `standsInFor`: the product in whose place it runs.
 * @typedef {{color: string | null, fits: readonly string[], jobs: number, setting: string | null, standsInFor: string | null}} Declared
 */

/** @type {ReadonlyMap<string, import('../types.d.ts').Stack> | null} */
let ours = null;
const stackOf = (/** @type {string} */ id) => {
  ours ??= new Map(loadStacks().stacks.map((stack) => [stack.id, stack]));
  return ours.get(id);
};

/**
 * @param {Plan} plan
 * @returns {Plan} its systems with the names that this checkout gives them: in all reports one name for one system
 */
export function namedToday(plan) {
  const systems = plan.systems.map((s) => {
    const own = s.like || s.outside || s.endpoint ? undefined : stackOf(s.id)?.manifest;
    // What had this id before may be another one.
    return own && own.origin === s.origin ? { ...s, title: own.title } : s;
  });
  return { ...plan, systems };
}

/**
 * What a system's manifest says of it that no measurement needs: that of this checkout, else what the plan has of one from
 * elsewhere.
 * @param {Plan} plan
 * @param {string} id
 * @returns {Declared}
 */
export function declaredOf({ systems }, id) {
  const [own, planned] = [stackOf(id), systems.find((s) => s.id === id)];
  const { color = null, fits = [], standsInFor = null } = own?.manifest ?? planned ?? {};
  const of = { setting: own?.setting ?? planned?.setting ?? null, standsInFor };
  // A variant takes a free colour, and fits where its base does.
  if (id.includes('@')) return { ...of, color: null, fits: [], jobs: 0 };
  return { ...of, color, fits, jobs: Object.keys(own?.manifest.workloads ?? {}).length };
}
