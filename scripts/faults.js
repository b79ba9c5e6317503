/**
 * `node scripts/faults.js`: writes docs/faults.md, the faults that an automatic test tries, from the tests' own names.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const PAGE = join(ROOT, 'docs', 'faults.md');

const PARTS = Object.freeze([
  ['Ways to end a run', 'lib/e2e/ends.test.js'],
  ['Interruptions and bad input', 'lib/e2e/interruptions.test.js'],
  ['Servers that answer wrongly', 'lib/e2e/wrong-answers.test.js'],
  ['Faults of systems under load', 'lib/e2e/chaos.test.js'],
  ['Tools and builds', 'lib/process/tool.test.js'],
  ['Addresses of systems that somebody else runs', 'lib/engines/endpoint.test.js'],
  ['What is left over', 'lib/process/leftovers.test.js'],
]);

/** @returns {string} Markdown */
export function faultsPage() {
  const sections = PARTS.map(([title, path]) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const names = [...text.matchAll(/^test\(\s*'((?:[^'\\]|\\.)*)'/gm)].map(([, name]) => `- ${name}`);
    return `## ${title}\n\nTried by \`${path}\`:\n\n${names.join('\n')}\n`;
  });
  return `# Faults that a test tries\n\nWritten by \`node scripts/faults.js\` from the names of the tests.\n\n${sections.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, faultsPage());
