import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadStacks } from '../../lib/config/stacks.js';

/**
 * A program in the place of the backend, which answers and makes keys, and stores nothing.
 * @param {string} folder
 * @returns {string} its path
 */
export function standIn(folder) {
  const path = join(folder, 'convex-local-backend');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path,
    `#!${process.execPath}
const { createServer } = require('node:http');
const words = process.argv.slice(2);
if (words[0] === 'keygen') console.log('ladderbench|' + words.join(' '));
else createServer((_, answer) => answer.end('unknown')).listen(Number(words[words.indexOf('--port') + 1]), '127.0.0.1');
`,
    { mode: 0o755 },
  );
  return path;
}

/**
 * @param {string} id
 * @returns {import('../../lib/types.d.ts').Stack} as this machine, and its variables, resolve it
 */
export function systemHere(id) {
  const stack = loadStacks().stacks.find((s) => s.id === id);
  if (!stack) throw new Error(`there is no system ${id}`);
  return stack;
}
