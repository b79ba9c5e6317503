/** Loaded before each file of tests (`node --import`): it has a folder for temporary files of its own, and leaves nothing in it that cannot be removed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const own = mkdtempSync(join(tmpdir(), 't-'));
process.env.TMPDIR = own;
process.on('exit', () => rmSync(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
