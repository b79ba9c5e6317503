import { contenders, systemsIn } from './matrix/contenders.js';
import { phrase } from './template.js';
import { counted, listed, questionOf, topicOf } from './words.js';

/** @import { Plan } from '../types.d.ts' */

/** Systems whose names a title takes. */
const NAMED = 5;

/**
 * @param {Plan} plan
 * @returns {string} what it is about, and the question: `Counters: Alpha, Beta or Gamma?`
 */
export function titleOfRun(plan) {
  const [own, able] = [systemsIn(plan), contenders(plan)];
  // A server of ours is nobody's choice, unless there is no other.
  const systems = own.filter((s) => able.includes(s.id)).map((s) => s.title);
  const products = productsIn(plan).filter((title) => systems.includes(title));
  const question = questionOf(plan);
  const isChoice = question === 'ahead';
  // What became of a product with its settings is told by the table.
  const named = (isChoice ? [systems, products] : [products]).find((names) => names.length <= NAMED);
  const isAddressed = systems.length > 0 && !plan.options.script && own.every((s) => s.endpoint);
  return phrase('titleText', {
    ...{ question, isAddressed, names: named ?? null, count: systems.length, several: systems.length > 1 },
    topic: topicOf(plan) ?? counted(plan.workloads.length, 'workload'),
    choice: (isChoice && alsoWith(plan, products)) || (named && eitherOf(named)),
    power: plan.profile.steps.some((s) => s.powerLoss),
  });
}

/**
 * @param {Plan} plan
 * @returns {string[]} titles of what was measured, each product once, whatever its settings
 */
function productsIn(plan) {
  const own = systemsIn(plan);
  return own
    .filter(({ id }) => !own.some((other) => other.id !== id && other.id === id.split('@')[0]))
    .map((s) => s.title);
}

/**
 * @param {Plan} plan
 * @param {string[]} products
 * @returns {string | null} `Alpha or Beta, also with AOF everysec`; null where they were not measured with the same settings
 */
function alsoWith(plan, products) {
  const titles = systemsIn(plan).map((s) => s.title);
  const settings = products.map((product) =>
    titles.flatMap((t) => (t.startsWith(`${product} (`) ? [t.slice(product.length + 2, -1)] : [])),
  );
  const [own] = settings;
  const isOfAll = new Set(settings.map((all) => all.join('\n'))).size === 1;
  if (products.length < 2 || !isOfAll || titles.length !== products.length * (1 + own.length)) return null;
  return own.length === 0 ? null : `${eitherOf(products)}, also with ${listed(own)}`;
}

/** @param {string[]} names of systems @returns {string} to choose from, so that each can be told from the next */
function eitherOf(names) {
  return names.some((name) => name.includes(',')) ? names.join(' or ') : listed(names, 'or');
}
