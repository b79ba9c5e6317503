import { duration } from '../format.js';
import { groupBy } from '../group-by.js';
import { cachePath } from '../paths.js';
import { ownCpus } from '../process/cpu-limit.js';
import { readJsonOr, writeJson } from '../store.js';
import { hookBuilds, isBuilt, laneOf, stackBuilds } from './builds.js';
import { canBeUnpacked, findNeed, lacksProgram } from './needs.js';

/**
 * @import { NativeNeed, Stack } from '../types.d.ts'
 * @import { Build } from './builds.js'
 */

/** What fetches from the archive take, however many: lists of packages, and unpacking. Measured: 6 to 9 s. */
const UNPACK_SEC = 8;
/** Lists of packages that the first fetch of a day gets. */
const LISTS_MEGABYTES = 20;
/** Of an ordinary line; a slower one takes longer, and the announcement says how much is fetched. */
const MEGABYTES_PER_SEC = 5;

/**
 * One thing that set-up will fetch or build.
 * @typedef {object} Missing
 * @property {string} title
 * @property {string} what `build`, or the package that is unpacked
 * @property {string} lane what else goes one after another with it: the builds of one tool
 * @property {number | null} seconds about; null where it was not measured
 * @property {number} cpuSec that a build takes of all CPUs, which the others share; 0 where that is not known
 * @property {number | null} megabytes that are fetched
 * @property {string} [said] how long it takes by its manifest, where it was not measured
 */

/**
 * What set-up would fetch or build for these systems; nothing is changed to find out.
 * @param {Stack[]} stacks systems to be run natively, and calibration targets
 * @param {{builds?: Build[], needs?: NativeNeed[]}} more what every run needs
 * @returns {Missing[]} in the order of the set-up
 */
export function missingFor(stacks, { builds = [], needs = [] }) {
  const able = stacks.filter((s) => !lacksProgram(s));
  const wanted = [...builds, ...able.flatMap((s) => [...stackBuilds(s), ...hookBuilds(s, 'native')])];
  const unbuilt = wanted.filter((b) => !isBuilt(b));
  const programs = [...stacks.flatMap((s) => s.manifest.native?.needs ?? []), ...needs];
  const packages = programs.filter((n) => !findNeed(n) && canBeUnpacked(n));
  return [
    ...groupBy(unbuilt, (b) => b.output).map(([build]) => missingBuild(build)),
    ...groupBy(packages, (n) => n.binary).map(([need]) => ({
      title: need.binary,
      what: `Debian's ${need.debian}`,
      lane: need.binary,
      cpuSec: 0,
      seconds: UNPACK_SEC,
      megabytes: need.megabytes ?? null,
    })),
  ];
}

/**
 * @param {Missing[]} missing
 * @returns {string[]} lines to say before any of it is done; empty where nothing is
 */
export function missingText(missing) {
  if (missing.length === 0) return [];
  const sum = (/** @type {(m: Missing) => number | null} */ read) =>
    missing.reduce((total, m) => total + (read(m) ?? 0), 0);
  const lists = missing.some((m) => m.what !== 'build') ? LISTS_MEGABYTES : 0;
  const seconds = Math.max(
    sum((m) => m.cpuSec) / ownCpus(),
    ...groupBy(missing, (m) => m.lane).map((lane) => lane.reduce((total, m) => total + (m.seconds ?? 0), 0)),
  );
  const megabytes = Math.ceil(sum((m) => m.megabytes) + lists);
  const unmeasured = missing.filter((m) => m.seconds === null).length;
  const said = [
    ...(seconds > 0 ? [`about ${duration(seconds)}`] : []),
    ...(unmeasured > 0 ? [`${unmeasured} ${unmeasured === 1 ? 'build' : 'builds'} of unknown duration`] : []),
  ];
  const width = Math.max(...missing.map((m) => m.title.length));
  return [
    `Set-up, once: ${said.join(', and ')}${megabytes > 0 ? `; about ${megabytes} MB to fetch` : ''}`,
    ...missing.map(
      (m) =>
        `  ${m.title.padEnd(width)}  ${m.what}${m.seconds === null ? (m.said ? `, ${m.said}` : '') : `, about ${duration(m.seconds)}`}${m.megabytes ? `, ${m.megabytes} MB` : ''}`,
    ),
  ];
}

/** @param {Build} build @returns {Missing} */
function missingBuild(build) {
  const { title, cost, about } = build;
  const took = tookBefore();
  const cpuSec = took[title]?.cpuSec ?? (cost ? cost.cpuSec * paceOf(Object.values(took)) : null);
  const megabytes = cost?.megabytes ?? null;
  return {
    title,
    what: 'build',
    lane: laneOf(build),
    cpuSec: cpuSec ?? 0,
    seconds: cpuSec === null ? null : Math.ceil(cpuSec / ownCpus() + Number(megabytes) / MEGABYTES_PER_SEC),
    megabytes,
    said: about,
  };
}

/**
 * CPU time that a build took on this machine, and that its manifest says it takes on the one where that was measured, or 0.
 * @typedef {{cpuSec: number, elsewhereSec: number}} Took
 */

/**
 * @param {Took[]} took builds of this machine
 * @returns {number} CPU time here for a second of CPU time there; 1 before the first build
 */
function paceOf(took) {
  const both = took.filter((t) => t.elsewhereSec > 0);
  const sum = (/** @type {keyof Took} */ key) => both.reduce((total, t) => total + t[key], 0);
  return both.length > 0 ? sum('cpuSec') / sum('elsewhereSec') : 1;
}

/** What builds took on this machine: what it says of the next ones. */
const TOOK = () => cachePath('builds-took.json');

/** @returns {Record<string, Took>} by the title of the build */
const tookBefore = () => readJsonOr(TOOK(), {});

/**
 * @param {Pick<Build, 'title' | 'cost'>} build that has ended well
 * @param {number} cpuSec
 */
export function remember({ title, cost }, cpuSec) {
  writeJson(TOOK(), { ...tookBefore(), [title]: { cpuSec, elsewhereSec: cost?.cpuSec ?? 0 } });
}
