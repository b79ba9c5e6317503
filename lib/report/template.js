import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { escaped, wordsOf } from './charts/draw.js';
import { HELPERS } from './helpers.js';
import { markdownLine, markdownTable } from './table.js';

/**
 * @import { Plan } from '../types.d.ts'
 * @import { Chart } from './charts/ladder.js'
 * @import { Table } from './table.js'
 */

/**
 * Every sentence, heading and caption stands in a `.hbs` file beside the code that has its figures. A missing field throws
 * instead of printing nothing.
 */
const ENVIRONMENT = Handlebars.create();
ENVIRONMENT.registerHelper(HELPERS);

/**
 * What is said in one line, each a template of its own: called by its name from code and, as a helper, from other templates. It has
 * the value as `it` and, where that has fields, these; and more by their names.
 */
const PHRASES = new URL('./templates/phrases/', import.meta.url);
const PHRASE_NAMES = readdirSync(PHRASES).map((file) => file.replace(/\.hbs$/, ''));
const OPTIONS = Object.freeze({
  // Markdown is no HTML: each line is made safe below, in which nothing but tables and charts of ours stays as it is.
  noEscape: true,
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: Object.fromEntries(
    [...Object.keys(HELPERS), ...PHRASE_NAMES, 'mapped'].map((name) => [name, true]),
  ),
  explicitPartialContext: true,
});
for (const name of PHRASE_NAMES) {
  const template = compiledBeside(PHRASES.href, `${name}.hbs`);
  ENVIRONMENT.registerHelper(name, (it, { data, hash }) =>
    oneLine(template({ ...it, ...hash, it }, { data })),
  );
}
ENVIRONMENT.registerHelper('mapped', (items, name, options) =>
  items.map((/** @type {unknown} */ item) => ENVIRONMENT.helpers[name](item, options)),
);

/** @param {string} text @returns {string} as one line; a sign that stood on a line of its own follows what is before it */
function oneLine(text) {
  return text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/ (?=[.,;:])/g, '');
}

/** For sentences that name no system by its id. */
export const NOBODY = /** @type {Plan} */ (/** @type {unknown} */ ({ systems: [], workloads: [] }));

/** Begins a line where one of ours stands: no text of a run has a control character. */
const PLACE = '\u0000';

/**
 * What a template made: its Markdown, and the charts and tables that stand in it.
 * @typedef {{text: string, charts: Chart[], tables: Table[]}} Written
 */

/**
 * A part of the report, in the order in which it is read. `title`: of one that is folded; `pageTitle`: of the page, where it
 * is not who is compared.
 * @typedef {Written & {title?: string, pageTitle?: string}} Section
 */

/**
 * @param {string} module `import.meta.url` of who has the fields
 * @param {string} file beside it
 * @param {object} [options] where others than those of a line of Markdown
 * @returns {(fields: any, options?: Handlebars.RuntimeOptions) => string}
 */
export function compiledBeside(module, file, options = {}) {
  return ENVIRONMENT.compile(readFileSync(new URL(file, module), 'utf8'), { ...OPTIONS, ...options });
}

/**
 * @template {object} Fields
 * @param {string} module `import.meta.url` of who has the fields
 * @param {string} [file] beside it
 * @returns {(plan: Plan, fields: Fields) => Written}
 */
export function templateBeside(module, file = 'section.hbs') {
  const template = compiledBeside(module, file);
  return (plan, fields) => {
    /** @type {(Table | Chart[])[]} */
    const placed = [];
    const place = (/** @type {Table | Chart[]} */ thing) => `\n${PLACE}${placed.push(thing) - 1}\n`;
    const data = { plan, place };
    const lines = template(fields, { data })
      .split('\n')
      .map((line) => {
        const thing = line.startsWith(PLACE) ? placed[Number(line.slice(1))] : null;
        if (!thing) return markdownLine(line).trimEnd();
        if (Array.isArray(thing)) return thing.map(chartText).join('\n');
        return `${thing.caption ? `${markdownLine(thing.caption)}\n\n` : ''}${markdownTable(thing)}`;
      });
    return {
      text: withoutGaps(lines.join('\n')),
      charts: placed.flatMap((thing) => (Array.isArray(thing) ? thing : [])),
      tables: placed.flatMap((thing) => (Array.isArray(thing) ? [] : [thing])),
    };
  };
}

/** @param {string} text @returns {string} with one empty line at most between two others */
export function withoutGaps(text) {
  return text.replace(/\n{3,}/g, '\n\n').trim();
}

/** @param {Chart} chart @returns {string} HTML: on a line of its own, beside another one where there is room */
function chartText({ file, model }) {
  return `<img src="charts/${file}" alt="${escaped(wordsOf(model))}">`;
}

/**
 * @param {string} name of a template in `templates/phrases`
 * @param {unknown} it
 * @param {Plan} [plan]
 * @param {object} [hash] more that it takes
 * @returns {string}
 */
export function phrase(name, it, plan, hash = {}) {
  return /** @type {any} */ (ENVIRONMENT.helpers[name])(it, { data: { plan }, hash });
}
