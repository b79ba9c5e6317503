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
  ['Ways to end a run', 'lib/e2e/ends.test.js'],
  ['Interruptions and bad input', 'lib/e2e/interruptions.test.js', /^(?!a plan is printed)/],
  ['Processes that leave their group', 'lib/e2e/escaped.test.js'],
  ['Processes that are stopped, or end', 'lib/process/child.test.js'],
  ['Machines that are suspended, and clocks that are set', 'lib/e2e/clock.test.js'],
  ['Clocks, as a sample shows them', 'lib/sample/sample.test.js', /clock/],
  ['Clocks, as they are judged', 'lib/judge/judge.test.js', /suspended/],
  ['What was not seen, as it is judged', 'lib/judge/absence.test.js'],
  ['Machines that are full of others', 'lib/e2e/verdicts.test.js', /full of others/],
  ['Servers that answer wrongly', 'lib/e2e/wrong-answers.test.js'],
  ['Servers that lie to the load alone', 'lib/e2e/lies.test.js'],
  ['Servers that lose events, or let another host answer', 'lib/e2e/events.test.js'],
  ['Servers of events', 'stacks/_ingest/conformance/life.test.js', /second server|kill -9/],
  [
    'Questions to a server',
    'lib/engines/ask.test.js',
    /refuses|password|another host|does not answer|did not take/,
  ],
  ['Others that answer at an address', 'lib/engines/strangers.test.js'],
  ['Passwords', 'lib/e2e/password.test.js'],
  ['Commands that are printed', 'lib/e2e/printed-commands.test.js'],
  ['Outputs that take nothing', 'lib/e2e/lost-outputs.test.js'],
  ['Paths', 'lib/e2e/odd-paths.test.js'],
  ['Variables of scripts', 'lib/e2e/script-variables.test.js'],
  ['Scripts that are not measured', 'lib/e2e/script-refusals.test.js', /^(?!a script that only)/],
  ['Gates of scripts', 'lib/e2e/script-gates.test.js'],
  ['Hooks of systems', 'lib/engines/hooks.test.js', /fails/],
  ['Companions of systems', 'lib/engines/companions.test.js', /failure|older run|ends under load/],
  ['Companions of systems, in a run', 'lib/e2e/companions.test.js'],
  ['Load generators that lie, die or hang', 'lib/e2e/lying-runners.test.js'],
  ['What a load generator hands over', 'lib/record/runners.test.js', /lies|missing|failed/],
  ['Ports', 'lib/process/ports.test.js'],
  ['Runs that were changed', 'lib/record/verify.test.js'],
  ['Runs whose files are of another form', 'lib/record/hostile-runs.test.js'],
  ['Nonsense for each parser', 'lib/fuzz.test.js'],
  ['Archives that were changed, or are none', 'lib/record/archive.test.js'],
  ['Runs that are taken up again', 'lib/verbs/resume.test.js'],
  ['Two at once on one run', 'lib/record/lock.test.js'],
  ['Folders of runs, and of others', 'lib/verbs/runs.test.js'],
  ['Folders that are none, or cannot be made', 'lib/e2e/places.test.js'],
  ['New systems', 'lib/verbs/new.test.js', /full disk/],
  ['What is removed, and what is not', 'lib/verbs/clean.test.js'],
  ['Runs that go, and runs without their checksums', 'lib/verbs/report.test.js', /prune|checksums/],
  ['Files', 'lib/store.test.js'],
  ['Disks that are full while they are timed', 'lib/environment/environment.test.js', /full|none/],
  ['Files that k6 left torn', 'lib/record/run-folder.test.js'],
  ['Temporary folders', 'lib/process/temporary.test.js'],
  ['What is mounted', 'lib/process/mounts.test.js'],
  ['Scripts of k6, before the load', 'lib/e2e/script-rehearsal.test.js', /^(?!what a script says|a warning)/],
  ['Scripts of k6 whose iterations last', 'lib/e2e/script-sessions.test.js', /answer/],
  ['Scripts of k6, between rehearsal and load', 'lib/engines/script-target.test.js'],
  ['Scripts of k6, under load', 'lib/e2e/script-failures.test.js'],
  ['Limits of the machine', 'lib/process/descriptors.test.js'],
  ['Terminals and pipes', 'lib/output.test.js', /reader|disk/],
  ['What others say, on a terminal', 'lib/format.test.js', /control/],
  ['What others say, in a report', 'lib/report/hostile.test.js'],
  ['What others say, in a table', 'lib/report/table.test.js', /^no |escaped|link/],
  ['What others say, for a spreadsheet', 'lib/report/exports.test.js', /spreadsheet/],
  ['What others say, in one text', 'lib/report/said.test.js', /megabytes/],
  ['Pages of somebody else, and names of folders', 'lib/report/index.test.js', /somebody else|names/],
  ['Manifests and profiles', 'lib/config/check.test.js', /^(?!the committed)/],
  ['Manifests and profiles that nobody honest wrote', 'lib/config/declared.test.js'],
  ['What a user once set for another k6', 'lib/generator/k6.test.js'],
  ['What is in HOME', 'lib/e2e/home.test.js'],
  ['What a user once set for other builds', 'lib/setup/plain-builds.test.js'],
  ['Faults of systems under load', 'lib/e2e/chaos.test.js'],
  ['Images that cannot be pulled', 'lib/e2e/docker/pulls.test.js'],
  ['Faults of systems in containers', 'lib/e2e/docker/faults.test.js'],
  ['Containers that die, and runs of them that are broken off', 'lib/e2e/docker/failures.test.js'],
  ['Systems that are killed under load', 'lib/e2e/kills.test.js'],
  ['Disks that lose their power', 'lib/e2e/power-loss.test.js'],
  ['The live view', 'lib/e2e/live.test.js', /InfluxDB in mid-run|browser/],
  ['Tools and builds', 'lib/process/tool.test.js'],
  ['Releases', 'lib/setup/releases.test.js'],
  ['Releases, on a machine without Go', 'lib/e2e/release.test.js'],
  ['Addresses of systems that somebody else runs', 'lib/engines/endpoint.test.js'],
  ['What is left over', 'lib/process/leftovers.test.js'],
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
  return `# Faults that a test tries\n\nWritten by \`node scripts/faults.js\` from the names of the tests, those of the honest case beside a fault too.\n\n${sections.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, faultsPage());
