/** Publishes the module; `hooks/after-up` says with what. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE } from './names.js';

/** @returns {Promise<string>} token of a fresh identity, which owns what it publishes */
async function ownerToken(/** @type {string} */ server) {
  const answer = await fetch(`${server}/v1/identity`, { method: 'POST' });
  if (!answer.ok) throw new Error(`${server}/v1/identity answered ${answer.status}`);
  return (await answer.json()).token;
}

/**
 * `clear` empties a database of that name, so that every block of cells begins alike.
 * @param {string} server
 * @param {Uint8Array<ArrayBuffer>} wasm
 */
async function publish(server, wasm) {
  const answer = await fetch(`${server}/v1/database/${DATABASE}?clear=true`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${await ownerToken(server)}` },
    body: wasm,
  });
  const text = (await answer.text()).slice(0, 300);
  if (!answer.ok || !text.includes('"Success"'))
    throw new Error(`publishing answered ${answer.status}: ${text}`);
}

/** @returns {Uint8Array<ArrayBuffer>} */
function moduleBytes() {
  if (process.env.BUILD_MODULE)
    return Uint8Array.from(readFileSync(join(process.env.BUILD_MODULE, 'module.wasm')));
  const folder = mkdtempSync(join(tmpdir(), 'ladderbench-module-'));
  try {
    const build = join(import.meta.dirname, process.env.MODULE ?? 'module', 'build.sh');
    execFileSync(build, [folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    return Uint8Array.from(readFileSync(join(folder, 'module.wasm')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await publish(String(process.env.BASE_URL).replace(/^ws/, 'http'), moduleBytes());
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
