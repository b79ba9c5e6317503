import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { readLifecycle } from '../record/lifecycle.js';
import { readConformance, readPlan, readRecords } from '../record/run-folder.js';
import { readJson, writeFileAtomic } from '../store.js';
import { runOf } from './run.js';
import { sectionsOf } from './sections/index.js';
import { viewOf } from './view.js';

/**
 * @import { Chart } from './charts/ladder.js'
 * @import { Run } from './run.js'
 * @import { Section } from './view.js'
 */

const TEMPLATES = new URL('./templates/', import.meta.url);

/**
 * A template environment of our own, with the partials: a missing field throws instead of printing nothing.
 * Markdown is no HTML, so values are not escaped as HTML; the view's text is safe already.
 */
function loadTemplate() {
  const environment = Handlebars.create();
  const partials = new URL('./partials/', TEMPLATES);
  for (const file of readdirSync(partials)) {
    environment.registerPartial(file.replace(/\.hbs$/, ''), readFileSync(new URL(file, partials), 'utf8'));
  }
  const source = readFileSync(new URL('report.hbs', TEMPLATES), 'utf8');
  return environment.compile(source, {
    noEscape: true,
    strict: true,
    knownHelpersOnly: true,
    explicitPartialContext: true,
  });
}

/**
 * @param {any} view from {@link viewOf}
 * @returns {string} Markdown
 */
export function renderMarkdown(view) {
  const text = loadTemplate()(view);
  return `${text.replace(/\n{3,}/g, '\n\n').trim()}\n`;
}

/**
 * @param {Section} section
 * @returns {Chart[]} its own and those of its parts
 */
function chartsIn({ charts = [], parts = [] }) {
  return [...charts, ...parts.flatMap((part) => (part ? chartsIn(part) : []))];
}

/**
 * Renders a run's report from its files alone: the same files give the same bytes.
 * @param {string} runFolder
 * @returns {{run: Run, path: string}}
 */
export function renderRun(runFolder) {
  const plan = readPlan(runFolder);
  const environment = readJson(join(runFolder, 'environment.json'));
  const records = readRecords(runFolder, plan);
  const lifecycle = readLifecycle(runFolder, plan);
  const conformance = readConformance(runFolder, plan);
  const run = runOf({ plan, environment, records, lifecycle, conformance });
  const sections = sectionsOf(run);
  rmSync(join(runFolder, 'charts'), { recursive: true, force: true });
  for (const chart of sections.flatMap(chartsIn))
    writeFileAtomic(join(runFolder, 'charts', chart.file), chart.svg);
  const path = join(runFolder, 'README.md');
  writeFileAtomic(path, renderMarkdown(viewOf(run, sections)));
  writeFileAtomic(join(runFolder, 'SHA256SUMS'), checksums(runFolder));
  return { run, path };
}

/**
 * @param {string} runFolder
 * @returns {string} in the format of `sha256sum`
 */
function checksums(runFolder) {
  const files = ['plan.json', 'profile.json', 'environment.json'];
  for (const folder of ['results', 'results/lifecycle', 'raw']) {
    const path = join(runFolder, folder);
    if (existsSync(path))
      files.push(
        ...readdirSync(path)
          .sort()
          .map((f) => `${folder}/${f}`),
      );
  }
  return files
    .filter((f) => existsSync(join(runFolder, f)) && statSync(join(runFolder, f)).isFile())
    .map(
      (f) =>
        `${createHash('sha256')
          .update(readFileSync(join(runFolder, f)))
          .digest('hex')}  ${f}\n`,
    )
    .join('');
}
