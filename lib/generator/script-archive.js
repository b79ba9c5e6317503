import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withoutK6Options } from '../config/k6-options.js';
import { BenchError } from '../errors.js';
import { shellWord } from '../process/shell.js';
import { temporaryFolder } from '../process/temporary.js';
import { runTool } from '../process/tool.js';
import { k6Problem } from './k6-log.js';
import { scenariosOf } from './script-scenarios.js';
import { K6_PLAIN, QUIET, scriptEnvironment } from './script-variables.js';

/** @import { ScriptOptions } from '../types.d.ts' */

/**
 * What `k6 archive` makes of a script: all its files, and the options that came of the script, its configuration and what
 * follows `--`. A step differs from it in who calls which function, and in nothing else.
 * @typedef {object} Archive
 * @property {string} path
 * @property {Record<string, any>} metadata k6's own
 */

/** By script and the address that it reads. @type {Map<string, Archive>} */
const archives = new Map();
/** The code of a script outside of its functions may take so long. */
const INIT_MS = 60_000;
/** What `k6 archive` has no flag for, and what is in an archive. */
const OF_RUN = ['features', 'no-usage-report'];
const OF_ARCHIVE = ['tag', 'config', 'type'];
/** What a script may say of its own load: the ladder says it. */
const LOAD = [
  'vus',
  'duration',
  'iterations',
  'stages',
  'paused',
  'executionSegment',
  'executionSegmentSequence',
];

/**
 * Runs the script's code outside of its functions, once for each address.
 * @param {{k6: string, script: ScriptOptions, url?: string}} call
 * @returns {Promise<Record<string, any>>} the options of the script
 * @throws {BenchError} k6 does not take the script
 */
export async function archiveScript({ k6, script, url = '' }) {
  const path = join(temporaryFolder('script'), 'script.tar');
  const options = withoutK6Options(script.k6Options, OF_RUN);
  const own = [...K6_PLAIN, '--exclude-env-vars', '-O', path];
  const ended = await runTool([k6, 'archive', ...own, ...options, ...NO_OTHERS, script.path], {
    env: { ...scriptEnvironment(url, script.k6Options), ...QUIET },
    timeoutMs: INIT_MS,
  });
  const name = basename(script.path);
  if (ended.timedOut)
    throw new BenchError(`${name}: its code outside of functions did not end in ${INIT_MS / 1000} s`, {
      hint: 'k6 runs that code before any iteration: it must come to an end',
    });
  const [, modules] = /unknown modules \[([^\]]*)\]/.exec(ended.stderr.replaceAll('\\"', '"')) ?? [];
  if (modules)
    throw new BenchError(
      `${name}: no ${modules.replaceAll('"', '')} in the k6 of this suite: it is an extension`,
      {
        hint: "modules of k6's own are there, and those of docs/scripts.md",
      },
    );
  if (!ended.ok) throw k6Problem(name, ended);
  const tar = readFileSync(path);
  const { metadata } = split(tar);
  if (usesBrowser(tar, metadata.options))
    throw new BenchError(`${name}: browser scripts are not measured here: each user would be a browser`, {
      hint: `plain k6 runs it: k6 run ${shellWord(script.path)}`,
    });
  archives.set(keyOf(script, url), { path, metadata });
  return metadata.options;
}

/** A browser is its module of k6, and k6 says nothing of it among what a script depends on. */
const BROWSER = /^\s*(?:import\b[^;]{0,500}?|.*\brequire\(\s*)['"]k6\/(?:experimental\/)?browser['"]/m;

/**
 * @param {Buffer} tar
 * @param {Record<string, any>} options
 */
function usesBrowser(tar, { scenarios }) {
  const own = /** @type {Record<string, any>[]} */ (Object.values(scenarios ?? {}));
  if (own.some((s) => s.options?.browser)) return true;
  return tar.includes('browser') && BROWSER.test(tar.toString('latin1').replaceAll('\0', '\n'));
}

/** @param {ScriptOptions} script @param {string} url */
function keyOf({ path }, url) {
  return `${path}\n${url}`;
}

/**
 * @param {ScriptOptions} script
 * @param {string} url of the system
 * @param {Record<string, object>} scenarios
 * @param {Record<string, string>} tags of all samples, where the script has no others of these names
 * @returns {string} path of an archive in which they stand in place of the script's own load
 */
export function archiveWith(script, url, scenarios, tags) {
  const { path, metadata } = archiveOf(script, url);
  const kept = Object.entries(metadata.options).filter(([name]) => !LOAD.includes(name));
  const options = { ...Object.fromEntries(kept), scenarios, tags: { ...tags, ...metadata.options.tags } };
  const { rest, header } = split(readFileSync(path));
  const text = Buffer.from(JSON.stringify({ ...metadata, options }));
  const padding = Buffer.alloc((BLOCK - (text.length % BLOCK)) % BLOCK);
  const to = join(path, '..', 'step.tar');
  writeFileSync(to, Buffer.concat([withSize(header, text.length), text, padding, rest]), { mode: 0o600 });
  return to;
}

/** @param {ScriptOptions} script @param {string} url @returns {ReturnType<typeof scenariosOf>} of the script */
export function scenariosFor(script, url) {
  return scenariosOf(archiveOf(script, url).metadata.options);
}

/** @param {ScriptOptions} script @param {string} url */
function archiveOf(script, url) {
  // Of another address only the options may differ.
  const own = [...archives].find(([key]) => key.startsWith(keyOf(script, '')));
  const archive = archives.get(keyOf(script, url)) ?? own?.[1];
  if (!archive) throw new Error('the script was not archived');
  return archive;
}

/** @param {ScriptOptions} script @returns {string[]} options of k6 beside an archive */
export function optionsBesideArchive({ k6Options }) {
  return [...withoutK6Options(k6Options, OF_ARCHIVE), ...NO_OTHERS];
}

/** The script sees what is set for it, and nothing that k6 is told. */
const NO_OTHERS = ['--include-system-env-vars=false'];

/** Of a tar file. */
const BLOCK = 512;
const SIZE = Object.freeze({ from: 124, to: 136 });
const SUM = Object.freeze({ from: 148, to: 156 });

/**
 * @param {Buffer} tar as k6 writes it: what it says of the script comes first
 * @returns {{header: Buffer, metadata: Record<string, any>, rest: Buffer}}
 */
function split(tar) {
  const size = Number.parseInt(tar.toString('latin1', SIZE.from, SIZE.to), 8);
  return {
    header: tar.subarray(0, BLOCK),
    metadata: JSON.parse(tar.toString('utf8', BLOCK, BLOCK + size)),
    rest: tar.subarray(BLOCK + Math.ceil(size / BLOCK) * BLOCK),
  };
}

/** @param {Buffer} header @param {number} size @returns {Buffer} */
function withSize(header, size) {
  const next = Buffer.from(header);
  next.write(`${size.toString(8).padStart(11, '0')}\0`, SIZE.from, 'latin1');
  next.fill(' ', SUM.from, SUM.to);
  const sum = next.reduce((n, byte) => n + byte, 0);
  next.write(`${sum.toString(8).padStart(6, '0')}\0 `, SUM.from, 'latin1');
  return next;
}
