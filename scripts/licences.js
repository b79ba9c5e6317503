/**
 * What the dependencies of the checkout are licensed under: npm's as the lock file says, Rust's as the crates say, and Go's
 * by the words of the licence in each module, which name none.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { purlOf } from './sbom.js';

/** @import { Lock, Pinned } from './locks.js' */

/** Names of files that hold a licence. */
export const LICENCE_FILE = /^(licen[cs]e|copying|notice|unlicense)/i;
/** What nobody says, or no licence here has been seen to say. */
export const UNKNOWN = 'unknown';
const MOST_BYTES = 1 << 28;

/** Words of a licence's own text; that of another is named in many, later. @type {readonly [RegExp, string][]} */
const WORDS = Object.freeze([
  [/GNU AFFERO GENERAL PUBLIC LICENSE/i, 'AGPL-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE/i, 'LGPL-3.0'],
  [/GNU GENERAL PUBLIC LICENSE/i, 'GPL-3.0'],
  [/Mozilla Public License,? (?:Version|v\.) ?2\.0/i, 'MPL-2.0'],
  [/Business Source License 1\.1|BSL 1\.1|SPACETIMEDB BUSINESS SOURCE LICENSE/i, 'BUSL-1.1'],
  [/Apache License,? Version 2\.0/i, 'Apache-2.0'],
  [/Permission is hereby granted, free of charge, to any person obtaining a copy/i, 'MIT'],
  [/Permission to use, copy, modify, and(?:\/or)? distribute this software/i, 'ISC'],
  [
    /Redistribution and use in source and binary forms.*Neither the name|names of its contributors/i,
    'BSD-3-Clause',
  ],
  [/Redistribution and use in source and binary forms/i, 'BSD-2-Clause'],
  [/This is free and unencumbered software/i, 'Unlicense'],
]);

/** Packages without a licence in them, or with an empty file: what their source says. @type {readonly [RegExp, string][]} */
const ELSEWHERE = Object.freeze([
  [/^buf\.build\/gen\/go\/prometheus\//, 'Apache-2.0'],
  [/^buf\.build\/gen\/go\/gogo\//, 'BSD-3-Clause'],
  [/^spacetimedb(-|$)/, 'BUSL-1.1'],
]);

/** @param {string} text of a licence @returns {string} its name by SPDX: of what it begins with */
export function licenceIn(text) {
  const plain = text.replace(/\s+/g, ' ');
  const found = WORDS.map(([words, name]) => ({ name, at: plain.search(words) })).filter(({ at }) => at >= 0);
  return found.sort((a, b) => a.at - b.at)[0]?.name ?? UNKNOWN;
}

/** @param {string} name of a package @param {string} folder that has it @returns {string} its licences */
function licenceBelow(name, folder) {
  const found = licenceFilesIn(folder)
    .filter((f) => !/^notice/i.test(f))
    .map((f) => licenceIn(readFileSync(join(folder, f), 'utf8')))
    .filter((licence) => licence !== UNKNOWN);
  const elsewhere = ELSEWHERE.find(([names]) => names.test(name))?.[1] ?? UNKNOWN;
  return [...new Set(found)].sort().join(' AND ') || elsewhere;
}

/** @param {string} folder @returns {string[]} its files that hold a licence, sorted */
export function licenceFilesIn(folder) {
  return readdirSync(folder)
    .filter((f) => LICENCE_FILE.test(f) && statSync(join(folder, f)).isFile())
    .sort();
}

/**
 * @param {string} root of the checkout
 * @param {Lock[]} locks
 * @returns {Map<string, string>} licences by package URL
 */
export function licencesOf(root, locks) {
  const found = new Map();
  for (const lock of locks) {
    const asked = ASK[lock.language](join(root, dirname(lock.file)), lock.packages);
    for (const [name, licence] of asked) found.set(name, licence);
  }
  return found;
}

/** @type {Record<import('./locks.js').Language, (folder: string, packages: Pinned[]) => [string, string][]>} */
const ASK = {
  npm: (_folder, packages) => packages.map((p) => [purlOf(p), p.license ?? UNKNOWN]),
  cargo: (folder) => {
    const all = JSON.parse(said('cargo', ['metadata', '--format-version', '1', '--locked'], folder));
    return all.packages.flatMap((/** @type {any} */ p) =>
      p.source === null
        ? []
        : [
            [
              purlOf({ ...p, language: 'cargo' }),
              p.license ?? licenceBelow(p.name, dirname(p.manifest_path)),
            ],
          ],
    );
  },
  go: (folder, packages) => {
    if (packages.length === 0) return [];
    const modules = said('go', ['mod', 'download', '-json'], folder).split(/^(?=\{)/m);
    return (
      modules
        .filter((text) => text.trim() !== '')
        .map((text) => JSON.parse(text))
        // Of what is in no program only what it requires is read: it is not downloaded.
        .filter(({ Dir }) => Dir !== undefined)
        .map(({ Path: name, Version: version, Dir }) => [
          purlOf({ language: 'go', name, version }),
          licenceBelow(name, Dir),
        ])
    );
  },
};

/** @param {string} tool @param {string[]} args @param {string} cwd @returns {string} what it says, of whatever it could reach */
function said(tool, args, cwd) {
  return spawnSync(tool, args, { cwd, encoding: 'utf8', maxBuffer: MOST_BYTES }).stdout;
}

/** @param {Map<string, string>} licences by package URL @returns {string} a page: the rarest licences last */
export function listOf(licences) {
  /** @type {Map<string, string[]>} */
  const by = new Map();
  for (const [name, licence] of licences) by.set(licence, [...(by.get(licence) ?? []), name]);
  const groups = [...by].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  return `Licences of the packages that the lock files pin, those of tests and tools too. What is linked into a program stands with its
texts in THIRD-PARTY.txt of that program's archive. k6 and what is built with it are under the AGPL-3.0: whoever passes that
program on, or lets others use it over a network, offers its whole source, which is published beside its archive.

${groups
  .map(
    ([licence, names]) =>
      `${licence} (${names.length})\n${names
        .sort()
        .map((n) => `  ${n}\n`)
        .join('')}`,
  )
  .join('\n')}`;
}
