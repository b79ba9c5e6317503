/**
 * Every image of upstream that the suite starts or builds on: its tag, its digest, its architectures, and when that was last seen in a
 * registry. `docs/images.md` is written from that.
 *
 *   node scripts/images.mjs            writes docs/images.md from docs/images.json
 *   node scripts/images.mjs --verify   the same, written nowhere: exit code 1 where the page is not what the record says
 *   node scripts/images.mjs --check    asks the registries, and notes in docs/images.json what they say of each tag; exit
 *                                      code 1 where a tag is not what is pinned, 3 where a registry did not answer
 *
 * What was not seen in a registry says "never"; a digest is never made up.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EXIT } from '../lib/errors.js';
import { checkImages, imagesPage, listImages } from './images.js';

const RECORD = new URL('../docs/images.json', import.meta.url);
const PAGE = new URL('../docs/images.md', import.meta.url);

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' }, verify: { type: 'boolean' } } });
let record = JSON.parse(readFileSync(RECORD, 'utf8'));
const images = listImages();
if (flags.check) {
  const today = new Date().toISOString().slice(0, 10);
  const { lines, seen, differs, offline } = await checkImages(images, record, today);
  for (const line of lines) console.log(line);
  record = seen;
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
  if (differs > 0) process.exitCode = EXIT.internal;
  else if (offline > 0) process.exitCode = EXIT.systemFailed;
}
const page = imagesPage(images, record);
if (!flags.verify) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error(
    'docs/images.md is not what the compose files and docs/images.json say; type: node scripts/images.mjs',
  );
  process.exitCode = EXIT.internal;
}
