/** Publishes the module; `hooks/after-up` says with what. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE } from './names.js';

/** What the modules for each major version are: their folder, and the variable that names a built one. */
const MODULES = Object.freeze({
  1: { folder: 'module', built: 'BUILD_MODULE' },
  2: { folder: 'module-2x', built: 'BUILD_MODULE2X' },
});

/** Statuses of a token that the server does not know, and of one whose identity does not own the database. */
const UNKNOWN_TOKEN = 401;
const NOT_THE_OWNER = 403;

/**
 * Only the identity that published a database may empty it. Where that token is kept for a server that outlives the run.
 * @param {string} server
 * @returns {string | null} path of a file; null where a server begins afresh each time
 */
function tokenFile(server) {
  const { KEEP } = process.env;
  if (!KEEP) return null;
  return join(KEEP, `owner-${createHash('sha256').update(new URL(server).host).digest('hex').slice(0, 16)}`);
}

/**
 * @param {string} server
 * @returns {string | null} token of the identity that owns what an earlier call published
 */
function keptToken(server) {
  if (process.env.SPACETIMEDB_TOKEN) return process.env.SPACETIMEDB_TOKEN;
  const path = tokenFile(server);
  try {
    return path && readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * @param {string} server
 * @returns {Promise<string>} token of a fresh identity, which owns what it publishes
 */
async function freshToken(server) {
  const answer = await fetch(`${server}/v1/identity`, { method: 'POST' });
  if (!answer.ok) throw new Error(`${server}/v1/identity answered ${answer.status}`);
  return (await answer.json()).token;
}

/**
 * `clear` empties a database of that name, so that every block of cells begins alike.
 * @param {string} server
 * @param {Uint8Array<ArrayBuffer>} wasm
 * @param {string} token
 */
async function put(server, wasm, token) {
  const answer = await fetch(`${server}/v1/database/${DATABASE}?clear=true`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}` },
    body: wasm,
  });
  return { status: answer.status, ok: answer.ok, text: (await answer.text()).slice(0, 300) };
}

/**
 * @param {string} server
 * @param {Uint8Array<ArrayBuffer>} wasm
 */
async function publish(server, wasm) {
  const kept = keptToken(server);
  let token = kept ?? (await freshToken(server));
  let answer = await put(server, wasm, token);
  if (kept && answer.status === UNKNOWN_TOKEN) {
    // The server was set up anew since: it signs with another key, and nobody owns anything yet.
    token = await freshToken(server);
    answer = await put(server, wasm, token);
  }
  if (answer.status === NOT_THE_OWNER)
    throw new Error(
      `the database ${DATABASE} at ${server} belongs to another identity: set SPACETIMEDB_TOKEN to its owner's token, or delete it there (${answer.text})`,
    );
  if (!answer.ok || !answer.text.includes('"Success"'))
    throw new Error(`publishing answered ${answer.status}: ${answer.text}`);
  const path = tokenFile(server);
  if (path && !process.env.SPACETIMEDB_TOKEN) writeFileSync(path, token, { mode: 0o600 });
}

/**
 * A server refuses modules that were made for another major version.
 * @param {string} server
 * @returns {Promise<{folder: string, built: string}>}
 */
async function moduleFor(server) {
  const answer = await fetch(`${server}/v1/health`);
  if (!answer.ok) throw new Error(`${server}/v1/health answered ${answer.status}`);
  const { version } = await answer.json();
  const major = Number(/^v?(\d+)\./.exec(String(version))?.[1]);
  const module = MODULES[/** @type {keyof typeof MODULES} */ (major)];
  if (module) return module;
  throw new Error(`no module for version ${version}: known are ${Object.keys(MODULES).join('.x, ')}.x`);
}

/**
 * @param {{folder: string, built: string}} module
 * @returns {Uint8Array<ArrayBuffer>}
 */
function bytesOf({ folder, built }) {
  const path = process.env[built];
  if (path) return Uint8Array.from(readFileSync(join(path, 'module.wasm')));
  const work = mkdtempSync(join(tmpdir(), 'ladderbench-module-'));
  try {
    const build = join(import.meta.dirname, folder, 'build.sh');
    execFileSync(build, [work], { stdio: ['ignore', 'ignore', 'inherit'] });
    return Uint8Array.from(readFileSync(join(work, 'module.wasm')));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

try {
  const server = String(process.env.BASE_URL).replace(/^ws/, 'http');
  await publish(server, bytesOf(await moduleFor(server)));
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
