import { duration } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { clusterText } from '../../cluster-text.js';
import { declaredOf } from '../../declared.js';
import { whereText } from '../../matrix/labels.js';
import { sentenceBeside, templateBeside } from '../../template.js';
import { versionOf } from '../../versions.js';
import { howLongText } from '../../words.js';
import { lossTable } from '../losses/answer.js';
import { soakTables } from '../time/soak.js';
import { commandOf } from './command.js';
import { firstRows, matrixTables, ofProducts } from './fit.js';
import { heroOf } from './hero.js';
import { neverMeasured } from './others.js';
import { isSmoke, smokeFields } from './smoke.js';
import { trustOf } from './trust.js';
import { wonBy } from './verdict.js';

/**
 * @import { Matrix } from '../../matrix/index.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../template.js'
 */

const write = templateBeside(import.meta.url);
const writeSmoke = templateBeside(import.meta.url, 'smoke.hbs');
const writeOthers = templateBeside(import.meta.url, 'more.hbs');
const smokeTitle = sentenceBeside(import.meta.url, 'smoke-title.hbs');
const conditions = sentenceBeside(import.meta.url, 'conditions.hbs');

/** Sentences that stand before the table; what else there is to say is folded. */
const SENTENCES = 2;
/** Of losses and faults each system has its own. */
const MOST_FATES = 3;
/** Systems whose versions a line takes: the last chapter has all of them. */
const MOST_NAMED = 5;
/** Reasons for a system that a reader takes in. */
const REASONS = 3;

/**
 * What a person who has to choose reads first: where, who wins and by how much, one table, when to use which, how sure, and
 * how to measure it again; always in this order, and of the rows those that matter most.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section(run) {
  const { plan } = run;
  const common = { ...placeOf(run), trust: trustOf(run), partial: partialOf(run) };
  if (isSmoke(plan)) {
    const fields = { ...common, ...smokeFields(run) };
    return [{ ...writeSmoke(plan, fields), pageTitle: smokeTitle(plan, fields) }];
  }
  const matrices = run.matrices.map(ofProducts);
  const { shown, rest } = firstRows(matrices);
  // What is asked of a load stands in the chapters of loads.
  const others = rest
    .map((m) => ({ ...m, questions: m.questions.filter((q) => q.load === null) }))
    .filter(({ questions }) => questions.length > 0);
  // Times until a whole second was as before are too coarse to be divided in a picture.
  const hero = run.faults.length > 0 ? null : heroOf(plan, matrices);
  const tables = run.asksOfTime ? soakTables(run.soaks) : matrixTables(plan, shown, matrices);
  const losses = tables.length === 0 && run.kills.length > 0 ? lossTable(run).tables : [];
  const most = run.kills.length + run.faults.length + run.soaks.length > 0 ? MOST_FATES : SENTENCES;
  const more = run.answers.slice(most);
  return [
    write(plan, {
      ...{ ...common, answers: run.answers.slice(0, most), tables: [...tables, ...losses], hero },
      // What manifests say of a use is no answer to what a fault costs.
      choose: run.faults.length > 0 ? [] : chooseOf(plan, run.matrices),
      missing: neverMeasured(plan),
    }),
    ...(more.length + others.length > 0
      ? [
          {
            ...writeOthers(plan, { more, tables: matrixTables(plan, others, matrices) }),
            title: 'More results',
          },
        ]
      : []),
  ];
}

/**
 * @param {Run} run
 * @returns {{partial: {finished: number, planned: number, resume: string} | null}['partial']} how much of a run that was
 *   broken off is there
 */
function partialOf({ plan, measured }) {
  const planned = plan.blocks.filter((b) => b.role === 'system').reduce((n, b) => n + b.cells.length, 0);
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  const resume = ['--resume', plan.runId, plan.options.again?.resume].filter(Boolean).join(' ');
  return finished >= planned ? null : { finished, planned, resume };
}

/**
 * @param {Run} run
 * @returns {{conditions: string, command: string, howLong: string}} where it was measured, what, and how to measure it again
 */
export function placeOf(run) {
  const { plan, environment } = run;
  const systems = plan.systems.filter((s) => s.role === 'system');
  const products = groupBy(systems, (s) => s.id.split('@')[0]).map(([s]) => ({
    ...{ title: s.title, version: versionOf(run, s.id) ?? versionIn(s.provenance) },
    // What the user said of a program that is no build of the vendor's.
    note: /named by \w+ (\([^)]*\))/.exec(s.provenance)?.[1] ?? null,
  }));
  const ours = systems.filter((s) => s.origin === 'reference').map((s) => s.title);
  return {
    conditions: conditions(plan, {
      ...{ plan, day: plan.runId.slice(0, 10), products, host: environment.host },
      cluster: environment.cluster ? clusterText(environment.cluster) : null,
      os: environment.host.os.replace(' GNU/Linux', '').replace(/ \([^)]*\)$/, ''),
      gib: Math.round(environment.host.memoryBytes / 2 ** 30),
      addressed: systems.filter((s) => s.engine === 'external').length,
      count: systems.length,
      ours: ours.length < systems.length ? ours : [],
      many: systems.length > MOST_NAMED,
      allOurs: ours.length === systems.length && ours.length > 0,
    }),
    command: commandOf(plan, systems.map((s) => s.id).join(',')),
    howLong: howLongText(plan, (seconds) => duration(Math.max(60, Math.round(seconds / 60) * 60))),
  };
}

/** @param {string} provenance `Debian package some-server 5:7.0.15-1` */
function versionIn(provenance) {
  return /(?:\d+:)?(\d+\.\d+(?:\.\d+)*)/.exec(provenance)?.[1] ?? null;
}

/**
 * When to use which: from what was decided, each with its figure, then what the manifests say and nobody measured.
 * @param {Plan} plan
 * @param {Matrix[]} matrices
 * @returns {object[]} of each system its reasons
 */
function chooseOf(plan, matrices) {
  const compared = matrices.filter(({ systems }) => systems.length > 1);
  const ids = [...new Set(compared.flatMap(({ systems }) => systems))];
  return ids.flatMap((system) => {
    const seen = new Set();
    const won = compared.flatMap(({ questions }) => {
      return wonBy(questions, system)
        .filter(({ question: { dimension } }) => {
          const kind = dimension === 'per CPU' ? 'CPU' : dimension;
          return !seen.has(kind) && seen.add(kind);
        })
        .map(({ question, lead }) => ({
          ...{ dimension: question.dimension, where: whereText(question), beaten: lead.beaten, count: 1 },
          ...{ atLeast: lead.outcome === 'at least', ratio: lead.ratio },
          factor: Number(lead.outcome === 'at least' ? lead.ratio?.low : lead.ratio?.estimate),
        }));
    });
    const { fits } = declaredOf(plan, system);
    return won.length + fits.length > 0 ? [{ system, won: won.slice(0, REASONS), fits }] : [];
  });
}
