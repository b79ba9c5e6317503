import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isRun, withRun } from '../record/archive.js';
import { layOut, STORED } from '../record/testing.js';
import { renderRun } from '../report/render.js';
import { NO_BROWSER, NO_GITHUB, withPage } from './browser.js';
import { restatedRows, seenOnGitHub } from './github.js';

/** The pages of the stored runs, as a real browser shows them. */
const DATA = mkdtempSync(join(tmpdir(), 'lb-pages-'));
after(() => rmSync(DATA, { recursive: true, force: true }));
const RUNS = readdirSync(STORED);
for (const run of RUNS) {
  const folder = layOut(run, join(DATA, run));
  renderRun(folder, folder, { ended: false });
}
const urlOf = (/** @type {string} */ run) => pathToFileURL(join(DATA, run, 'report.html')).href;
/** What a reader would open. */
const OPENED = `document.querySelectorAll('details').forEach((d) => { d.open = true; })`;
/** Of a page of A4 as a PDF, without its pictures. */
const LEAST_PDF_BYTES = 20_000;

test('report.html asks no network, and nothing fails in it', { skip: NO_BROWSER }, async () => {
  await withPage(async ({ open, ask, errors }) => {
    for (const run of RUNS) {
      await open(urlOf(run));
      assert.ok((await ask(`document.querySelectorAll('table').length`)) > 3, run);
      assert.equal(
        await ask(`document.querySelectorAll('figure .plot svg').length`),
        await ask(`document.querySelectorAll('figure').length`),
      );
    }
    assert.deepEqual(errors, []);
  });
});

test('a point answers the mouse and the keyboard with its interval and n', { skip: NO_BROWSER }, async () => {
  await withPage(async ({ open, ask, press, send, errors }) => {
    await open(urlOf('run-suite'));
    await ask(OPENED);
    const at = await ask(`(() => {
      const point = document.querySelector('figure .point');
      point.scrollIntoView({ block: 'center' });
      const box = point.querySelector('.hit').getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    })()`);
    await send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at });
    const tip = `(() => { const t = document.querySelector('.tip'); return t.hidden ? null : t.textContent; })()`;
    assert.match(await ask(tip), /^Alpha, .+: [\d≥].*, n = \d+/);
    await send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 2, y: 2 });
    assert.equal(await ask(tip), null);

    await ask(`document.querySelector('figure .key').focus()`);
    await press('Tab');
    const first = await ask(tip);
    assert.match(first, /n = \d+/);
    assert.equal(await ask(`document.activeElement.getAttribute('aria-label')`), first);
    await press('ArrowRight');
    assert.match(await ask(tip), /n = \d+/);
    assert.notEqual(await ask(tip), first);
    await press('Escape');
    assert.equal(await ask(tip), null);
    assert.deepEqual(errors, []);
  });
});

test('systems are taken out of a chart and put back, its scale changes, a table is sorted', {
  skip: NO_BROWSER,
}, async () => {
  await withPage(async ({ open, ask, press, errors }) => {
    await open(urlOf('run-suite'));
    await ask(OPENED);
    const figure = `[...document.querySelectorAll('figure')].find((f) => /throughput/.test(f.getAttribute('aria-label')))`;
    const points = `${figure}.querySelectorAll('.point').length`;
    const all = await ask(points);
    const key = `${figure}.querySelector('.key[data-series="0"]')`;
    const clicked = `${key}.dispatchEvent(new MouseEvent('click', { bubbles: true }))`;
    await ask(clicked);
    assert.ok((await ask(points)) < all);
    assert.equal(await ask(`${key}.getAttribute('aria-pressed')`), 'false');
    await press('Enter');
    assert.equal(await ask(points), all, 'it has the focus still');

    const plot = `${figure}.querySelector('.plot').textContent`;
    assert.match(await ask(plot), /op\/s, log scale/);
    await ask(`${figure}.querySelector('.scale').click()`);
    assert.match(await ask(plot), /op\/s, linear scale/);

    const column = (/** @type {number} */ i) =>
      `[...[...document.querySelectorAll('table')].find((t) => t.tBodies[0].rows.length > 3).tBodies[0].rows].map((r) => r.cells[${i}].textContent)`;
    const head = `[...document.querySelectorAll('table')].find((t) => t.tBodies[0].rows.length > 3).tHead.rows[0].cells[1]`;
    const before = await ask(column(0));
    await ask(`${head}.querySelector('button').click()`);
    const figures = (await ask(column(1)))
      .map((/** @type {string} */ t) => Number.parseFloat(t.replace(/[≥\s\u202f]/g, '')))
      .filter(Number.isFinite);
    assert.deepEqual(
      figures,
      [...figures].sort((a, b) => b - a),
    );
    assert.equal(await ask(`${head}.getAttribute('aria-sort')`), 'descending');
    for (let i = 0; i < 2; i++) await ask(`${head}.querySelector('button').click()`);
    assert.deepEqual(await ask(column(0)), before, 'the third click brings its own order back');
    assert.deepEqual(errors, []);
  });
});

test('a link into what is folded away opens it; light, dark and paper all show the page', {
  skip: NO_BROWSER,
}, async () => {
  await withPage(async ({ open, ask, send, errors }) => {
    await open(urlOf('run-small'));
    await ask(`document.querySelector('a[href="#method"]').click()`);
    await ask('new Promise((resolve) => setTimeout(resolve, 100))');
    assert.equal(await ask(`document.getElementById('method').closest('details').open`), true);
    const back = 'getComputedStyle(document.body).backgroundColor';
    /** @type {string[]} */
    const seen = [];
    for (const value of ['light', 'dark']) {
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
      seen.push(await ask(back));
    }
    assert.deepEqual(seen, ['rgb(255, 255, 255)', 'rgb(13, 17, 23)']);
    const { data } = await send('Page.printToPDF', {});
    const pdf = Buffer.from(data, 'base64');
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    assert.ok(pdf.length > LEAST_PDF_BYTES, `${pdf.length} bytes`);
    assert.deepEqual(errors, []);
  });
});

test('every chart and every switch has a name for who does not see it', { skip: NO_BROWSER }, async () => {
  await withPage(async ({ open, ask, send }) => {
    await open(urlOf('run-suite'));
    await ask(OPENED);
    await send('Accessibility.enable');
    const { nodes } = await send('Accessibility.getFullAXTree');
    const needing = new Set(['button', 'link', 'img', 'image', 'figure', 'heading', 'columnheader']);
    const unnamed = nodes.filter(
      (/** @type {any} */ n) => !n.ignored && needing.has(n.role?.value) && !n.name?.value,
    );
    assert.deepEqual(
      unnamed.map((/** @type {any} */ n) => n.role.value),
      [],
    );
    assert.ok(
      nodes.some((/** @type {any} */ n) => n.role?.value === 'button' && n.name.value === 'log scale'),
    );
  });
});

/** A reader's screen, px; what the answer and its tables take at most; and screens of a README at most, as it is folded. */
const SCREEN = 900;
const FIRST = 800;
const SCREENS = 3.2;
/** Rows of tables of which all figures stand in an earlier one. */
const RESTATED = 0.1;
const REPORTS = fileURLToPath(new URL('../../reports', import.meta.url));

/**
 * What a reader on GitHub meets of the pages in these folders.
 * @param {string[]} folders
 * @returns {Promise<string[]>} what is too long, too wide or said twice
 */
async function faultsOnGitHub(folders) {
  /** @type {string[]} */
  const faults = [];
  await withPage(async (page) => {
    for (const folder of folders) {
      const { firstPx, heightPx, wide, tables } = await seenOnGitHub(page, folder);
      const { rows, again } = restatedRows(tables);
      const of = basename(folder);
      if (firstPx > FIRST) faults.push(`${of}: its first screen takes ${firstPx} px`);
      if (heightPx > SCREENS * SCREEN) faults.push(`${of}: ${(heightPx / SCREEN).toFixed(1)} screens`);
      faults.push(...wide.map((head) => `${of}: wider than its column: ${head}`));
      if (again.length > rows * RESTATED)
        faults.push(`${of}: ${again.length} of ${rows} rows say again: ${again.join(' / ')}`);
    }
  });
  return faults;
}

test('on GitHub the answer comes first, the page is short as it is folded, no table that is not folded is cut off, and a figure stands once', {
  skip: NO_GITHUB,
}, async () => {
  assert.deepEqual(await faultsOnGitHub(RUNS.map((run) => join(DATA, run))), []);
});

/** Screens on which report.html is read, px. */
const WINDOWS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];

/**
 * @param {string[]} folders
 * @returns {Promise<string[]>} pages that are wider than a screen, or whose first answer a phone does not show at once
 */
async function faultsOfScreens(folders) {
  /** @type {string[]} */
  const faults = [];
  for (const window of WINDOWS)
    await withPage(async ({ open, ask }) => {
      for (const folder of folders) {
        await open(pathToFileURL(join(folder, 'report.html')).href);
        const of = `${basename(folder)} at ${window.width} px`;
        // The first row, and beside its name what came out.
        const answer = await ask(
          `(() => { const cell = document.querySelector('table').tBodies[0].rows[0].cells[1].getBoundingClientRect(); return { right: cell.right, bottom: cell.bottom + scrollY }; })()`,
        );
        if (answer.bottom > window.height || answer.right > window.width)
          faults.push(`${of}: the first answer ends at ${answer.right} × ${answer.bottom}`);
        await ask(OPENED);
        const wide = await ask('document.documentElement.scrollWidth');
        if (wide > window.width) faults.push(`${of}: ${wide} px wide`);
      }
    }, window);
  return faults;
}

test('the committed runs, as they are rendered today, are read so too, and so on a phone', {
  skip: NO_GITHUB,
}, async () => {
  // What is committed was rendered when it was measured: what counts is what today's code makes of it.
  const copy = mkdtempSync(join(tmpdir(), 'lb-reports-'));
  try {
    cpSync(REPORTS, copy, { recursive: true });
    const runs = readdirSync(copy).filter((name) => isRun(join(copy, name)));
    assert.ok(runs.length > 0);
    for (const run of runs) withRun(join(copy, run), (data) => renderRun(join(copy, run), data));
    const folders = runs.map((run) => join(copy, run));
    assert.deepEqual(await faultsOnGitHub(folders), []);
    assert.deepEqual(await faultsOfScreens(folders), []);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test('what is too long, too wide or said twice is seen', { skip: NO_GITHUB }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-long-'));
  const cells = Array.from({ length: 14 }, (_, i) => `12${i}.4`);
  const row = (/** @type {string} */ name) => `| ${[name, ...cells].join(' | ')} |`;
  const lines = Array.from({ length: 300 }, (_, i) => `A paragraph, number ${i}.\n`);
  try {
    writeFileSync(
      join(folder, 'README.md'),
      `# Long\n\n${[row('x').replaceAll('.', ''), `|${'---|'.repeat(15)}`, row('a'), row('b')].join('\n')}\n\n${lines.join('\n')}`,
    );
    const faults = await faultsOnGitHub([folder]);
    for (const word of [/first screen/, /\d screens/, /wider/, /1 of 2 rows/])
      assert.ok(
        faults.some((f) => word.test(f)),
        `${word}: ${faults.join('\n')}`,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
