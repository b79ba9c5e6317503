import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { wholeNumber } from '../format.js';
import { readText } from '../store.js';
import { plainNote } from './said.js';
import { inOneLine } from './table.js';

/**
 * What the person who publishes a report says of it, such as why it differs from an earlier one. It was not measured, so no
 * checksum is kept of it: it may be written, changed and removed at any time.
 */
export const NOTE = 'note.md';

/** Characters of a note: one paragraph of the first screen. What needs more is a page of its own, to which a note links. */
const MOST_SIGNS = 400;

/**
 * @param {string} runFolder
 * @returns {string | null} Markdown of one line, in which links lead to pages and files; null where there is no note
 * @throws {BenchError} when it is too long, or cannot be read
 */
export function noteBeside(runFolder) {
  const path = join(runFolder, NOTE);
  if (!existsSync(path)) return null;
  const text = inOneLine(readText(path)).trim();
  if (text.length > MOST_SIGNS)
    throw new BenchError(
      `${path} has ${wholeNumber(text.length)} characters, and a report shows at most ${MOST_SIGNS}`,
      { hint: 'shorten it, or link to a page that says the rest' },
    );
  return plainNote(text) || null;
}
