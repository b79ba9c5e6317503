import { durabilityOf } from '../../../config/durability.js';
import { figureText, perSecond, significant, wholeNumber } from '../../../format.js';
import { reasonText } from '../../../record/lead.js';
import { aloneRow, comparedOf } from '../../../record/side-by-side.js';
import { matrixTable } from '../../matrix/index.js';
import { loadText, pairedQuestions, titleOfGroup } from '../../matrix/side-by-side.js';
import { times, timesText } from '../../matrix/times.js';
import { left, right, table } from '../../table.js';
import { apartText, listed, titleOf, workloadTitleOf } from '../../words.js';

/**
 * @import { Plan, SideBySideComparison, SideBySideCell } from '../../../types.d.ts'
 * @import { Row } from '../../../record/figures.js'
 * @import { SideBySideSummary } from '../../../record/side-by-side.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** Who set an absolute figure, in the words of a table. */
const SET_BY = Object.freeze({
  system: 'its thread was full',
  waits: 'nobody was full: it waits',
  elsewhere: 'not the client; its threads were not seen',
  generator: 'the client may have set it',
  unattributed: 'nobody can tell',
});

/** Why a run names nobody. */
const WHY_NOBODY = Object.freeze({
  held: '',
  ahead: 'in this run a system came out ahead of itself: the machine did not treat both sides alike',
  untested: 'too few slices of one system against itself counted to know how far this run can be trusted',
});

/**
 * Systems that were loaded at the same moment: who is ahead per CPU-second, and what each does alone.
 * @param {Run} run
 * @returns {Section[]}
 */
export function section({ plan, sideBySide }) {
  return sideBySide.filter(({ starts }) => starts > 0).map((summary) => sectionOf(plan, summary));
}

/**
 * For the page: the loads that its first screen has no room for, and what each system does alone.
 * @param {Run} run
 * @returns {Section[]}
 */
export function pageSection({ plan, sideBySide }) {
  return sideBySide
    .filter(({ starts }) => starts > 0)
    .map((summary) => {
      const { group, alone } = summary;
      const shown = new Set(pairedQuestions(plan, summary).map((q) => q.where));
      const others = pairedQuestions(plan, summary, true).filter((q) => !shown.has(q.where));
      const title = titleOfGroup(plan, sideBySide, group);
      return {
        parts: [
          others.length > 0
            ? {
                title: `${title}: the other operations, per CPU-second`,
                tables: [matrixTable(plan, { systems: group.systems, questions: others })],
              }
            : null,
          alone.length > 0
            ? {
                title: `${title}: each system alone on its core`,
                intro: [
                  'Operations per second · p50 · p99 in ms. `≥`: the client may have set the figure, so the system does at least that. Who set each figure is in [the details](details.md).',
                ],
                tables: [aloneTable(plan, summary, false)],
              }
            : null,
        ],
      };
    });
}

/**
 * @param {SideBySideSummary[]} summaries
 * @returns {string[]} Markdown: why systems that were to be compared are not
 */
export function refusedAnswers(summaries) {
  return summaries.flatMap(({ group, starts, failures, comparisons, trust, trusted }) => {
    if (starts === 0) return [`**${group.workload}: no start was measured**: ${failures.join('; ')}.`];
    const named = comparisons.some((c) => c.verdict.winner !== null);
    return trust === 'ahead' || (!trusted && named)
      ? [`**${group.workload}: nobody is named**, because ${WHY_NOBODY[trust]}.`]
      : [];
  });
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary[]} summaries
 * @returns {string[]} Markdown: systems that have no answer, because they have no rival
 */
export function rivallessAnswers(plan, summaries) {
  const done = summaries.filter(({ starts }) => starts > 0);
  return [...new Set(done.flatMap((s) => rivallessText(plan, s)))].map((text) => `${text}.`);
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {Section}
 */
function sectionOf(plan, summary) {
  const { group, starts, alone } = summary;
  const [first, ...others] = comparedOf(summary.group);
  const slotMs = group.cells.find((c) => c.slotMs)?.slotMs;
  const inTurns = slotMs
    ? ` With one operation under way they take turns of ${slotMs} ms: of two that are woken at the same moment one may pay for both.`
    : '';
  return {
    title: `${workloadTitleOf(plan, group.workload)} over ${group.transport}: side by side`,
    intro: [
      `Two systems are loaded at the same moment, both on one CPU, the load on the others; the figure is operations per CPU-second, over ${starts} ${starts === 1 ? 'start' : 'starts'} on fresh data. *Ahead*: the whole interval lies beyond ±5 %; *tie*: inside; *open*: neither.${inTurns}`,
      trustText(plan, summary),
    ],
    tables: [
      ...(first ? [againstTable(plan, summary, first, others), ...othersTable(plan, summary)] : []),
      ...(alone.length > 0 ? [aloneTable(plan, summary, true)] : []),
    ],
    notes: [
      ...rivallessText(plan, summary),
      ...summary.failures.map((reason) => `A start failed: ${reason}.`),
      ...summary.spinning.map(
        (id) =>
          `${titleOf(plan, id)} takes CPU without any load, so nobody can tell what an operation costs it: it is compared by throughput alone.`,
      ),
      ...summary.state.wrong.map(
        ({ system, start, detail }) =>
          `${titleOf(plan, system)}, start ${start}: ${detail}; that start counts for none of its comparisons.`,
      ),
    ],
  };
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {string} first
 * @param {string[]} others
 */
function againstTable(plan, summary, first, others) {
  return table(summary.group.cells, [
    left('load', (cell) => loadText(cell)),
    right(`${titleOf(plan, first)}, operations per CPU-second`, (cell) => baseText(summary, cell, first)),
    ...others.map((id) =>
      right(`${titleOf(plan, id)}, against it`, (/** @type {SideBySideCell} */ cell) =>
        againstText(plan, summary, cell, first, id),
      ),
    ),
    left('ahead', (cell) => winnersText(plan, summary, cell)),
  ]);
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {string} what the run says of itself: one system against itself, what shared the machine, what was stored
 */
function trustText(plan, { group, same, state, host, trusted }) {
  const seen = same.filter((c) => c.verdict.ratio !== null);
  const worst = [...seen].sort(
    (x, y) => Number(y.verdict.ratio?.estimate) - Number(x.verdict.ratio?.estimate),
  )[0];
  const self = worst
    ? `${titleOf(plan, group.twinOf)} against itself: at most ${ratioText(worst)}${trusted ? '' : ', so nothing here is ranked'}`
    : 'no system was compared with itself';
  const busy =
    host.foreignCores === null
      ? ''
      : ` · ${host.foreignCores.toFixed(1)} cores of other work on the machine, steal ${Math.round(host.stealShare * 100)} %`;
  const stored =
    state.wrong.length > 0
      ? ` · ${state.wrong.length} checks of the state failed`
      : state.acked > 0
        ? ` · ${wholeNumber(state.acked)} writes acknowledged, all found again`
        : '';
  return `**Trust**: ${self}${busy}${stored}. A ratio is good to about 10 % across conditions, whatever its interval says.`;
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @returns {string[]} who is compared with nobody, and why
 */
function rivallessText(plan, summary) {
  const compared = comparedOf(summary.group);
  const names = summary.group.systems.filter((id) => !compared.includes(id)).map((id) => titleOf(plan, id));
  if (names.length === 0) return [];
  if (compared.length === 0)
    return [
      `**${listed(names)}** are not compared over ${summary.group.transport}: ${promisesText(plan, summary)} (what each does alone is below)`,
    ];
  const [is, it] = names.length === 1 ? ['is', 'it promises'] : ['are', 'they promise'];
  return [
    `**${listed(names)}** ${is} compared with nobody: ${it} something else of an acknowledged write than the others (what each does alone is below)`,
  ];
}

/** How the meaning of a durability begins, up to its details. */
const ACKNOWLEDGED = /^an acknowledged write is ([^;(]*[^;( ])/;

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary of systems that are no rivals
 * @returns {string} what each promises, as far as it says so in like words
 */
function promisesText({ systems }, { group, versions }) {
  const promises = group.systems.map((id) => {
    const system = systems.find((s) => s.id === id);
    const facts = { version: versions[id] ?? null, transport: group.transport };
    const means = system && ACKNOWLEDGED.exec(durabilityOf(system, facts).meaning);
    return means ? `what ${system.title} acknowledges is ${means[1]}` : null;
  });
  return promises.includes(null)
    ? 'they promise unlike things of an acknowledged write'
    : promises.join(', ');
}

/**
 * @param {SideBySideSummary} summary
 * @param {SideBySideCell} cell
 * @param {string} first
 */
function baseText({ comparisons }, { id }, first) {
  const own = comparisons.find((c) => c.cell === id && c.a === first);
  return own ? perSecond(own.operationsPerCpuSec.a) : '–';
}

/**
 * @param {SideBySideSummary} summary
 * @param {string} cell
 * @param {string} a
 * @param {string} b
 */
function comparisonOf({ comparisons }, cell, a, b) {
  return comparisons.find((c) => c.cell === cell && c.a === a && c.b === b);
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {SideBySideCell} cell
 * @param {string} first
 * @param {string} id
 * @returns {string} the ratio of the better one, and whose it is
 */
function againstText(plan, summary, { id: cell }, first, id) {
  const own = comparisonOf(summary, cell, first, id);
  if (!own) return '– unlike promises';
  const { verdict, winner } = own.verdict;
  const text = ratioText(own);
  if (verdict !== 'ahead') return text;
  return winner === 'b' ? `${text} ahead` : `${titleOf(plan, first)} ${text} ahead`;
}

/** @param {SideBySideComparison} comparison */
function ratioText({ verdict: { verdict, ratio }, problems }) {
  if (ratio === null)
    return `– ${Object.keys(problems)
      .map((p) => p.replaceAll('_', ' '))
      .join(', ')}`;
  if (ratio.low === null) return `${times(ratio.estimate)} (trend)`;
  const interval = timesText(ratio);
  if (verdict === 'open') return `${interval}, open: ${apartText(ratio)}`;
  return verdict === 'tie' ? `${interval}, tie` : interval;
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {SideBySideCell} cell
 * @returns {string} the system that is ahead of all others, of some, or of none
 */
function winnersText(plan, { comparisons, group, trusted }, { id }) {
  if (!trusted) return 'not ranked';
  const own = comparisons.filter((c) => c.cell === id && c.kind === 'rivals');
  const beaten = (/** @type {string} */ system) =>
    own.flatMap((c) => {
      const winner = c.verdict.winner === 'a' ? c.a : c.verdict.winner === 'b' ? c.b : null;
      return winner === system ? [winner === c.a ? c.b : c.a] : [];
    });
  const best = [...group.systems].sort((x, y) => beaten(y).length - beaten(x).length)[0];
  const others = beaten(best);
  if (others.length === 0)
    return own.every((c) => c.verdict.verdict === 'tie') && own.length > 0 ? 'a tie' : '–';
  const all = own.filter((c) => c.a === best || c.b === best).length === others.length;
  return `${titleOf(plan, best)}${all ? '' : ` (of ${others.map((o) => titleOf(plan, o)).join(', ')})`}`;
}

/**
 * Pairs without the first system.
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 */
function othersTable(plan, summary) {
  const { group, comparisons } = summary;
  const [first] = comparedOf(summary.group);
  const own = comparisons.filter((c) => c.a !== first && c.b !== first);
  if (own.length === 0) return [];
  return [
    table(own, [
      left('load', (c) => loadText(/** @type {SideBySideCell} */ (group.cells.find((x) => x.id === c.cell)))),
      left('systems', (c) => `${titleOf(plan, c.a)} and ${titleOf(plan, c.b)}`),
      right('ratio of the better one', (c) => ratioText(c)),
      left('ahead', (c) => (c.verdict.winner ? titleOf(plan, c.verdict.winner === 'a' ? c.a : c.b) : '–')),
    ]),
  ];
}

/**
 * @param {Plan} plan
 * @param {SideBySideSummary} summary
 * @param {boolean} withWho whether to say who set each figure
 */
function aloneTable(plan, summary, withWho) {
  const { group } = summary;
  return table(
    group.cells,
    [
      left('load', (cell) => loadText(cell)),
      ...group.systems.map((id) =>
        right(titleOf(plan, id), (/** @type {SideBySideCell} */ cell) =>
          aloneText(aloneRow(summary, cell, id)),
        ),
      ),
      ...(withWho
        ? [
            left('who set the figures', (/** @type {SideBySideCell} */ cell) =>
              setByText(
                plan,
                group.systems.flatMap((id) => aloneRow(summary, cell, id) ?? []),
              ),
            ),
          ]
        : []),
    ],
    withWho
      ? 'Each system alone on its CPU: op/s · p50 · p99, ms. `≥`: the client may have set the figure, so it is a lower bound.'
      : undefined,
  );
}

/** @param {Row | undefined} row @returns {string} its figures, or why there are none, or why they are not ranked */
function aloneText(row) {
  if (!row) return '–';
  if (row.failure) return `n/a: ${row.failure}`;
  const { ratePerSec, serviceMs } = row;
  const text = [
    figureText(ratePerSec),
    ...[serviceMs.p50, serviceMs.p99].map((f) => significant(f?.median ?? null, 2)),
  ];
  return `${text.join(' · ')}${row.quotable ? '' : ` (${reasonText(row.why)})`}`;
}

/**
 * @param {Plan} plan
 * @param {Row[]} rows
 * @returns {string} once where it is the same for all
 */
function setByText(plan, rows) {
  const known = rows.flatMap((r) => (r.setBy ? [{ system: r.system, text: SET_BY[r.setBy.who] }] : []));
  const words = [...new Set(known.map((k) => k.text))];
  if (words.length <= 1) return words[0] ?? '–';
  return known.map((k) => `${titleOf(plan, k.system)}: ${k.text}`).join('; ');
}
