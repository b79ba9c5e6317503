/**
 * `node scripts/licences.mjs [FILE]`: the licences of all dependencies, npm, Rust and Go, as a release has them beside its bill
 * of materials. Exit 4 where one is not known.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { ROOT } from '../lib/paths.js';
import { licencesOf, listOf, UNKNOWN } from './licences.js';
import { readLocks } from './locks.js';

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const licences = licencesOf(ROOT, readLocks(ROOT, tracked));
const [file] = process.argv.slice(2);
if (file) writeFileSync(file, listOf(licences));
else console.log(listOf(licences));
const unknown = [...licences].filter(([, licence]) => licence === UNKNOWN);
for (const [name] of unknown) console.error(`no known licence: ${name}`);
if (unknown.length > 0) process.exitCode = 4;
