import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './paths.js';
import { runTool } from './process/tool.js';

/** Of Markdown, and of the HTML inside it. */
const LINK = /\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g;

test('every page and picture of the checkout that a page links to is there', async () => {
  const { stdout } = await runTool(['git', '-C', ROOT, 'ls-files', '--', '*.md']);
  const pages = stdout
    .split('\n')
    .filter((f) => f !== '' && existsSync(join(ROOT, f)) && !f.includes('/testdata/'));
  assert.ok(pages.length > 40, String(pages.length));
  const broken = pages.flatMap((page) =>
    // What stands in code is no link.
    [
      ...readFileSync(join(ROOT, page), 'utf8')
        .replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
        .matchAll(LINK),
    ]
      .map(([, markdown, html]) => (markdown ?? html).split('#')[0])
      .filter((to) => to !== '' && !/^[a-z]+:/.test(to))
      .filter((to) => !existsSync(join(ROOT, dirname(page), decodeURIComponent(to))))
      .map((to) => `${page}: ${to}`),
  );
  assert.deepEqual(broken, []);
});
