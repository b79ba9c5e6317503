/**
 * `node scripts/faults.js`: writes docs/faults.md, the faults that an automatic test tries, from the tests' own names.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const PAGE = join(ROOT, 'docs', 'faults.md');

/**
 * What a fault is about, the file that tries it, and which of its tests are meant where others try no fault.
 * @type {readonly [string, string, RegExp?][]}
 */
const PARTS = Object.freeze([
  ['Ends of a run', 'lib/e2e/ends.test.js'],
  ['Interruptions and bad input', 'lib/e2e/interruptions.test.js', /^(?!a plan is printed)/],
  ['Processes that leave their group', 'lib/e2e/escaped.test.js'],
  ['Stopped processes', 'lib/process/child.test.js'],
  ['Suspended machines and clock changes', 'lib/e2e/clock.test.js'],
  ['Clock changes in samples', 'lib/sample/sample.test.js', /clock/],
  ['Clock changes in verdicts', 'lib/judge/judge.test.js', /suspended/],
  ['Missing evidence', 'lib/judge/absence.test.js'],
  ['Busy machines', 'lib/e2e/verdicts.test.js', /full of other/],
  ['Wrong answers', 'lib/e2e/wrong-answers.test.js'],
  ['Wrong answers under load only', 'lib/e2e/lies.test.js'],
  ['Lost events and redirects', 'lib/e2e/events.test.js'],
  ['Event-ingest servers', 'stacks/_ingest/conformance/life.test.js', /second server|kill -9/],
  ['The append log of our counter server', 'stacks/quotadb-reference/log.test.js'],
  [
    'Questions to servers',
    'lib/engines/ask.test.js',
    /refuses|password|another host|does not answer|did not take/,
  ],
  ['Other servers at an address', 'lib/engines/strangers.test.js'],
  ['Passwords', 'lib/e2e/password.test.js'],
  ['Printed commands', 'lib/e2e/printed-commands.test.js'],
  ['Failing outputs', 'lib/e2e/lost-outputs.test.js'],
  ['Unusual paths', 'lib/e2e/odd-paths.test.js'],
  ['Variables of scripts', 'lib/e2e/script-variables.test.js'],
  ['Refused scripts', 'lib/e2e/script-refusals.test.js', /^(?!a script that only)/],
  ['Gates of scripts', 'lib/e2e/script-gates.test.js'],
  ['Hooks of systems', 'lib/engines/hooks.test.js', /fails/],
  ['Helper processes of systems', 'lib/engines/companions.test.js', /failure|older run|ends under load/],
  ['Helper processes in a run', 'lib/e2e/companions.test.js'],
  ['Load generators that lie, die or hang', 'lib/e2e/lying-runners.test.js'],
  ['What a load generator hands over', 'lib/record/runners.test.js', /lies|missing|failed/],
  ['Ports', 'lib/process/ports.test.js'],
  ['Changed runs', 'lib/record/verify.test.js'],
  ['Malformed runs', 'lib/record/hostile-runs.test.js'],
  ['Nonsense for each parser', 'lib/fuzz.test.js'],
  ['Changed and malformed archives', 'lib/record/archive.test.js'],
  ['Resumed runs', 'lib/verbs/resume.test.js'],
  ['Concurrent writers', 'lib/record/lock.test.js'],
  ['Folders of runs', 'lib/verbs/runs.test.js'],
  ['Missing folders', 'lib/e2e/places.test.js'],
  ['New systems', 'lib/verbs/new.test.js', /full disk/],
  ['Clean-up', 'lib/verbs/clean.test.js'],
  ['Pruned and unsealed runs', 'lib/verbs/report.test.js', /prune|checksums/],
  ['Files', 'lib/store.test.js'],
  ['Full disks while timing', 'lib/environment/environment.test.js', /full|no folder/],
  ['Incomplete files of k6', 'lib/record/run-folder.test.js'],
  ['Temporary folders', 'lib/process/temporary.test.js'],
  ['Mounts', 'lib/process/mounts.test.js'],
  ['Scripts of k6, before the load', 'lib/e2e/script-rehearsal.test.js', /^(?!what a script says|a warning)/],
  ['Scripts of k6 with long iterations', 'lib/e2e/script-sessions.test.js', /answer/],
  ['Scripts of k6, between rehearsal and load', 'lib/engines/script-target.test.js'],
  ['Scripts of k6, under load', 'lib/e2e/script-failures.test.js'],
  ['Limits of the machine', 'lib/process/descriptors.test.js'],
  ['Terminals and pipes', 'lib/output.test.js', /reader|disk/],
  ['Untrusted text on a terminal', 'lib/format.test.js', /control/],
  ['Untrusted text in a report', 'lib/report/hostile.test.js'],
  ['Untrusted text in a table', 'lib/report/table.test.js', /^no |escaped|link/],
  ['Untrusted text in a spreadsheet', 'lib/report/exports.test.js', /spreadsheet/],
  ['Long untrusted text', 'lib/report/said.test.js', /megabytes/],
  ['Foreign pages and folder names', 'lib/report/index.test.js', /somebody else|names/],
  ['Manifests and profiles', 'lib/config/check.test.js', /^(?!the committed)/],
  ['Hostile manifests and profiles', 'lib/config/declared.test.js'],
  ['Settings for another k6', 'lib/generator/k6.test.js'],
  ['Contents of HOME', 'lib/e2e/home.test.js'],
  ['Settings for other builds', 'lib/setup/plain-builds.test.js'],
  ['Faults of systems under load', 'lib/e2e/chaos.test.js'],
  ['Failed image pulls', 'lib/e2e/docker/pulls.test.js'],
  ['Faults of systems in containers', 'lib/e2e/docker/faults.test.js'],
  ['Dying containers and interrupted runs of containers', 'lib/e2e/docker/failures.test.js'],
  ['Kills under load', 'lib/e2e/kills.test.js'],
  ['Power cuts', 'lib/e2e/power-loss.test.js'],
  ['The live view', 'lib/e2e/live.test.js', /InfluxDB in mid-run|browser/],
  ['Tools and builds', 'lib/process/tool.test.js'],
  ['Releases', 'lib/setup/releases.test.js'],
  ['Releases, on a machine without Go', 'lib/e2e/release.test.js'],
  ['Addresses of foreign systems', 'lib/engines/endpoint.test.js'],
  ['Leftovers', 'lib/process/leftovers.test.js'],
  ['Loads from a cluster', 'lib/e2e/kubernetes.test.js'],
]);

/** A test's name in either kind of quotes, at the edge or within a loop over cases. */
const NAME = /^ *test(?:InContainers)?\(\s*(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/gm;

/**
 * @param {string} text of a file of tests
 * @returns {string[]} their names; what a loop over cases fills in stands as `…`
 */
export function testNames(text) {
  return [...text.matchAll(NAME)].map(([, plain, filled]) =>
    plain === undefined
      ? filled.replace(/\$\{[^}]*\}/g, '…').replaceAll('\\`', '`')
      : plain.replaceAll("\\'", "'"),
  );
}

/** @returns {string} Markdown */
export function faultsPage() {
  const sections = PARTS.map(([title, path, meant]) => {
    const names = testNames(readFileSync(join(ROOT, path), 'utf8')).filter(
      (name) => meant?.test(name) ?? true,
    );
    if (names.length === 0) throw new Error(`${path} has no test of ${title}`);
    return `## ${title}\n\nTried by \`${path}\`:\n\n${names.map((name) => `- ${name}`).join('\n')}\n`;
  });
  return `# Tested faults\n\nEach line is the name of an automatic test; some name the honest case beside a fault. \`node scripts/faults.js\` writes this page from the tests.\n\n${sections.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, faultsPage());
