import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { layOut, STORED } from '../../record/testing.js';
import { renderRun } from '../render.js';
import { renderHtml } from './page.js';

const work = mkdtempSync(join(tmpdir(), 'lb-page-'));
after(() => rmSync(work, { recursive: true, force: true }));
const MOST_BYTES = 400_000;

for (const name of readdirSync(STORED)) {
  const run = layOut(name, join(work, name));
  renderRun(run, run, { ended: false });
  const [html, markdown] = ['report.html', 'README.md'].map((file) => readFileSync(join(run, file), 'utf8'));

  test(`report.html is one small file that loads nothing: ${name}`, () => {
    assert.ok(Buffer.byteLength(html) <= MOST_BYTES, `${Buffer.byteLength(html)} bytes`);
    assert.doesNotMatch(
      html,
      /<(?:img|link|iframe|object|embed|base)\b|\ssrc=|url\(|@import|\bfetch\(|\bimport\(/,
    );
    assert.match(html, /Content-Security-Policy" content="default-src 'none';/);
  });

  test(`it has every table and chart of the page: ${name}`, () => {
    const count = (/** @type {string} */ text, /** @type {RegExp} */ what) => (text.match(what) ?? []).length;
    assert.equal(count(html, /<table>/g), count(markdown, /^\|[-:|]+\|$/gm));
    assert.equal(count(html, /<figure\b/g), count(markdown, /^<img /gm));
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]);
    assert.equal(new Set(ids).size, ids.length, 'a name twice');
    for (const [, to] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(to), `#${to}`);
  });
}

/** @param {string} name */
const pageOf = (name) => {
  const chart = {
    file: 'a.svg',
    model: {
      ...{
        kind: /** @type {const} */ ('lines'),
        title: name,
        unit: 'op/s',
        log: false,
        places: [1, 20],
        name: 'users',
      },
      series: [{ name, color: '#0072B2', shape: 0, points: [{ median: 10, low: 9, high: 12, n: 5 }, null] }],
    },
  };
  return renderHtml({
    title: name,
    page: `# T\n\nat 5 % of it\n\n<img src="charts/a.svg" alt="a">\n\n[away](javascript:alert(1)) ![p](https://example.org/p.png) [d](#x)\n\n## X\n\n<img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\na <b>bold</b> word\n`,
    charts: [chart],
  });
};

test('what is folded stays folded, and nothing else of HTML gets through', () => {
  const page =
    '# T\n\n<details>\n<summary><b>More</b></summary>\n\ntext\n\n</details>\n\n<details open onclick="x()">\n\n';
  const html = renderHtml({ title: 't', page, charts: [] });
  assert.match(html, /<details>\n<summary><b>More<\/b><\/summary>/);
  assert.match(html, /&lt;details open onclick/);
});

test('what a name holds is text, in the page, in a chart and in the data of a chart', () => {
  const html = pageOf('"><script>alert(1)</script><img src=x onerror=alert(1)>');
  assert.equal(html.match(/<script\b/g)?.length, 2, 'the data of the chart, and our own');
  assert.doesNotMatch(html, /<img|javascript:|<b>|https:\/\/example/);
  assert.match(html, /href="#x"/);
  assert.match(html, /at 5\u00a0% of it/, 'a number keeps its sign');
  assert.doesNotMatch(html, /&nbsp;/, 'which would be read as it stands there');
  assert.match(html, /id="x"/);
  assert.match(html, /&lt;script&gt;/);
});
