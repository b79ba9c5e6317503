import { MISSING } from '../../format.js';
import { EQUIVALENCE, MIN_REPEATS } from '../../judge/method.js';
import { apartText, listed, titleOf } from '../words.js';
import { times, timesText } from './times.js';

/**
 * @import { Lead, LeadRatio } from '../../record/lead.js'
 * @import { Plan } from '../../types.d.ts'
 * @import { Dimension, Question } from './questions.js'
 */

/**
 * A lead in words, after how many times: `1.84× the throughput`.
 * @type {Readonly<Record<Dimension, string>>}
 */
export const WORDS = Object.freeze({
  'per CPU': 'the CPU efficiency',
  throughput: 'the throughput',
  latency: 'lower latency',
  CPU: 'less CPU per operation',
  memory: 'less memory',
  'start-up': 'faster start-up',
  size: 'smaller on disk',
  failures: 'fewer failures',
  recovery: 'faster recovery',
});

/**
 * Who is ahead of some is not ahead of all: systems under other promises are no rivals of it.
 * @param {Plan} plan
 * @param {readonly string[]} beaten
 * @param {number} field systems that have a figure
 * @returns {string | null} whom the winner leads, joined by "and"; null where that is everybody else
 */
export function beatenText(plan, beaten, field) {
  if (beaten.length === 0 || beaten.length >= field - 1) return null;
  return listed(beaten.map((id) => titleOf(plan, id)));
}

/** @param {Pick<Question, 'values'>} question @returns {number} systems that have a figure */
export function fieldOf({ values }) {
  return [...values.values()].filter((text) => text !== MISSING).length;
}

/**
 * @param {Pick<Question, 'unlike'>} question without leads
 * @returns {string} why nobody is ahead where nothing was compared
 */
export function unlikeText({ unlike = [] }) {
  const promise = unlike.find((difference) => difference.startsWith('durability '));
  const found = promise ?? unlike[0];
  if (found === undefined) return MISSING;
  if (found === 'durability unknown')
    return 'not comparable: what an acknowledgement means is not known of all';
  const [key, ...values] = found.split(' ');
  const name = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `not comparable: different ${name} (${values.join(' ').replace(' ≠ ', ', ')})`;
}

/**
 * @param {Plan} plan
 * @param {Lead} lead
 * @param {number} [field] systems that have a figure
 * @returns {string} Markdown: who leads, or why nobody does
 */
export function leadText(plan, lead, field = lead.systems.length) {
  const { outcome, ratio, winner, beaten } = lead;
  const name = winner === null ? '' : titleOf(plan, winner);
  const whom = namesWinner(lead) ? beatenText(plan, beaten, field) : null;
  const over = whom ? ` over ${whom}` : '';
  switch (outcome) {
    case 'winner':
      return `✅ **${name}** ${ratio ? timesText(ratio) : ''}${over}`;
    case 'at least':
      return `✅ **${name}** at least ${times(ratio?.low ?? 1)}${over}`;
    case 'tie':
      return '➖ tie (within ±5 %)';
    case 'inconclusive':
      return `❔ inconclusive (${ratio ? apartText(ratio) : 'no interval'})`;
    case 'too few':
      return `❔ too few repeats (${ratio?.pairs ?? 0} of ${MIN_REPEATS}): ${trendText(name, ratio)}${over}`;
    default:
      return `not comparable: ${lead.why}`;
  }
}

/**
 * @param {string} name
 * @param {LeadRatio | null} ratio
 * @returns {string} `Alpha 1.84×`; who is no further ahead than a tie would be is not named
 */
function trendText(name, ratio) {
  if (!ratio) return name;
  return ratio.estimate > 1 + EQUIVALENCE
    ? `${name} ${times(ratio.estimate)}`
    : `within ±${EQUIVALENCE * 100} %`;
}

/**
 * @param {Plan} plan
 * @param {readonly Lead[]} leads
 * @param {number} [field] systems that have a figure
 * @returns {string} Markdown for the last column
 */
export function leadsText(plan, leads, field = leads.reduce((n, lead) => n + lead.systems.length, 0)) {
  if (leads.length === 0) return '–';
  // Where nobody is ranked the reasons are enough.
  if (leads.every(({ outcome }) => outcome === 'not comparable'))
    return `not comparable: ${[...new Set(leads.map(({ why }) => why))].join('; ')}`;
  return leads
    .flatMap((lead) => {
      const text = leadText(plan, lead, field);
      const unranked = (lead.unranked ?? []).map(
        ({ system, why }) => `${titleOf(plan, system)} not comparable: ${why}`,
      );
      // One comparison of all who have a figure needs no names; systems under unlike promises are several.
      const isOfAll = leads.length === 1 && lead.systems.length >= field;
      return [isOfAll || namesWinner(lead) ? text : shortened(text, groupText(plan, lead)), ...unranked];
    })
    .join('; ');
}

/** @param {Lead} lead @returns {boolean} whether its text names who leads */
function namesWinner({ winner, outcome, ratio }) {
  return winner !== null && !(outcome === 'too few' && ratio !== null && ratio.estimate <= 1 + EQUIVALENCE);
}

/** @param {Plan} plan @param {Lead} lead */
function groupText(plan, { systems }) {
  return togetherText(systems.map((id) => titleOf(plan, id)));
}

/**
 * @param {string} text of a lead
 * @param {string} names of those whom it is about
 * @returns {string} how it reads with their names, its sign first
 */
function shortened(text, names) {
  const [, sign = '', words = ''] = /^([➖❔] )?(.*)$/u.exec(text) ?? [];
  return `${sign}${names}: ${words.replace(/^tie .*/, 'tie').replace(': ', ', ')}`;
}

/**
 * @param {string[]} titles of systems that are compared with each other
 * @returns {string} what all of them say of themselves in brackets, or their names
 */
export function togetherText(titles) {
  const [said, ...others] = new Set(titles.map((title) => title.match(/\(([^()]+)\)$/)?.[1]));
  return said && others.length === 0 && titles.length > 1 ? said : titles.join(' and ');
}

/**
 * @param {Plan} plan
 * @param {Question} question
 * @param {Lead} lead with a winner
 * @returns {string} `1.84× the throughput (set, 50 connections, against Alpha)`
 */
export function wonText(plan, question, { outcome, ratio, beaten }) {
  if (!ratio) return '';
  const { dimension, where } = question;
  const x = outcome === 'at least' ? `at least ${times(ratio.low ?? 1)}` : times(ratio.estimate);
  const whom = beatenText(plan, beaten, fieldOf(question));
  const said = [...(where ? [where] : []), ...(whom ? [`against ${whom}`] : [])];
  return `${x} ${WORDS[dimension]}${said.length > 0 ? ` (${said.join(', ')})` : ''}`;
}

/**
 * @param {Lead[]} leads with winners
 * @returns {string} `1.12× to 2.1×`; where one of them is a bound, `at least` the least
 */
export function spanText(leads) {
  const atLeast = leads.some(({ outcome }) => outcome === 'at least');
  const all = leads.map(({ outcome, ratio }) =>
    Number(outcome === 'at least' ? (ratio?.low ?? 1) : ratio?.estimate),
  );
  const [least, most] = [Math.min(...all), Math.max(...all)].map(times);
  if (atLeast) return `at least ${least}`;
  return least === most ? least : `${least} to ${most}`;
}
