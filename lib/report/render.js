import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { orCannot } from '../errors.js';
import { isSealed, UNSEALED } from '../record/seal.js';
import { writeFileAtomic } from '../store.js';
import { besideOf } from './beside.js';
import { chartFile } from './charts/file.js';
import { renderHtml } from './html/page.js';
import { runIn } from './run.js';
import { sectionsOf } from './sections/index.js';
import { markdownLine } from './table.js';
import { compiledBeside, withoutGaps } from './template.js';
import { titleOfRun } from './title.js';

/**
 * @import { Chart } from './charts/ladder.js'
 * @import { Run } from './run.js'
 * @import { Section } from './template.js'
 */

/** The page as one file that needs no other. */
export const HTML = 'report.html';

/** Markdown is no HTML, so values are not escaped as HTML; what templates wrote is safe already. */
const PAGE = compiledBeside(import.meta.url, 'templates/report.hbs');

/**
 * @param {Pick<Run, 'plan'>} run
 * @param {Section[]} sections
 * @param {string | null} [warning] Markdown, before all else
 * @returns {{title: string, page: string}} Markdown
 */
export function pageOf({ plan }, sections, warning = null) {
  const title = markdownLine(sections[0]?.pageTitle ?? titleOfRun(plan));
  return { title, page: `${withoutGaps(PAGE({ title, warning, sections }))}\n` };
}

/**
 * @typedef {object} Rendered
 * @property {Run} run
 * @property {string} page Markdown
 * @property {string} html the page in one file that loads nothing
 * @property {Chart[]} charts
 */

/**
 * A run's report from its files: the same files give the same bytes.
 * @param {string} data folder with the files of the run
 * @param {{ended?: boolean} & Partial<import('./beside.js').Beside>} [options] `ended`: false of a run that is sealed when its
 *   report is written
 * @returns {Rendered}
 */
export function renderedOf(data, { ended = true, ...beside } = {}) {
  const run = runIn(data, beside);
  const sections = sectionsOf(run);
  const charts = sections.flatMap((section) => section.charts);
  const warning = ended && !isSealed(data) ? `**This run is ${UNSEALED}.**` : null;
  const { title, page } = pageOf(run, sections, warning);
  return { run, page, html: renderHtml({ title, page, charts }), charts };
}

/**
 * Writes a run's report.
 * @param {string} runFolder where the report is written
 * @param {string} [data] folder with the files of the run
 * @param {Parameters<typeof renderedOf>[1]} [options]
 * @returns {{run: Run, path: string}}
 * @throws {BenchError} when the run's folder cannot be changed
 */
export function renderRun(runFolder, data = runFolder, options) {
  const { run, page, html, charts } = renderedOf(data, { ...besideOf(runFolder), ...options });
  const folder = join(runFolder, 'charts');
  orCannot(`write ${folder}`, undefined, () => rmSync(folder, { recursive: true, force: true }));
  for (const chart of charts) writeFileAtomic(join(folder, chart.file), chartFile(chart.model));
  // The page last: where it stands, what it links to is there.
  writeFileAtomic(join(runFolder, HTML), html);
  const path = join(runFolder, 'README.md');
  writeFileAtomic(path, page);
  return { run, path };
}
