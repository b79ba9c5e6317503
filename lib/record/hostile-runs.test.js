import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BenchError } from '../errors.js';
import { measuredIn } from '../figures/changes.js';
import { figuresJson } from '../report/figures.js';
import { renderedOf } from '../report/render.js';
import { createRng } from '../stats/rng.js';
import { readJson, writeJson } from '../store.js';
import { withRun } from './archive.js';
import { seal } from './seal.js';
import { layOut, smallRun } from './testing.js';
import { verifyRun } from './verify.js';

/** Runs whose files somebody changed and sealed again: what is no longer of its form is one line, and no stack trace. */
const work = mkdtempSync(join(tmpdir(), 'lb-hostile-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** What stands in the place of an honest value: each of another type, or of none. */
const VALUES = [null, true, -1, 1e308, '', 'x', '__proto__', [], [null], [[]], {}, { length: 5 }, [{}]];
const ROUNDS = 75;

/** @param {string} folder */
function all(folder) {
  withRun(folder, renderedOf);
  withRun(folder, (data) => {
    const { measured, comparisons } = measuredIn(data);
    JSON.stringify(figuresJson({ run: 'r', profile: 'p', loads: measured, comparisons }));
  });
  withRun(folder, verifyRun, { check: false });
}

/**
 * @param {any} root
 * @param {() => number} random
 * @returns {string} where a value of it, however deep, was replaced
 */
function spoil(root, random) {
  const pick = (/** @type {any[]} */ from) => from[Math.floor(random() * from.length)];
  let at = root;
  const path = [];
  for (;;) {
    const key = pick(Object.keys(at));
    path.push(key);
    const inner = at[key];
    const isDeeper = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
    if (isDeeper && random() < 0.8) {
      at = inner;
      continue;
    }
    at[key] = pick(VALUES);
    return `${path.join('.')} = ${JSON.stringify(at[key])}`;
  }
}

/** @type {Record<string, (folder: string) => void>} */
const RUNS = {
  small: (folder) => void smallRun(folder),
  suite: (folder) => void layOut('run-suite', folder),
  mix: (folder) => void layOut('run-mix', folder),
  documents: (folder) => void layOut('run-documents', folder),
};

for (const [name, lay] of Object.entries(RUNS))
  test(`${ROUNDS} changed runs like “${name}” are read, or refused in one line`, () => {
    const honest = join(work, name);
    lay(honest);
    seal(honest);
    all(honest);
    const random = createRng(name.length);
    const files = readdirSync(honest, { recursive: true, encoding: 'utf8' }).filter(
      (f) => f.endsWith('.json') && !f.startsWith('charts'),
    );
    // The plan and the machine are in every sentence; of records there are many.
    const weighted = [...files, ...Array(3).fill(['plan.json', 'environment.json']).flat()];
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const folder = join(work, `${name}-${round}`);
      cpSync(honest, folder, { recursive: true });
      const file = weighted[Math.floor(random() * weighted.length)];
      const value = readJson(join(folder, file));
      const what = `${file}: ${spoil(value, random)}`;
      writeJson(join(folder, file), value);
      seal(folder);
      try {
        all(folder);
      } catch (error) {
        refused++;
        assert.ok(error instanceof BenchError, `${what}: ${/** @type {Error} */ (error).stack}`);
        assert.ok([2, 4].includes(error.exitCode) && !error.message.includes('\n'), what);
      }
      rmSync(folder, { recursive: true });
    }
    assert.ok(refused > ROUNDS / 10, `${refused} refused`);
  });

test('what is nested without end is refused before anything looks into it', () => {
  for (const file of ['plan.json', 'environment.json']) {
    const folder = join(work, `deep-${file}`);
    smallRun(folder);
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const text = JSON.stringify(readJson(join(folder, file)));
    writeFileSync(join(folder, file), text.replace(/\}$/, `,"more":${deep}}`));
    seal(folder);
    assert.throws(
      () => all(folder),
      (e) => e instanceof BenchError && e.exitCode === 2 && /nested more than 64 levels deep/.test(e.message),
    );
  }
});

test('titles of three million characters are written out, and soon', { timeout: 60_000 }, () => {
  const folder = join(work, 'long');
  smallRun(folder);
  const plan = readJson(join(folder, 'plan.json'));
  plan.profile.title = '<b>`|*_[x](javascript:1) '.repeat(120_000);
  plan.systems[0].title = 'T'.repeat(3_000_000);
  writeJson(join(folder, 'plan.json'), plan);
  seal(folder);
  const { page, html } = withRun(folder, renderedOf);
  assert.match(page, /T{1000}/);
  for (const text of [page, html]) assert.doesNotMatch(text, /\]\(javascript:/);
  assert.doesNotMatch(html, /<b>`/);
});
