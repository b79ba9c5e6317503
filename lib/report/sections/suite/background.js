import {
  figureText,
  MISSING,
  percent,
  ratioWithInterval,
  significant,
  wholeNumber,
} from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { geometricMeanOf, poolOf } from '../../../record/figure.js';
import { isChanged, ratioOf } from '../../../record/ratio.js';
import { isBusy } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { titleOf, undecidedWords, workloadTitleOf } from '../../words.js';
import { DOUBTFUL, markedText, ownRatioText } from './words.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Background } from '../../../record/step-figures.js'
 * @import { Ratio } from '../../../record/ratio.js'
 * @import { Plan } from '../../../types.d.ts'
 * @import { Section } from '../../view.js'
 * @import { Suite } from './section.js'
 */

/** @typedef {Pick<Suite, 'plan' | 'workloads' | 'wholes'>} Measured */

/**
 * @typedef {object} Effect of a background load on one figure
 * @property {string} metric
 * @property {Figure | null} idle
 * @property {Figure | null} busy
 * @property {Ratio | null} ratio busy / idle
 * @property {Ratio | null} rest at rest, after what ran beside it and before; null where it was at rest only once
 */

/**
 * @param {Suite} suite
 * @returns {Section | null} null where no step had a background load
 */
export function backgroundPart(suite) {
  const groups = busyGroups(suite);
  if (groups.length === 0) return null;
  const effects = groups.flatMap((busy) => effectsOf(suite, busy).map((effect) => ({ busy, effect })));
  return {
    title: `With and without: ${backgroundOf(groups[0]).title}`,
    intro: [
      "The same load twice, in turns and in one bring-up: with the background load and at rest. A repeat's figure is the geometric mean of its steps; ratios are busy to idle, repeat by repeat. What is still changed at rest afterwards is not the work beside it but what that has left, such as rows.",
    ],
    tables: [
      table(effects, [
        left('workload', ({ busy }) => workloadTitleOf(suite, busy[0].workload)),
        left('system', ({ busy: [row] }) => titleOf(suite.plan, row.system)),
        left('metric', ({ effect }) => effect.metric),
        right('idle', ({ effect }) => middleText(effect, 'idle')),
        right('busy', ({ effect }) => middleText(effect, 'busy')),
        right('busy / idle (95 % CI)', ({ effect }) => ownRatioText(effect.ratio)),
        right('at rest, after / before', ({ effect }) => ownRatioText(effect.rest)),
        left('finding', ({ effect }) => findingOf(effect)),
      ]),
    ],
    parts: [
      {
        intro: [
          'How long a change takes to arrive, in ms from its commit to the acknowledgement of the API; how many were under way at most, and how long after the last one until all had arrived.',
        ],
        tables: [
          table(groups, [
            left('workload', (busy) => workloadTitleOf(suite, busy[0].workload)),
            left('system', ([row]) => titleOf(suite.plan, row.system)),
            right('changes a second', (busy) => wholeNumber(backgroundOf(busy).targetPerSec)),
            right('achieved', (busy) =>
              figureText(
                arrivalOf(busy, (b) => b.achievedRatio),
                percent,
              ),
            ),
            right('p50', (busy) => markedText(arrivalOf(busy, (b) => b.latencyMs.p50))),
            right('p99', (busy) => markedText(arrivalOf(busy, (b) => b.latencyMs.p99))),
            right('max', (busy) => markedText(arrivalOf(busy, (b) => b.latencyMs.max))),
            right('most under way', (busy) => markedText(arrivalOf(busy, (b) => b.mostLag))),
            right('drained after, ms', (busy) => markedText(arrivalOf(busy, (b) => b.drainMs))),
          ]),
        ],
      },
    ],
  };
}

/**
 * One sentence for each system and workload: what the background load did to it, and how soon a change arrives.
 * @param {Plan} plan
 * @param {Row[]} wholes
 * @returns {string[]}
 */
export function backgroundAnswers(plan, wholes) {
  const suite = { plan, workloads: plan.workloads, wholes };
  return busyGroups(suite).map((busy) => {
    const { title, targetPerSec } = backgroundOf(busy);
    const effects = effectsOf(suite, busy).filter((e) => ['p95, ms', 'op/s'].includes(e.metric));
    const figures = effects.flatMap((e) =>
      e.ratio ? [`${e.metric.replace(', ms', '')} ${ratioWithInterval(e.ratio)} times that at rest`] : [],
    );
    const left = effects.find((e) => e.metric === 'op/s' && e.rest && isChanged(e.rest))?.rest;
    const [p50, p99] = [arrivalOf(busy, (b) => b.latencyMs.p50), arrivalOf(busy, (b) => b.latencyMs.p99)];
    return (
      `**${titleOf(suite.plan, busy[0].system)}, ${workloadTitleOf(suite, busy[0].workload)}: ${costText(effects)}** with ${wholeNumber(targetPerSec)} ${title} a second beside it${figures.length > 0 ? ` (${figures.join('; ')})` : ''}. ` +
      (left
        ? `At rest afterwards it has ${ratioWithInterval(left)} times the op/s of before: part of that is what the changes have left. `
        : '') +
      `A change takes ${figureText(p50)} ms to arrive, ${figureText(p99)} ms at p99.`
    );
  });
}

/**
 * @param {Effect[]} effects
 * @returns {string} whether any interval leaves out that nothing changed
 */
function costText(effects) {
  const ratios = effects.flatMap((e) => e.ratio ?? []);
  if (ratios.length === 0) return 'no figure of what it costs';
  const few = ratios.some((r) => r.pairs < MIN_REPEATS) ? 'a trend only: ' : '';
  return ratios.some(isChanged) ? `${few}a cost that can be seen` : `${few}no cost that can be seen`;
}

/**
 * @param {Measured} suite
 * @returns {Row[][]} steps with a background load, of one system and workload each
 */
function busyGroups({ wholes }) {
  return groupBy(
    wholes.filter((w) => isBusy(w.step) && w.background),
    (w) => `${w.workload}\n${w.system}`,
  );
}

/** @param {Row[]} busy */
function backgroundOf(busy) {
  return /** @type {Background} */ (busy[0].background);
}

/**
 * @param {Measured} suite
 * @param {Row[]} busy steps of one system and workload
 * @returns {{idle: Row[], busy: Row[]}} the n-th busy step and the n-th idle one of as many users
 */
function twinsOf(suite, busy) {
  const byId = (/** @type {Row} */ a, /** @type {Row} */ b) => a.step.id.localeCompare(b.step.id);
  const twins = groupBy(busy, (w) => String(w.step.vus)).flatMap((own) => {
    const [{ workload, system, step }] = own;
    const idle = suite.wholes
      .filter((w) => w.workload === workload && w.system === system)
      .filter((w) => !isBusy(w.step) && w.step.vus === step.vus && w.usable > 0)
      .sort(byId);
    const usable = own.filter((w) => w.usable > 0).sort(byId);
    return usable.flatMap((one, i) => (idle[i] ? [{ idle: idle[i], busy: one }] : []));
  });
  return { idle: twins.map((t) => t.idle), busy: twins.map((t) => t.busy) };
}

/**
 * Steps of one repeat share a bring-up, so together they are one observation. In the order idle, busy, busy, idle their
 * geometric means have the drift of the bring-up (a runtime that still warms up) in both.
 * @param {Measured} suite
 * @param {Row[]} own steps of one system and workload with a background load
 * @returns {Effect[]} one for each percentile, and one for throughput
 */
function effectsOf(suite, own) {
  const twins = twinsOf(suite, own);
  return /** @type {[string, (row: Row) => Figure | null][]} */ ([
    ['p50, ms', (w) => w.serviceMs.p50],
    ['p95, ms', (w) => w.serviceMs.p95],
    ['p99, ms', (w) => w.serviceMs.p99],
    ['op/s', (w) => w.ratePerSec],
  ]).map(([metric, read]) => {
    const [idle, busy] = [twins.idle, twins.busy].map((rows) => geometricMeanOf(rows.map(read)));
    const [first, last] = [twins.idle[0], twins.idle.at(-1)];
    const rest = first && last && first !== last ? ratioOf(read(last), read(first)) : null;
    return { metric, idle, busy, ratio: ratioOf(busy, idle), rest };
  });
}

/**
 * @param {Effect} effect
 * @param {'idle' | 'busy'} side
 */
function middleText({ ratio, ...effect }, side) {
  if (!ratio) return MISSING;
  return `${significant(effect[side]?.median)}${ratio.rankable ? '' : DOUBTFUL}`;
}

/** @param {Effect} effect */
function findingOf({ ratio }) {
  if (!ratio) return MISSING;
  const words = {
    ...undecidedWords(ratio),
    winner: ratio.better === 'a' ? 'higher while busy' : 'lower while busy',
  };
  return words[ratio.outcome];
}

/**
 * @param {Row[]} busy steps of one system and workload
 * @param {(background: Background) => Figure | null} read
 * @returns {Figure | null} of all its steps and repeats
 */
function arrivalOf(busy, read) {
  return poolOf(busy.map(({ background }) => background && read(background)));
}
