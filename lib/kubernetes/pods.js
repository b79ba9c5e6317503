import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchError, orNull } from '../errors.js';
import { k6Outcome } from '../generator/k6.js';
import { endOfRunners } from '../generator/load.js';
import { firstAnswer } from '../process/within.js';
import { resultInLog } from '../record/runner-log.js';
import { readRunnerResult } from '../record/runner-result.js';
import { readText } from '../store.js';
import { getJson, kubectl } from './kubectl.js';
import { lookManifest, stateManifest, testRunManifest } from './manifests.js';

/**
 * Runners as pods: a TestRun of the k6 operator is a load, and one pod looks at what is stored before and after it. What they
 * found is read from their logs.
 * @import { CellPlan, Plan } from '../types.d.ts'
 * @import { Load, RunnerProblem } from '../generator/load.js'
 * @import { OpenCluster } from './cluster.js'
 * @import { Where } from './kubectl.js'
 */

/** Images may have to be pulled, and nodes to be made. */
export const READY_SEC = 300;
/** An operator that runs takes a TestRun up at once. */
const TAKEN_UP_SEC = 30;
const LOOK_EVERY_MS = 500;
/** How long a cluster is asked again for what should be there. */
const INSIST_MS = 10_000;
/** How long a log may take to come, and how many are asked for at once. */
const LOG_MS = 120_000;
const AT_ONCE = 8;
/** What no waiting changes. */
const HOPELESS =
  /^(ErrImageNeverPull|ImagePullBackOff|InvalidImageName|CreateContainerConfigError|CreateContainerError)$/;

/** Of a load that is not here. @type {Pick<Load, 'seen' | 'live' | 'discardLog'>} */
const ELSEWHERE = Object.freeze({ seen: null, live: async () => null, discardLog: () => {} });

/**
 * What a load, or a look, needs to know.
 * @typedef {object} PodCall
 * @property {Plan} plan
 * @property {CellPlan} cell
 * @property {string} url as the pods reach it
 * @property {string} stackFolder absolute
 * @property {Record<string, number>} ratesPerSec
 */

/**
 * @typedef {object} PodView
 * @property {string} name
 * @property {string} job whose pod it is
 * @property {string | null} node null: no node has room for it yet
 * @property {number | null} exitCode of k6; null: it has not ended
 * @property {string | null} ending why the container or the pod ended, where that is not its own doing
 * @property {string | null} waiting why it has not begun, in Kubernetes' words
 * @property {boolean} hopeless it will not begin
 * @property {number} restarts
 */

/**
 * @param {PodCall} call
 * @param {object} options
 * @param {number} options.count
 * @param {string | null} options.before absolute: what was looked at before the load
 * @param {(runner: number) => string} options.resultOf absolute path
 * @param {(runner: number) => string} options.logOf absolute path
 * @param {OpenCluster} cluster
 * @returns {Promise<Load>}
 */
export async function startPodRunners(call, { count, before, resultOf, logOf }, cluster) {
  const { where } = cluster;
  const { own, load, names, states } = await prepared('load', call, before, cluster);
  await cluster.create(testRunManifest({ ...load, runners: count }, names, where));
  // The operator's starter among them.
  const selector = `k6_cr=${own}`;
  const over = new AbortController();
  /** @type {RunnerProblem[]} */
  let late = [];
  const ended = untilEnded(over.signal, where, own, selector, count);
  return {
    ...ELSEWHERE,
    ended,
    begin: async () => {
      late = await untilBegun(over.signal, where, own, selector, count);
      return late.length === 0;
    },
    // What is left of them is not counted, so they need not end in order.
    interrupt: () => over.abort(),
    close: async () => {
      over.abort();
      const answer = await firstAnswer(INSIST_MS, LOOK_EVERY_MS, () => podsOf(where, selector));
      const pods = answer ?? [];
      const problems = [...late];
      const all = Array.from({ length: count }, (_, i) => i + 1);
      const collected = async (/** @type {number} */ runner) => {
        const files = { result: resultOf(runner), logPath: logOf(runner) };
        const problem = answer
          ? await collect(where, podsOfRunner(pods, own, runner), files)
          : 'the cluster did not say what became of its pod';
        if (problem) problems.push({ runner, problem });
      };
      // One whose log does not come must not keep all others waiting.
      for (const left = [...all]; left.length > 0; )
        await Promise.all(left.splice(0, AT_ONCE).map(collected));
      await remove(where, [`testruns.k6.io/${own}`, ...states], selector);
      const again = (/** @type {number} */ runner) =>
        podsOfRunner(pods, own, runner).reduce((sum, p) => sum + 1 + p.restarts, 0) > 1;
      return endOfRunners(problems, count, {
        restarted: all.filter(again),
        nodes: new Set(runnersAmong(pods, own).flatMap((p) => p.node ?? [])).size,
      });
    },
  };
}

/**
 * One k6 without load, in a pod of its own.
 * @param {PodCall} call
 * @param {{before: true} | {verify: string}} what `verify`: absolute, what the load left
 * @param {{file: string, limitSec: number}} options `file`: absolute, where its export goes; `limitSec`: once it began
 * @param {OpenCluster} cluster
 * @returns {Promise<Load>}
 */
export async function startPodLook(call, what, { file, limitSec }, cluster) {
  const { where } = cluster;
  const left = 'verify' in what ? what.verify : null;
  const { own, load, names, states } = await prepared('look', call, left, cluster);
  await cluster.create(lookManifest(load, left === null ? 'before' : 'after', names, where, limitSec));
  const over = new AbortController();
  const looked = lookedAt(over.signal, where, own, file).catch((error) => {
    if (error instanceof BenchError) return error.message;
    throw error;
  });
  return {
    ...ELSEWHERE,
    ended: looked.then(() => undefined),
    interrupt: () => over.abort(),
    close: async () => {
      over.abort();
      const problem = await looked.finally(() => remove(where, [`pods/${own}`, ...states]));
      return { ok: problem === null, reason: problem ?? '', k6ExitCode: null, log: [] };
    },
  };
}

/**
 * @param {AbortSignal} over
 * @param {Where} where
 * @param {string} name of the pod
 * @param {string} file absolute, where its export goes
 * @returns {Promise<string | null>} why it failed
 */
async function lookedAt(over, where, name, file) {
  while (!over.aborted) {
    const pod = viewOf(await getJson(where, [`pods/${name}`]));
    if (pod?.hopeless) return `a pod cannot begin: ${pod.waiting}`;
    if (pod?.ending) return `the pod was ended: ${pod.ending}`;
    if (pod && pod.exitCode !== null) {
      const { log, unread } = await logOf(where, name, { whole: pod.exitCode === 0 });
      const { ok, reason } = k6Outcome({ code: pod.exitCode, signal: null }, linesOf(log));
      if (!ok || unread) return ok ? unread : reason;
      writeFileSync(file, JSON.stringify(readRunnerResult(resultInLog(log)).histograms));
      return null;
    }
    await pause(LOOK_EVERY_MS);
  }
  return 'the pod had not ended';
}

/**
 * @param {'load' | 'look'} what
 * @param {PodCall} call
 * @param {string | null} seen absolute: what others have seen of the system
 * @param {OpenCluster} cluster
 * @returns what is asked for, with the scripts and `seen` on the cluster; `states`: what to remove with it
 */
async function prepared(what, call, seen, cluster) {
  const { scripts, name, login } = await cluster.give(call.cell, call.stackFolder);
  const state = seen && cluster.name('state');
  if (seen && state) await cluster.create(stateManifest(call.plan, readText(seen), state, cluster.where));
  const own = cluster.name(what);
  return {
    own,
    load: { ...call, scripts },
    names: { own, scripts: name, login, state },
    states: state ? [`configmaps/${state}`] : [],
  };
}

/**
 * @param {AbortSignal} over
 * @param {Where} where
 * @param {string} testRun
 * @param {string} selector
 * @param {number} count
 * @returns {Promise<void>} when all runners have ended, which the operator sees later; or, where one has no pod any more,
 *   when the operator says so
 */
async function untilEnded(over, where, testRun, selector, count) {
  while (!over.aborted) {
    const answer = await podsOf(where, selector);
    if (answer) {
      const pods = runnersAmong(answer, testRun);
      const ended = pods.filter(hasEnded).length;
      if (ended >= count) return;
      if (pods.length < count && ended === pods.length && isDone(await stageOf(where, testRun))) return;
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** @param {PodView} pod */
function hasEnded({ exitCode, ending }) {
  return exitCode !== null || ending !== null;
}

/**
 * @param {Where} where
 * @param {string} testRun
 * @returns {Promise<string | null>} null: the operator has not taken it up
 */
async function stageOf(where, testRun) {
  return (await getJson(where, [`testruns.k6.io/${testRun}`]))?.status?.stage ?? null;
}

/** @param {string | null} stage */
function isDone(stage) {
  return stage === 'stopped' || stage === 'finished';
}

/**
 * The operator tells them to begin, when all run.
 * @param {AbortSignal} over
 * @param {Where} where
 * @param {string} testRun
 * @param {string} selector
 * @param {number} count
 * @returns {Promise<RunnerProblem[]>} those that did not
 */
async function untilBegun(over, where, testRun, selector, count) {
  const started = Date.now();
  const forAll = (/** @type {(runner: number) => string} */ problemOf) =>
    Array.from({ length: count }, (_, i) => ({ runner: i + 1, problem: problemOf(i + 1) }));
  let takenUp = false;
  while (!over.aborted) {
    const stage = await stageOf(where, testRun);
    if (isDone(stage)) return [];
    takenUp ||= stage !== null;
    const waitedSec = (Date.now() - started) / 1000;
    if (!takenUp && waitedSec > TAKEN_UP_SEC)
      return forAll(
        () => `the k6 operator did not take the TestRun up within ${TAKEN_UP_SEC} s: is it running?`,
      );
    const pods = (await podsOf(where, selector)) ?? [];
    // "started" says that a pod was asked for that will tell them.
    const starter = pods.find((p) => p.job === `${testRun}-starter`);
    if (stage === 'started' && starter?.exitCode === 0) return [];
    if (starter?.hopeless || (starter && starter.exitCode !== 0 && hasEnded(starter))) {
      const why = starter.waiting ?? starter.ending ?? `it ended with code ${starter.exitCode}`;
      return forAll(() => `the operator's starter did not tell it to begin: ${why}`);
    }
    const stuck = pods.some((p) => p.hopeless) || waitedSec > READY_SEC || stage === 'error';
    if (stuck) return forAll((runner) => notBegun(podsOfRunner(pods, testRun, runner)));
    if (runnersAmong(pods, testRun).filter(hasEnded).length >= count) return [];
    await pause(LOOK_EVERY_MS);
  }
  return [];
}

/**
 * @param {PodView[]} pods of one runner
 * @returns {string} why it did not begin
 */
function notBegun(pods) {
  const waiting = pods.find((p) => p.waiting)?.waiting;
  if (waiting) return `its pod cannot begin: ${waiting}`;
  return pods.length === 0 ? 'the operator made no pod for it' : 'it was not told to begin';
}

/**
 * @param {Where} where
 * @param {PodView[]} pods of one runner; more than one where it was started more than once
 * @param {{result: string, logPath: string}} files absolute
 * @returns {Promise<string | null>} why its part is missing
 */
async function collect(where, pods, { result, logPath }) {
  rmSync(result, { force: true });
  rmSync(logPath, { force: true });
  const pod = pods.find((p) => p.exitCode === 0) ?? pods[0];
  if (!pod) return 'it has no pod';
  if (!hasEnded(pod)) return pod.waiting ?? 'its pod had not ended';
  const { log, unread } = await logOf(where, pod.name, { whole: pod.exitCode === 0 && pod.ending === null });
  if (pod.ending !== null) return `its pod was ended: ${pod.ending}`;
  const { ok, reason } = k6Outcome({ code: pod.exitCode, signal: null }, linesOf(log));
  try {
    writeFileSync(result, resultInLog(log));
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    if (ok) return unread ?? error.message;
  }
  if (ok) return null;
  writeFileSync(logPath, log);
  return reason;
}

/**
 * The end of a log may come later than word of the end of its pod: one that should hold a result is asked for again.
 * @param {Where} where
 * @param {string} pod
 * @param {{whole: boolean}} options whether it should
 * @returns {Promise<{log: string, unread: string | null}>} `log`: empty where there is none; `unread`: why the cluster did
 *   not hand it over
 */
async function logOf(where, pod, { whole }) {
  let log = '';
  /** @type {string | null} */
  let unread = null;
  await firstAnswer(INSIST_MS, LOOK_EVERY_MS, async () => {
    const args = ['logs', pod, '--container', 'k6', '--tail', '-1'];
    const { ok, stdout, problem } = await kubectl(where, args, { timeoutMs: LOG_MS });
    log = stdout;
    unread = ok ? null : `its log could not be read: ${problem}`;
    return !whole || orNull(() => resultInLog(log));
  });
  return { log, unread };
}

/**
 * @param {string} log
 * @returns {string[]} its last lines
 */
function linesOf(log) {
  return log.trimEnd().split('\n').slice(-10);
}

/**
 * Returns when they are gone, after their pods: these first, because they would be given half a minute with them.
 * @param {Where} where
 * @param {string[]} what `kind/name`
 * @param {string} [selector] of pods that would go on to the end of their load: the shell that k6 runs in hears no SIGTERM
 */
async function remove(where, what, selector) {
  const flags = ['--ignore-not-found', '--grace-period=1', '--timeout=60s'];
  const first = selector ? [['pods', '--selector', selector]] : [];
  for (const those of [...first, what])
    await kubectl(where, ['delete', ...those, ...flags], { timeoutMs: 90_000 });
}

/**
 * @param {Where} where
 * @param {string} selector
 * @returns {Promise<PodView[] | null>} null where the cluster does not answer
 */
async function podsOf(where, selector) {
  const list = await getJson(where, ['pods', '--selector', selector]);
  return list?.items.flatMap((/** @type {any} */ item) => viewOf(item) ?? []) ?? null;
}

/**
 * @param {PodView[]} pods
 * @param {string} testRun
 * @param {number} runner from 1
 * @returns {PodView[]}
 */
function podsOfRunner(pods, testRun, runner) {
  return pods.filter((p) => p.job === `${testRun}-${runner}`);
}

/**
 * @param {PodView[]} pods
 * @param {string} testRun
 * @returns {PodView[]} without the operator's starter
 */
function runnersAmong(pods, testRun) {
  return pods.filter((p) => p.job !== `${testRun}-starter`);
}

/**
 * @param {any} pod as the API has it; null: there is none
 * @returns {PodView | null}
 */
export function viewOf(pod) {
  if (!pod) return null;
  const { metadata, spec, status = {} } = pod;
  const [container] = status.containerStatuses ?? [];
  const { terminated, waiting } = container?.state ?? {};
  const unplaced = status.conditions?.find(
    (/** @type {any} */ c) => c.type === 'PodScheduled' && c.status === 'False',
  );
  const told = waiting && waiting.reason !== 'ContainerCreating' ? waiting : null;
  const killed = terminated?.reason === 'OOMKilled' || terminated?.signal;
  const evicted = status.phase === 'Failed' && !terminated;
  const textOf = (/** @type {any} */ { reason, message }) => [reason, message].filter(Boolean).join(': ');
  return {
    name: metadata.name,
    job: metadata.labels?.['job-name'] ?? metadata.name,
    node: spec?.nodeName ?? null,
    exitCode: terminated ? terminated.exitCode : null,
    ending: killed || evicted ? textOf(terminated ?? status) || 'no reason is given' : null,
    waiting: unplaced ? textOf(unplaced) : told && textOf(told),
    hopeless: told !== null && HOPELESS.test(told.reason),
    restarts: container?.restartCount ?? 0,
  };
}
