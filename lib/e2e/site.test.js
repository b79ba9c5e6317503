import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { resultsAmong } from '../../scripts/results.js';
import { ROOT } from '../paths.js';
import { layOut } from '../record/testing.js';
import { writeIndex } from '../report/index.js';
import { NO_BROWSER, withPage } from './browser.js';

/** The results site, as a real browser shows it. */

const work = mkdtempSync(join(tmpdir(), 'lb-site-'));
after(() => rmSync(work, { recursive: true, force: true }));
const url = pathToFileURL(join(work, 'index.html')).href;
const ROWS = `[...document.querySelectorAll('#answers tbody tr')].map((r) => r.innerText)`;

test('the results site lists winners, draws them, keeps its filters in its address, and asks no network', {
  skip: NO_BROWSER,
}, async () => {
  for (const [i, run] of ['run-suite', 'run-suite', 'run-small'].entries())
    layOut(run, join(work, `2026-11-0${i + 1}T10-00-00Z-${run}`));
  writeIndex(work);
  for (const width of [1280, 390])
    await withPage(
      async ({ open, ask, errors }) => {
        const shown = async (/** @type {string} */ search) => {
          await open(url + search);
          for (
            let tries = 0;
            tries < 50 && (await ask(`document.querySelectorAll('#answers tbody tr').length`)) === 0;
            tries++
          )
            await new Promise((resolve) => setTimeout(resolve, 100));
          return ask(ROWS);
        };
        const all = await shown('');
        assert.ok(all.length >= 2, all.join('; '));
        assert.ok((await ask(`document.querySelectorAll('#jobs figure svg').length`)) >= all.length);
        const one = await shown('?job=counters&metric=p99');
        assert.deepEqual(
          [one.length, await ask(`document.querySelector('[name=metric]').value`)],
          [1, 'p99'],
        );
        await ask(
          `(() => { const f = document.querySelector('[name=metric]'); f.value = 'cpu'; f.dispatchEvent(new Event('input', { bubbles: true })); })()`,
        );
        assert.equal(await ask('location.search'), '?job=counters&metric=cpu');
        assert.ok((await ask('document.documentElement.scrollWidth')) <= width, String(width));
        // On a phone no word of a cell is broken, and an empty one takes no line.
        const lines = `[...document.querySelectorAll('#answers td')].map((td) => [td.innerText, td.offsetHeight])`;
        for (const [words, height] of await ask(lines))
          assert.ok(words !== '' || width > 600 || height === 0, `${width}: ${words} takes ${height} px`);
        assert.deepEqual(errors, []);
      },
      { width, height: 844 },
    );
});

test('the published site and the README answer a job by the same run', { skip: NO_BROWSER }, async () => {
  const reports = join(ROOT, 'reports');
  const chosen = resultsAmong(JSON.parse(readFileSync(join(reports, 'index.json'), 'utf8')));
  await withPage(async ({ open, ask }) => {
    await open(pathToFileURL(join(reports, 'index.html')).href);
    /** @type {string[][]} title of a job, and its run */
    let rows = [];
    for (let tries = 0; tries < 50 && rows.length === 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      rows = await ask(
        `[...document.querySelectorAll('#answers tbody tr')].map((r) => [r.cells[0].innerText, r.querySelector('a').href.split('/').at(-2)])`,
      );
    }
    const both = chosen.flatMap(({ topic, run }) => {
      const own = rows.find(([title]) => title.split(' (our own')[0] === topic);
      return own ? [{ topic, run, site: own[1] }] : [];
    });
    assert.ok(both.length >= 4, JSON.stringify(both));
    const isOurs = rows.map(([title]) => title.includes('our own servers'));
    assert.ok(isOurs.includes(true) && isOurs[0] === false, 'products stand first');
    assert.deepEqual(
      isOurs,
      [...isOurs].sort((a, b) => Number(a) - Number(b)),
    );
    for (const { topic, run, site } of both) assert.equal(site, run, String(topic));
  });
});
