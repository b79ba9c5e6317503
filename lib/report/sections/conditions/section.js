import { datasetOf, takesTurns } from '../../../../k6/schedule/facts.js';
import { holds } from '../../../config/durability.js';
import { isOpenStep } from '../../../config/step-text.js';
import { cellsOf, pairedCells } from '../../../config/trials.js';
import { busynessText } from '../../../environment/busyness.js';
import { groupBy } from '../../../group-by.js';
import { FULL, LIMITS } from '../../../judge/method.js';
import { k6PageOf } from '../../../record/run-folder.js';
import { fromPods } from '../../../record/who-loads.js';
import { versionOf } from '../../systems.js';
import { phrase, templateBeside } from '../../template.js';

/**
 * @import { CellRecord, Plan, PlannedSystem } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Written } from '../../template.js'
 */

const write = templateBeside(import.meta.url);

/**
 * What was measured on which machine, by which method, and where its files are.
 * @param {Run} run
 * @returns {Written}
 */
export function section(run) {
  const { plan, environment, records, measured, conformance, verdicts } = run;
  const { takenAt, git, host, tools, resumed = [], cluster = null } = environment;
  const live = measured.filter((r) => r.live !== null);
  return write(plan, {
    ...{ plan, docker: plan.docker ?? null, cluster, verdicts, tools, conformance },
    // An older environment does not tell of packets.
    host: { network: null, ...host, limits: limitsOf(host.cgroup) },
    busy: host.busyBefore ? busynessText(host.busyBefore) : null,
    // A run may have gone on elsewhere, or with other code.
    places: [{ at: takenAt, git, host }, ...resumed],
    live: live.length > 0 ? { lossy: live.filter((r) => r.live?.lossy).length } : null,
    isInPods: fromPods(plan.options),
    ...{ generators: generatorsOf(measured), pods: systemPodsOf(measured) },
    images: Object.values(plan.docker?.images ?? {}).map(({ ref, id, digest = null, source }) => ({
      ...{ source, digest, name: ref.split('@')[0], content: id.replace('sha256:', '') },
    })),
    systems: plan.systems.map((s) => systemOf(run, s)),
    ...methodOf(plan),
    pages: records.filter((r) => r.k6Html).map(({ cell }) => ({ cell, path: k6PageOf(cell) })),
  });
}

/** @param {Run} run @param {PlannedSystem} system */
function systemOf(run, system) {
  const version = versionOf(run, system.id);
  const own = run.records.filter((r) => r.system === system.id);
  return {
    ...{ ...system, version, settings: settingsText(system, own, version) },
    ...{ meaning: meaningText(system, own), told: notesFor(system, version) },
  };
}

/** What the kernel reports where no limit is set: "max", -1, or a number near the largest that it can hold. */
const NO_LIMIT = /^(max|-1|9223372036854\d{6})\b/;

/**
 * @param {{version: string, cpu: string | null, memory: string | null}} cgroup as the kernel has it
 * @returns {{version: string, cpu: string | null, memory: number | null}} null where there is no limit
 */
export function limitsOf({ version, cpu, memory }) {
  const known = (/** @type {string | null} */ limit) => limit !== null && !NO_LIMIT.test(limit);
  return { version, cpu: known(cpu) ? cpu : null, memory: known(memory) ? Number(memory) : null };
}

/**
 * @param {CellRecord[]} measured
 * @returns {object | null} null where one generator did it all
 */
function generatorsOf(measured) {
  const shared = measured.flatMap((r) => r.generators ?? []);
  if (shared.length === 0) return null;
  const latest = Math.max(...shared.map((g) => g.startSkewMs ?? Number.POSITIVE_INFINITY));
  return {
    latestMs: Number.isFinite(latest) ? latest : null,
    whole: shared.filter((g) => g.missing.length === 0).length,
    cells: shared.length,
    nodes: Math.max(0, ...shared.map((g) => g.nodes ?? 0)),
  };
}

/** @param {CellRecord[]} measured @returns {object[]} of each system in pods, from where its CPU and memory are known, or why not */
function systemPodsOf(measured) {
  const asked = measured.filter((r) => r.systemPods !== undefined);
  return groupBy(asked, (r) => r.system).map((own) => ({
    ...{ system: own[0].system, cells: own.length },
    known: own.filter((r) => r.systemPods?.why === null).length,
    pods: Math.max(...own.map((r) => r.systemPods?.pods ?? 0)),
    why: [...new Set(own.flatMap((r) => r.systemPods?.why ?? []))],
  }));
}

/**
 * @param {PlannedSystem} system
 * @param {CellRecord[]} records its own
 * @param {string | null} version
 * @returns {string} what it was given, or, of a server that somebody else set up, what it says
 */
export function settingsText(system, records, version) {
  const external = system.engine === 'external';
  const stated = external ? records.find((r) => r.stated)?.stated : system.settings;
  const ofVersion = (system.traitsWhen ?? []).filter((when) => holds(when, { version }));
  const all = Object.entries(Object.assign({}, stated, ...ofVersion.map((when) => when.traits)));
  return phrase('settingsText', { external, stated: stated ?? null, all });
}

/**
 * @param {PlannedSystem} system
 * @param {CellRecord[]} records its own
 * @returns {string} what an acknowledgement meant, by transport where that made a difference
 */
export function meaningText(system, records) {
  const measured = records.filter((r) => r.status === 'ok');
  const meanings = groupBy(measured, (r) => r.durability);
  return phrase('meaningText', { planned: system.durability.meaning, meanings });
}

/**
 * @param {Pick<PlannedSystem, 'notes' | 'notesWhen'>} system
 * @param {string | null} version null: none of those that hold of a range
 * @returns {string[]} what its manifest says of how it is built, as far as it holds of the version that ran
 */
export function notesFor({ notes = [], notesWhen = [] }, version) {
  return [...notes, ...notesWhen.filter((rule) => holds(rule, { version })).map(({ note }) => note)];
}

/** @param {Plan} plan @returns {object} limits of the method, and which of its rules this run has */
function methodOf({ profile, workloads, trials }) {
  const cells = cellsOf({ trials });
  const pauses = workloads.flatMap((w) => (takesTurns(w) ? [datasetOf(w, profile).thinkMs ?? 0] : []));
  return {
    ...{ full: FULL, limits: LIMITS, cells: cells.length > 0, open: profile.steps.some(isOpenStep) },
    slotMs: pairedCells({ trials }).find((c) => c.slotMs)?.slotMs ?? null,
    ...{ turns: workloads.some(takesTurns), pauseMs: Math.max(0, ...pauses) },
    byCount: cells.some((c) => c.step.operations !== undefined),
    errorRatio: profile.thresholds.errorRatio ?? LIMITS.errorRatio,
  };
}
