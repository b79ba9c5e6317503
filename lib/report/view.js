import { significant } from '../format.js';
import { markdownLine, markdownTable } from './table.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Chart } from './charts/ladder.js'
 * @import { Run } from './run.js'
 * @import { Table } from './table.js'
 */

/**
 * A part of the report, in the order in which it is read. All text is Markdown.
 * @typedef {object} Section
 * @property {string} [title] one without is part of what stands before it
 * @property {string[]} [intro] paragraphs
 * @property {Chart[]} [charts]
 * @property {Table[]} [tables]
 * @property {string[]} [notes] items of a list
 * @property {(Section | null)[]} [parts] null: one that has nothing to show
 */

/**
 * What the page's templates place.
 * @param {Run} run
 * @param {Section[]} sections
 */
export function viewOf({ plan, environment }, sections) {
  const day = plan.runId.slice(0, 10);
  return {
    title: `${plan.profileId} · ${day} · ${plan.engine}, ${plan.hostCores} cores, ${environment.host.os}`,
    subtitle: `${profileTitle(plan)}.`,
    sections: sections.map((section) => sectionView(section, '##')),
  };
}

/**
 * @param {Plan} plan
 * @returns {string} what the profile says of itself, and where the user asked for another count
 */
function profileTitle({ profile, options }) {
  return options.operations
    ? `${profile.title}. Here ${significant(options.operations)} of each kind (\`--operations\`)`
    : profile.title;
}

/**
 * @param {Section} section
 * @param {string} level `##`
 * @returns {any} the same with tables as text, and nothing missing
 */
function sectionView({ title, intro = [], charts = [], tables = [], notes = [], parts = [] }, level) {
  return {
    heading: title === undefined ? null : `${level} ${markdownLine(title)}`,
    intro: intro.map(markdownLine),
    charts,
    tables: tables.map((t) => ({
      caption: t.caption ? markdownLine(t.caption) : null,
      text: markdownTable(t),
    })),
    notes: notes.map(markdownLine),
    parts: parts.flatMap((part) =>
      part ? sectionView(part, title === undefined ? level : `${level}#`) : [],
    ),
  };
}
