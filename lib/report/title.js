import { isBusy } from '../config/step-text.js';
import { cellsOf } from '../config/trials.js';
import { contenders, declaredOf, systemsIn } from './systems.js';
import { phrase } from './template.js';
import { counted, questionOf, topicOf } from './words.js';

/** @import { Plan } from '../types.d.ts' */

/** Systems whose names a title takes. */
const NAMED = 5;

/**
 * @param {Plan} plan
 * @returns {string} what it is about, and the question: `Counters: Alpha, Beta or Gamma?`
 */
export function titleOfRun(plan) {
  const [own, able] = [systemsIn(plan), contenders(plan)];
  const question = questionOf(plan);
  const isAsked = (/** @type {string} */ id) =>
    question !== 'background' || cellsOf(plan).some((c) => c.system === id && isBusy(c.step));
  // A server of ours is nobody's choice, unless there is no other; without a background it has nothing to slow it down.
  const systems = own.filter((s) => able.includes(s.id) && isAsked(s.id));
  const baseOf = (/** @type {string} */ id) => systems.find((s) => s.id !== id && s.id === id.split('@')[0]);
  // Each product once, whatever its settings.
  const products = systems.filter(({ id }) => !baseOf(id));
  const also = question === 'ahead' ? settingsOf(plan, products, systems) : [];
  // What became of a product with its settings is told by the table.
  const lists = also.length > 0 || question !== 'ahead' ? [products] : [systems, products];
  const named = lists.find((list) => list.length <= NAMED);
  return phrase('titleText', {
    ...{ question, also, names: named?.map(({ title }) => title) ?? null, count: systems.length },
    // Each can be told from the next.
    commas: named?.some(({ title }) => title.includes(',')) ?? false,
    isAddressed: systems.length > 0 && !plan.options.script && own.every((s) => s.endpoint),
    several: systems.length > 1,
    topic: topicOf(plan) ?? counted(plan.workloads.length, 'workload'),
    power: plan.profile.steps.some((s) => s.powerLoss),
  });
}

/**
 * @param {Plan} plan
 * @param {Plan['systems']} products
 * @param {Plan['systems']} systems the products, and variants of them
 * @returns {string[]} settings with which each product was measured, too; none where they have not all the same ones
 */
function settingsOf(plan, products, systems) {
  const all = products.map(({ id }) =>
    systems.flatMap((s) => (s.id.startsWith(`${id}@`) ? (declaredOf(plan, s.id).setting ?? s.title) : [])),
  );
  const isAlike = products.length > 1 && new Set(all.map((own) => own.join('\n'))).size === 1;
  return isAlike ? all[0] : [];
}
