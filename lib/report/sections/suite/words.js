import { MISSING, ratioWithInterval, significant } from '../../../format.js';
import { right } from '../../table.js';
import { titleOf } from '../../words.js';

/**
 * @import { Figure } from '../../../record/figure.js'
 * @import { Row } from '../../../record/figures.js'
 * @import { Ratio } from '../../../record/ratio.js'
 * @import { Cell, Column } from '../../table.js'
 * @import { Suite } from './section.js'
 */

/** After a figure that may be shown and is not ranked. */
export const DOUBTFUL = ' †';

/** @param {number} users */
export function usersText(users) {
  return users === 1 ? '1 user' : `${users} users`;
}

/**
 * @param {Figure | null | undefined} figure
 * @returns {string} `5.3 (5.1 – 5.6)`, marked where it may not be ranked
 */
export function markedText(figure) {
  if (!figure) return MISSING;
  const { median, low, high, rankable } = figure;
  const range = high > low ? ` (${significant(low)} – ${significant(high)})` : '';
  return `${significant(median)}${range}${rankable ? '' : DOUBTFUL}`;
}

/**
 * A column for each system.
 * @template R
 * @param {Suite} suite
 * @param {(row: R, id: string) => Cell} cell
 * @returns {Column<R>[]}
 */
export function across(suite, cell) {
  return suite.systems.map((id) => right(titleOf(suite.plan, id), (/** @type {R} */ row) => cell(row, id)));
}

/**
 * @param {Ratio | null} ratio
 * @returns {string} `1.83 (1.70 – 1.91) †`
 */
export function ownRatioText(ratio) {
  return `${ratioWithInterval(ratio)}${ratio && !ratio.rankable ? DOUBTFUL : ''}`;
}

/**
 * @param {Row | undefined} row
 * @param {(row: Row) => string} text
 * @returns {string} why there is no figure, where there is none
 */
export function unlessFailed(row, text) {
  if (!row) return MISSING;
  return row.failure === null ? text(row) : `n/a: ${row.failure}`;
}
