/**
 * What a server, a manifest or an archive from elsewhere may put into the files of a run: shown as text wherever it stands,
 * never as a part of the page.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { hasControls } from '../controls.js';
import { isSafeName } from '../record/run-folder.js';
import { layOut } from '../record/testing.js';
import { readJson } from '../store.js';
import { NOTE } from './beside.js';
import { chartsOf } from './charts/ladder.js';
import { writeIndex } from './index.js';
import { renderRun } from './render.js';

const work = mkdtempSync(join(tmpdir(), 'lb-hostile-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** Fields that hold what somebody said: texts, and the values below a name of one's own. */
const SAID = new Set([
  ...['title', 'label', 'suite', 'version', 'reason', 'detail', 'meaning', 'provenance', 'module', 'what'],
  ...['policy', 'durability', 'cpuModel', 'kernel', 'os', 'node', 'notes', 'warnings', 'logTail', 'k6'],
]);
const MAPS = new Set(['settings', 'traits']);

/** Each tries another way out of its place. */
const ATTACKS = Object.freeze({
  'a script': '<script>alert(1)</script>',
  'a picture that runs something': '<img src=x onerror=alert(1)>',
  'the end of an attribute': '" onload="alert(1)" x="',
  'the end of a script': '</script><script>alert(1)</script>',
  'the end of a style and of a picture': '</style></svg><script>alert(1)</script>',
  'the end of a comment': '--><script>alert(1)</script><!--',
  backticks: '`a` ``b`` ```',
  'code that is none': '\\`<script>alert(1)</script>\\` ` <script>alert(2)</script> ``',
  'the end of a cell': 'a | b | c |',
  'colours of a terminal': 'a\u001b[31mb\u001b]0;title\u0007c\u009b2J',
  'lines of its own':
    'a\n\n# Heading of its own\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n<script>alert(1)</script>',
  'a link and a picture': '[a](javascript:alert(1)) ![b](https://elsewhere.invalid/x.png)',
  'text that is turned around': 'a\u202eb\u2066c',
  entities: '&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;',
});

/**
 * @param {any} value of a file of a run
 * @param {string} attack stands in place of each text that somebody said
 * @returns {any}
 */
function poisoned(value, attack, said = false) {
  if (typeof value === 'string') return said ? `Evil ${attack}` : value;
  if (Array.isArray(value)) return value.map((part) => poisoned(part, attack, said));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      poisoned(part, attack, said || SAID.has(name) || MAPS.has(name)),
    ]),
  );
}

/** @param {string} run @param {string} attack @returns {string} its folder, below a folder of runs of its own */
function evilRun(run, attack) {
  const folder = join(mkdtempSync(join(work, 'reports-')), `2026-11-01T10-00-00Z-${run}`);
  layOut(run, folder);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.json'))
      writeFileSync(join(folder, file), JSON.stringify(poisoned(readJson(join(folder, file)), attack)));
  return folder;
}

/** Code and comments hold what they hold. @param {string} markdown */
const outsideCode = (markdown) =>
  markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/(?<![`\\])(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '');

/** @param {string} line of a table @returns {number} its cells, as GitHub counts them */
const cellsIn = (line) => line.replaceAll(/\\[\\|]/g, '').split('|').length;

/** @param {string} markdown @param {string} name */
function isSafeMarkdown(markdown, name) {
  assert.equal(hasControls(markdown.replaceAll('\n', '')), false, `${name}: control characters`);
  const text = outsideCode(markdown).replaceAll(/^<!-- Written by .*-->$/gm, '');
  assert.doesNotMatch(
    text,
    /<(?!img src="charts\/[\w.-]+" alt="|!-- |\/?(?:details|summary|sub|sup|br|b|a)\b[^<]*>)[a-z/!]/i,
    name,
  );
  assert.doesNotMatch(text, /onerror=alert\(1\)>(?<!&lt;img src=x onerror=alert\(1\)>)/, name);
  assert.doesNotMatch(
    text,
    /(?<!\\)!?(?<!\\)\[[^\]]*\]\((?:javascript:|https:\/\/elsewhere)/,
    `${name}: a link`,
  );
  assert.doesNotMatch(markdown, /^\s*(?:#+ Heading of its own|\| x \| y \|$)/m, name);
  const lines = markdown.split('\n');
  for (const [i, line] of lines.entries())
    if (/^\|(?:---:?\|)+$/.test(line))
      for (let row = i + 1; lines[row]?.startsWith('|'); row++)
        assert.equal(cellsIn(lines[row]), cellsIn(lines[i - 1]), `${name}: cells of ${lines[row]}`);
}

/** @param {string} html @param {string} name */
function isSafeHtml(html, name) {
  assert.equal(hasControls(html.replaceAll(/[\n\t]/g, '')), false, `${name}: control characters`);
  const count = (/** @type {string} */ tag) => html.match(new RegExp(`<${tag}\\b`, 'gi'))?.length ?? 0;
  assert.equal(count('script'), count('figure') + 1, `${name}: our own script, and the data of each chart`);
  assert.deepEqual(
    ['style', 'iframe', 'object', 'embed', 'link', 'base', 'form'].map(count),
    [1, 0, 0, 0, 0, 0, 0],
    name,
  );
  // Every tag that stands there, with its attributes, outside of the data of charts.
  for (const [tag] of html
    .replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '')
    .matchAll(/<[a-z][^>]*>/gi)) {
    const names = [...tag.replaceAll(/"[^"]*"/g, '""').matchAll(/\s([\w:-]+)\s*=/g)].map((m) =>
      m[1].toLowerCase(),
    );
    assert.ok(!names.some((n) => n.startsWith('on')), `${name}: ${tag}`);
    assert.ok(!names.includes('src'), `${name}: ${tag}`);
    assert.doesNotMatch(tag, /href="\s*(?:javascript|data):/i, name);
  }
}

/** @param {string} svg @param {string} name */
function isSafeSvg(svg, name) {
  assert.equal(hasControls(svg.replaceAll('\n', '')), false, `${name}: control characters`);
  svg = svg.replaceAll(/<style\s*>(?:<!\[CDATA\[)?[^<]*(?:\]\]>)?<\/style>/g, '');
  assert.doesNotMatch(svg, /<(?:script|foreignObject|image|a|iframe)\b/i, name);
  /** @type {string[]} */
  const open = [];
  for (const [, closing, tag, attributes, empty] of svg.matchAll(
    /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    assert.doesNotMatch(attributes.replaceAll(/"[^"]*"/g, '""'), /\son\w+=/i, name);
    if (closing) assert.equal(open.pop(), tag, name);
    else if (!empty) open.push(tag);
  }
  assert.deepEqual(open, [], `${name}: it is no whole picture`);
  assert.doesNotMatch(
    svg.replaceAll(/<\/?[a-zA-Z]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g, ''),
    /</,
    `${name}: a tag that is none`,
  );
  assert.doesNotMatch(svg, /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i, name);
}

const RUNS = ['run-small', 'run-events', 'run-suite'];

for (const [name, attack] of Object.entries(ATTACKS))
  test(`${name} in every title, reason, version, setting and log line of a run is text in page, charts and list`, () => {
    for (const run of RUNS) {
      const evil = evilRun(run, attack);
      renderRun(evil);
      writeIndex(join(evil, '..'));
      const own = (/** @type {string} */ file) => readFileSync(join(evil, file), 'utf8');
      const pages = ['README.md', '../README.md'];
      for (const file of pages) isSafeMarkdown(own(file), `${run}/${file}`);
      for (const file of ['report.html', '../index.html']) isSafeHtml(own(file), `${run}/${file}`);
      const charts = readdirSync(join(evil, 'charts'));
      assert.ok(charts.length > 0);
      for (const file of charts) isSafeSvg(own(`charts/${file}`), `${run}/${file}`);
      const shown = pages.map(own).join('').split('Evil').length;
      assert.ok(shown > 20, `${run}: too little of it is shown for the test to try anything`);
    }
  });

for (const [name, attack] of Object.entries(ATTACKS))
  test(`${name} in the note of who published a report is text, or a link that a reader may follow`, () => {
    const folder = mkdtempSync(join(work, 'note-'));
    layOut('run-small', folder);
    writeFileSync(join(folder, NOTE), `# Evil\n\n${attack}\n`);
    renderRun(folder);
    const [page, html] = ['README.md', 'report.html'].map((file) => readFileSync(join(folder, file), 'utf8'));
    assert.match(page, /^\*\*Note:\*\* # Evil /m);
    assert.doesNotMatch(page, /!\[/, 'a picture would be loaded');
    isSafeMarkdown(page.replace('(https://elsewhere.invalid/x.png)', ''), 'README.md');
    isSafeHtml(html, 'report.html');
  });

test('a chart is written into its folder, whatever its name is made of', () => {
  const plan = /** @type {any} */ ({ systems: [{ id: 'a', title: 'A', role: 'system' }], trials: [] });
  const chart = { kind: /** @type {const} */ ('bars'), title: 't', unit: 'ms', name: '', places: ['one'] };
  for (const name of ['../README.md', '/etc/passwd', 'a/b.svg', '.hidden', 'a\nb.svg', '..', 'fine']) {
    const read = () => ({ median: 1, low: 1, high: 1 });
    const [{ file }] = chartsOf(plan, { ...chart, file: [name], systems: ['a'] }, read);
    assert.ok(isSafeName(file) && /^[a-z0-9-]+\.svg$/.test(file), file);
  }
});
