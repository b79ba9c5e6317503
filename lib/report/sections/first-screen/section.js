import { cellsOf } from '../../../config/trials.js';
import { groupBy } from '../../../group-by.js';
import { fromPods } from '../../../record/who-loads.js';
import { contenders, declaredOf, isOurs, systemsIn, versionOf } from '../../systems.js';
import { phrase, templateBeside } from '../../template.js';
import { questionOf } from '../../words.js';
import { firstLadder } from '../ladder/section.js';
import { faultTable, lossTable } from '../losses/answer.js';
import { backgroundTables } from '../time/background.js';
import { soakTables } from '../time/soak.js';
import { apartIn, asking, matrixTables, referenceOf, rowsOf } from './fit.js';
import { heroOf } from './hero.js';
import { isSmoke, smokeFields } from './smoke.js';
import { trustOf } from './trust.js';
import { wonBy } from './verdict.js';

/**
 * @import { Page } from '../../entries.js'
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../template.js'
 */

const write = templateBeside(import.meta.url);
const writeSmoke = templateBeside(import.meta.url, 'smoke.hbs');
const writeOthers = templateBeside(import.meta.url, 'more.hbs');

/** Sentences that stand before the table; what else there is to say is folded. */
const SENTENCES = 2;
/** Systems whose versions a line takes: the last chapter has all of them. */
const MOST_NAMED = 5;
/** Reasons for a system that a reader takes in. */
const REASONS = 2;

/**
 * What a person who has to choose reads first: where, who wins and by how much, one table, when to use which, how sure, and
 * how to measure it again; always in this order, and of the rows those that matter most.
 * @param {Page} run
 * @returns {Section[]}
 */
export function section(run) {
  const { plan } = run;
  const fields = fieldsOf(run);
  if (isSmoke(plan)) return [{ ...writeSmoke(plan, fields), pageTitle: phrase('smokeTitle', fields, plan) }];
  const { all: matrices, shown, rest, losses } = rowsOf(run);
  const isOfTurns = questionOf(plan) === 'background';
  // Manifests and other reports do not say what a fault or a background costs.
  const isOfCost = run.faults.length > 0 || isOfTurns;
  // What is asked of a load stands in the chapters of loads.
  const others = asking(isOfTurns ? matrices : rest, (q) => q.load === null);
  const ladder = isOfCost ? [] : firstLadder(run);
  // Times until a whole second was as before are too coarse to be divided in a picture.
  const hero = isOfCost || ladder.length > 0 ? null : heroOf(plan, matrices);
  // One tells what a background costs at length, and the table has the others' figures.
  const told = isOfTurns ? 1 : SENTENCES;
  const more = run.answers.slice(told);
  const reasons = chooseOf(plan, isOfCost ? [] : run.matrices);
  // What was measured decides; the rest has its chapter.
  const declared = reasons.decided.length > 0 ? reasons.declared : [];
  const folded = writeOthers(plan, { more, declared, tables: matrixTables(plan, others, matrices) });
  return [
    write(plan, {
      ...fields,
      answers: run.answers.slice(0, told),
      tables: tablesOf(run, shown, matrices),
      ...{ hero, ladder, losses: isOfTurns ? null : losses },
      apart: isOfCost ? [] : apartIn(shown),
      reference: isOfCost ? null : referenceOf(plan, matrices, shown),
      ...reasons,
      ...{ missing: plan.peers ?? [], addressed: fromPods(plan.options) },
    }),
    ...(more.length + others.length + declared.length > 0 ? [{ ...folded, title: 'More results' }] : []),
  ];
}

/** @param {Run} run @returns {any} what stands on every first screen, and what on that of a smoke test */
function fieldsOf(run) {
  return {
    ...{ ...placeOf(run), trust: trustOf(run), partial: partialOf(run), note: run.note ?? null },
    ...(isSmoke(run.plan) ? smokeFields(run) : {}),
  };
}

/**
 * @param {Run} run
 * @returns {import('../../table.js').Table[]} what a terminal shows at the end of a run: the tables of the first screen, where
 *   no page ends after the first rows
 */
export function firstTables(run) {
  if (isSmoke(run.plan)) return writeSmoke(run.plan, fieldsOf(run)).tables;
  const { shown, all } = rowsOf(run, Number.POSITIVE_INFINITY);
  return tablesOf(run, shown, all);
}

/**
 * @param {Run} run
 * @param {Matrix[]} shown
 * @param {Matrix[]} all
 * @returns {import('../../table.js').Table[]} what answers: over time, at rest and busy, after a fault, after a kill, else by what is asked of systems
 */
function tablesOf(run, shown, all) {
  if (run.asksOfTime) return soakTables(run.soaks, 'first');
  if (questionOf(run.plan) === 'background') return backgroundTables(run.plan, run.backgrounds, 'first');
  if (run.faults.length > 0) return faultTable(run).tables;
  const tables = matrixTables(run.plan, shown, all);
  return tables.length === 0 && run.kills.length > 0 ? lossTable(run).tables : tables;
}

/**
 * @param {Run} run
 * @returns {{partial: {finished: number, planned: number, resume: string} | null}['partial']} how much of a run that was
 *   broken off is there
 */
function partialOf({ plan, measured }) {
  const planned = cellsOf(plan).filter((c) => c.role === 'system').length;
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  const resume = ['--resume', plan.runId, plan.options.again?.resume].filter(Boolean).join(' ');
  return finished >= planned ? null : { finished, planned, resume };
}

/**
 * @param {Run} run
 * @returns {{conditions: string, command: string, howLong: Plan}} where it was measured, what, and how to measure it again
 */
export function placeOf(run) {
  const { plan, environment } = run;
  const [systems, able] = [systemsIn(plan), contenders(plan)];
  const chosen = systems.filter((s) => able.includes(s.id));
  const ofProducts = groupBy(chosen, (s) => s.id.split('@')[0]);
  const { host, cluster = null } = environment;
  const own = plan.workloads.map((w) => w.id);
  const isPart = plan.profile.workloads?.some((id) => !own.includes(id));
  const shown = {
    ...{ plan, day: plan.runId.slice(0, 10), host, cluster, count: systems.length },
    products: ofProducts.map(([s]) => ({ builtAs: null, ...s, version: versionOf(run, s.id) })),
    os: host.os.replace(' GNU/Linux', '').replace(/ \([^)]*\)$/, ''),
    gib: Math.round(host.memoryBytes / 2 ** 30),
    // Without its marks, its clock and what every one of them is.
    processor: host.cpuModel.replace(/ @ .*$|\((?:R|TM)\)| Processor| CPU(?= )/g, ''),
    addressed: systems.filter((s) => s.engine === 'external').length,
    ours: systems.length - chosen.length,
    many: groupBy(systems, (s) => s.id.split('@')[0]).length > MOST_NAMED,
    allOurs: systems.length > 0 && systems.every((s) => isOurs(plan, s.id)),
  };
  return {
    conditions: phrase('conditionsText', shown, plan),
    command: phrase('commandText', { plan, ids: systems.map((s) => s.id), some: isPart ? own : [] }),
    howLong: { ...plan, estimatedSec: Math.max(60, Math.round(plan.estimatedSec / 60) * 60) },
  };
}

/**
 * When to use which: from what was decided, each with its figure, then what the manifests say and nobody measured.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {{choose: boolean, decided: object[], declared: object[]}} of each system its reasons
 */
function chooseOf(plan, matrices) {
  const compared = matrices.filter(({ systems }) => systems.length > 1);
  const ids = [...new Set(compared.flatMap(({ systems }) => systems))];
  const all = ids.map((system) => {
    const wins = compared.flatMap(({ questions }) => wonBy(questions, system));
    const kinds = groupBy(wins, ({ dimension }) => (dimension === 'efficiency' ? 'cpu' : dimension));
    const won = kinds.slice(0, REASONS).map((own) => ({ ...own[0], count: own.length }));
    return { system, won, fits: declaredOf(plan, system).fits };
  });
  const decided = all.filter(({ won }) => won.length > 0);
  const declared = all.filter(({ fits }) => fits.length > 0);
  return { choose: decided.length + declared.length > 0, decided, declared };
}
