import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADING = '## Architecture and durability';

/**
 * What a stack's README says under the heading "Architecture and durability", for the report.
 * @param {string} folder of the stack
 * @returns {string[]} paragraphs and list items as one line each; none without the heading
 */
export function notesOf(folder) {
  const path = join(folder, 'README.md');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const from = text.indexOf(`${HEADING}\n`);
  if (from < 0) return [];
  const section = text.slice(from + HEADING.length).split(/\n#{1,2} /)[0];
  return section
    .split(/\n\s*\n|\n(?=- )/)
    .map((p) => p.replace(/^- /, '').replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}
