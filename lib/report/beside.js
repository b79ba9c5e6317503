import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schemaProblems } from '../config/validate.js';
import { BenchError } from '../errors.js';
import { wholeNumber } from '../format.js';
import { readJsonOr, readText } from '../store.js';
import { plainlySaid, plainNote } from './said.js';
import { inOneLine } from './table.js';

/**
 * What a report shows of what stands beside the data of its run.
 * @import { IndexedLoss, IndexedRun, ResultsIndex } from '../types.d.ts'
 */

/** What every run of a folder measured. */
export const INDEX = 'index.json';

/** What a kill and a power cut took by another run, which measured it. @typedef {IndexedLoss & {run: string, date: string}} KnownLoss */

/** `knownLosses`: newest first, by the index of the folder of runs; `note`: Markdown, of who published the report. @typedef {{knownLosses: KnownLoss[], note: string | null}} Beside */

/**
 * @param {string} runFolder
 * @returns {Beside}
 * @throws {BenchError} when its note cannot be shown
 */
export function besideOf(runFolder) {
  const knownLosses = indexedIn(dirname(runFolder)).flatMap(({ run, date, losses = [] }) =>
    losses.map((loss) => ({ ...loss, run, date })),
  );
  return { knownLosses, note: noteBeside(runFolder) };
}

/**
 * @param {string} reports folder of runs
 * @returns {IndexedRun[]} what its index says, newest first; nothing where that is damaged or of another form, as it can be made anew
 */
export function indexedIn(reports) {
  const index = /** @type {ResultsIndex | null} */ (readJsonOr(join(reports, INDEX), null));
  return index && schemaProblems('index', index).length === 0 ? plainlySaid(index.runs) : [];
}

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
function noteBeside(runFolder) {
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
