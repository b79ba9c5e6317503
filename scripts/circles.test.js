import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/**
 * The Rust files of our servers import each other in one direction: what one needs can be read without the other. A module
 * that only lists the modules within it (`mod a;`) imports nothing; one that names what is in them does.
 */

const ROOT = dirname(import.meta.dirname);

/** @returns {string[]} Rust sources of the stacks, relative */
function sources() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', 'stacks/*.rs'], {
    cwd: ROOT,
  });
  return String(listed)
    .split('\n')
    .filter((file) => /\/src\//.test(file) && existsSync(join(ROOT, file)));
}

/**
 * @param {string} text of a Rust file
 * @returns {string[]} paths that its own code names from the crate, from a module beside it or from one within it (as
 *   `self::…`); not what its tests name
 */
export function pathsIn(text) {
  const own = text
    .replace(/^#\[cfg\(.*\btest\b.*\]\n(?:.*;$|.*\{$[\s\S]*?^\}$)/gm, '')
    .replace(/\/\/.*$/gm, '');
  const within = [...own.matchAll(/^(?:pub(?:\(\w+\))? )?mod (\w+);$/gm)].map(([, name]) => name);
  const first = ['crate', 'super', 'self', ...within].join('|');
  const path = new RegExp(`(?<![\\w:])((?:${first})(?=::)(?:::\\w+)*)(?:::\\{([^;]*?)\\}\\s*;)?`, 'g');
  return [...own.matchAll(path)].flatMap(([, named, group]) => {
    const whole = within.includes(named.split('::')[0]) ? `self::${named}` : named;
    const names = [...(group ?? '').matchAll(/(?:^|,)\s*(\w+(?:::\w+)*)/g)].map(
      ([, name]) => `${whole}::${name}`,
    );
    return names.length > 0 ? names : [whole];
  });
}

/**
 * @param {string} file
 * @param {string} path `crate::a::b`
 * @param {ReadonlySet<string>} files
 * @returns {string | null} the file that it leads to
 */
function fileOf(file, path, files) {
  const src = file.slice(0, file.indexOf('/src/') + '/src'.length);
  const [first, ...names] = path.split('::');
  // A file of its module's name holds a module within the one of its folder; these are that module.
  const own = /\/(?:mod|lib|main)\.rs$/.test(file) ? dirname(file) : file.replace(/\.rs$/, '');
  let folder = { crate: src, super: dirname(own) }[first] ?? own;
  while (names[0] === 'super') {
    folder = dirname(folder);
    names.shift();
  }
  for (let count = names.length; count > 0; count--) {
    const base = join(folder, ...names.slice(0, count));
    const found = [`${base}.rs`, join(base, 'mod.rs')].find((f) => files.has(f));
    if (found) return found;
  }
  const named = folder === src ? ['lib.rs', 'main.rs'] : ['mod.rs'];
  const itself = [...named.map((name) => join(folder, name)), `${folder}.rs`].find((f) => files.has(f));
  return itself ?? null;
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @returns {string[][]} files that lead back to themselves, together with the others on the way
 */
export function circlesOf(imports) {
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]));
  const within = [...imports.keys()].filter((file) => reached.get(file)?.has(file));
  const together = within.map((file) =>
    within.filter((f) => reached.get(file)?.has(f) && reached.get(f)?.has(file)),
  );
  return [...new Map(together.map((files) => [files.join(), files])).values()];
}

/**
 * @param {string} start
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @returns {Set<string>}
 */
function reachableFrom(start, imports) {
  /** @type {Set<string>} */
  const reached = new Set();
  const left = [start];
  for (let file = left.pop(); file !== undefined; file = left.pop())
    for (const next of imports.get(file) ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        left.push(next);
      }
  return reached;
}

/** @returns {Map<string, string[]>} by file: those that it imports */
function importsOfAll() {
  const files = new Set(sources());
  return new Map(
    [...files].map((file) => {
      const paths = pathsIn(readFileSync(join(ROOT, file), 'utf8'));
      const found = paths.map((path) => fileOf(file, path, files)).filter((f) => f !== null && f !== file);
      return [file, /** @type {string[]} */ ([...new Set(found)])];
    }),
  );
}

/** @param {string} file @returns {string} the file, or the folder of a crate's sources that it lies in */
function moduleOf(file) {
  const [src, inside] = file.split('/src/');
  return join(src, 'src', inside.split('/')[0]);
}

test('no Rust files of a server import each other in a circle, nor do its modules', () => {
  const imports = importsOfAll();
  assert.ok([...imports.values()].flat().length > 100, 'imports were found');
  assert.deepEqual(circlesOf(imports), []);
  /** @type {Map<string, string[]>} */
  const modules = new Map();
  for (const [file, found] of imports) {
    const others = found.map(moduleOf).filter((module) => module !== moduleOf(file));
    modules.set(moduleOf(file), [...(modules.get(moduleOf(file)) ?? []), ...others]);
  }
  assert.deepEqual(circlesOf(modules), []);
});

test('a circle is seen, and what only tests import is none', () => {
  const text =
    'use crate::a;\nuse super::{b, c::d};\nfn f() -> crate::e::E {}\n#[cfg(test)]\nmod tests {\n    use crate::t;\n}\n';
  assert.deepEqual(pathsIn(text), ['crate::a', 'super::b', 'super::c::d', 'crate::e::E']);
  const outer =
    'mod a;\npub mod b;\n#[cfg(test)]\nmod t;\n\npub use a::A;\npub(super) fn superseded() { std::a::f() }\n';
  assert.deepEqual(pathsIn(outer), ['self::a::A'], 'a module that is only listed is not imported');
  const files = new Set(['s/src/main.rs', 's/src/m/mod.rs', 's/src/m/a.rs', 's/src/b.rs', 's/src/b/c.rs']);
  const to = (/** @type {string} */ file, /** @type {string} */ path) => fileOf(`s/src/${file}`, path, files);
  assert.equal(to('m/mod.rs', 'self::a::A'), 's/src/m/a.rs');
  assert.equal(to('m/a.rs', 'super::M'), 's/src/m/mod.rs');
  assert.equal(to('m/mod.rs', 'super::b'), 's/src/b.rs');
  assert.equal(to('b/c.rs', 'super::B'), 's/src/b.rs');
  assert.equal(to('b.rs', 'self::c::C'), 's/src/b/c.rs');
  assert.equal(to('b.rs', 'crate::M'), 's/src/main.rs');
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', []],
  ]);
  assert.deepEqual(circlesOf(imports), [['a', 'b', 'c']]);
});
