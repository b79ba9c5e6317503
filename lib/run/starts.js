import { dirname, join } from 'node:path';
import { memoryOf, watchedOf } from '../engines/watched.js';
import { comparisonsOfStarts, wantedOf } from '../figures/side-by-side.js';
import { keepsAll } from '../generator/k6.js';
import { startLoad } from '../generator/load.js';
import { warmSliceSec } from '../plan/estimate.js';
import { removeNow } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { readWhole, storeRecord } from '../record/records.js';
import { recordFiles, startId } from '../record/run-folder.js';
import { sideName, twinName } from '../record/starts.js';
import { idleCoresOf } from '../sample/threads.js';
import { sampleWatched } from '../sample/watched.js';
import { makeFolder, writeJson } from '../store.js';
import { agendaOf, conduct } from './conduct.js';
import { openControl } from './control.js';
import { endOf } from './ends.js';
import { demandTaken } from './settings-taken.js';
import { OPEN_MS } from './slices.js';
import { perform } from './trial.js';

/**
 * @import { RawSlice, PairedTrial, SideBySidePlan, StartRaw, StartRecord } from '../types.d.ts'
 * @import { Campaign } from './campaign.js'
 * @import { Side } from './slices.js'
 */

/** @typedef {Pick<StartRaw, 'status' | 'reason' | 'sides' | 'slices'>} Came what a start came to */

/** How long a system is watched without load: one that spins looks full whatever it does. */
const IDLE_MS = 300;
/** Of a start that says nothing. */
const NOTHING = Object.freeze({ sides: [], slices: [] });
/** @type {Came} */
const INTERRUPTED = Object.freeze({ status: 'aborted', reason: 'interrupted', ...NOTHING });

/** Which start it is. @typedef {{index: number, before: StartRecord[]}} Place `index`: of its trial; `before`: its starts so far */

/**
 * The next start of a trial of several systems, or what an earlier invocation measured of it. It is on disk when it ends.
 * @param {Campaign} campaign
 * @param {PairedTrial} group as its systems promise
 * @param {Place} place
 * @returns {Promise<StartRecord>}
 */
export async function startPaired(campaign, group, { index, before }) {
  const { plan, runFolder, signal, progress } = campaign;
  const start = before.length + 1;
  const id = startId(index, start);
  const done = /** @type {StartRecord | null} */ (readWhole(runFolder, id));
  if (done) {
    progress.skipStart(group, start);
    return done;
  }
  const wanted = wantedOf(/** @type {SideBySidePlan} */ (plan.sideBySide), group, before);
  const agenda = agendaOf(group, start, wanted);
  const files = recordFiles(id);
  const startedAt = new Date();
  makeFolder(dirname(join(runFolder, files.meta)));
  progress.starting(group, start, agenda);
  let came = INTERRUPTED;
  const trial = trialOf(campaign, group, start, agenda.names);
  const failed = (/** @type {Error} */ { message }) => {
    came = { status: 'failed', reason: message, ...NOTHING };
  };
  await perform(campaign, { ...trial, failed }, async (instances) => {
    const sides = trial.held.map(({ name, stack, system }, i) => {
      demandTaken(stack, system, instances[i]);
      return { name, system: system.id, stack, instance: instances[i] };
    });
    const exportFile = join(runFolder, files.histograms);
    came = await loadSides(campaign, group, { start, agenda, sides, exportFile });
  });
  /** @type {StartRaw} */
  const raw = {
    schemaVersion: 1,
    group: index,
    start,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    ...(signal.aborted ? INTERRUPTED : came),
  };
  writeJson(join(runFolder, files.meta), raw);
  const record = /** @type {StartRecord} */ (storeRecord(runFolder, id, plan));
  progress.started(group, record, comparisonsOfStarts(group, [...before, record]));
  campaign.view?.startEnded(group, record);
  return record;
}

/**
 * All systems of a group at once, on one CPU.
 * @param {Campaign} campaign
 * @param {PairedTrial} group
 * @param {number} start
 * @param {Set<string>} names of the sides that take part
 */
function trialOf({ plan, heldOf }, group, start, names) {
  // No system owns a lane: every second start has them the other way round.
  const order = [
    ...group.systems.map((id) => ({ id, name: sideName(group, id) })),
    { id: group.twinOf, name: twinName(group) },
  ].filter(({ name }) => names.has(name));
  const options = { ...plan.options, ports: {} };
  const cpus = plan.sideBySide?.placement.systems ?? [];
  return {
    held: (start % 2 === 0 ? order.reverse() : order).map(({ id, name }) => ({ name, ...heldOf(id) })),
    transport: group.transport,
    howOf: (/** @type {{name: string}} */ { name }) => ({ options, place: { name, cpus } }),
  };
}

/**
 * One k6, on the CPUs that are not the systems', does what the agenda has.
 * @param {Campaign} campaign
 * @param {PairedTrial} group
 * @param {{start: number, agenda: import('./conduct.js').Agenda, sides: Side[], exportFile: string}} of `exportFile`: absolute
 * @returns {Promise<Came>}
 */
async function loadSides(campaign, group, { start, agenda, sides, exportFile }) {
  const { plan, signal, fitting, progress } = campaign;
  const folder = temporaryFolder(`start-${start}`);
  const control = await openControl(sides.map((s) => s.name));
  /** @type {import('../generator/load.js').Load | null} */
  let load = null;
  try {
    const call = callOf(campaign, group, { start, sides, control: control.url });
    load = await startLoad({ ...call, files: { histograms: exportFile }, logPath: join(folder, 'k6.log') });
    // k6 reads its scripts meanwhile, on CPUs that are not theirs.
    const watched = sides.map(({ instance }) => watchedOf(instance));
    const idle = await idleCoresOf(watched, IDLE_MS);
    const generator = load.seen?.watched ?? null;
    /** @type {{warm: Record<string, boolean>, slices: RawSlice[], rssBytes: (number | null)[]}[]} */
    const done = [];
    const seed = plan.orderSeed + start;
    const warmSec = warmSliceSec(plan.profile);
    const onSlice = await shown(campaign, group, { start, sides });
    const conducted = conduct({
      ...{ group, agenda, seed, warmSec, sides, control, generator, fitting, signal, onSlice },
      onLoad: (...slice) => progress.loading(group, ...slice),
    }).then((all) => {
      // While their connections are there still.
      done.push({ ...all, rssBytes: sides.map(({ instance }) => memoryOf(instance)) });
      control.end();
    });
    const { outcome, dead } = await endOf(load, {
      ...{ signal, interrupted: campaign.interrupted, instances: sides.map((s) => s.instance) },
      ...{ limitSec: OPEN_MS / 1000, writeMs: 0, failing: conducted },
      before: () => (done.length > 0 ? null : 'its work was done'),
    });
    if (outcome.status !== 'ok') return told(outcome, dead, sides);
    const [{ warm, slices, rssBytes }] = done;
    return {
      status: 'ok',
      reason: null,
      sides: sides.map(({ name, system, instance }, lane) => ({
        ...{ name, lane, system, version: instance.version, warm: warm[name] },
        ...{ idleCores: idle[lane], rssBytes: rssBytes[lane] },
      })),
      slices,
    };
  } finally {
    await load?.close();
    await control.close();
    removeNow(folder);
  }
}

/**
 * @param {Campaign} campaign
 * @param {PairedTrial} group
 * @param {{start: number, sides: Side[]}} of
 * @returns {Promise<import('./slices.js').Loaded['onSlice']>} undefined: nobody watches
 */
async function shown({ view }, group, { start, sides }) {
  if (!view) return undefined;
  const shownSides = sides.map(async ({ name, system, instance }) => ({
    ...{ name, system },
    containers: await instance.identity?.(),
  }));
  const show = view.startBegan(group, start, await Promise.all(shownSides));
  return (slice, more) => {
    // Between two slices: what a container's files say of it costs no operation that counts.
    const uses = sides.map(({ name, instance }) => {
      const watched = watchedOf(instance);
      return { name, use: watched?.containers ? sampleWatched(watched, null) : null };
    });
    show(slice, { ...more, uses });
  };
}

/**
 * @param {import('./ends.js').Outcome} outcome
 * @param {Side['instance'] | null} dead
 * @param {Side[]} sides
 * @returns {Came} its reason is one line: with the system that it is about, and its last word
 */
function told({ status, reason, logTail }, dead, sides) {
  const system = sides.find((s) => s.instance === dead)?.system;
  const last = dead && logTail[logTail.length - 1];
  return { status, reason: [system, reason, last].filter(Boolean).join(': '), ...NOTHING };
}

/**
 * @param {Campaign} campaign
 * @param {PairedTrial} group
 * @param {{start: number, sides: Side[], control: string}} of `control`: URL
 */
function callOf({ plan, k6, project, runFolder }, group, { start, sides, control }) {
  const { workload, transport, cells } = group;
  return {
    ...{ binary: k6, plan, workload, transport, runFolder },
    profilePath: join(runFolder, 'profile.json'),
    heldTo: /** @type {SideBySidePlan} */ (plan.sideBySide).placement.generator,
    project: sides.some((s) => s.instance.containers) ? project : null,
    trial: {
      start,
      users: Math.max(...cells.map((c) => c.connections)),
      control,
      systems: sides.map(({ name, system, stack, instance }, lane) => ({
        ...{ name, lane, keepsAll: keepsAll(plan, system) },
        ...{ stackFolder: stack.folder, url: instance.url },
      })),
    },
  };
}
