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
  ['Servers that lose events, or let another host answer', 'lib/e2e/events.test.js'],
  ['Questions to a server', 'lib/engines/ask.test.js'],
  ['Runs that were changed', 'lib/record/verify.test.js'],
  ['Archives that were changed, or are none', 'lib/record/archive.test.js'],
  ['Runs that are taken up again', 'lib/verbs/resume.test.js'],
  ['Two at once on one run', 'lib/record/lock.test.js'],
  ['Folders of runs, and of others', 'lib/verbs/runs.test.js'],
  ['What is removed, and what is not', 'lib/verbs/clean.test.js'],
  ['Files', 'lib/store.test.js'],
  ['Terminals and pipes', 'lib/output.test.js'],
  ['Manifests and profiles', 'lib/config/check.test.js'],
  ['What a user once set for another k6', 'lib/generator/k6.test.js'],
  ['Faults of systems under load', 'lib/e2e/chaos.test.js'],
  ['Systems that are killed under load', 'lib/e2e/kills.test.js'],
  ['Tools and builds', 'lib/process/tool.test.js'],
  ['Addresses of systems that somebody else runs', 'lib/engines/endpoint.test.js'],
  ['What is left over', 'lib/process/leftovers.test.js'],
  ['Loads from a cluster', 'lib/e2e/kubernetes.test.js'],
]);

/** @returns {string} Markdown */
export function faultsPage() {
  const sections = PARTS.map(([title, path]) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const names = [...text.matchAll(/^test\(\s*'((?:[^'\\]|\\.)*)'/gm)].map(([, name]) => `- ${name}`);
    return `## ${title}\n\nTried by \`${path}\`:\n\n${names.join('\n')}\n`;
  });
  return `# Faults that a test tries\n\nWritten by \`node scripts/faults.js\` from the names of the tests: all of a file's, those of the honest case too.\n\n${sections.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, faultsPage());
