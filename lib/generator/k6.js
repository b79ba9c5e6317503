import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { segmentOf, sequenceOf } from '../../k6/schedule/segments.js';
import { isJudgedByScript, K6_EXIT } from '../config/k6-exit.js';
import { USERINFO, userinfoOf } from '../engines/endpoint.js';
import { ROOT } from '../paths.js';
import { unsetForK6 } from '../process/plain.js';
import { lastErrorIn } from './k6-log.js';
import { outputsFor } from './outputs.js';
import { scriptCall } from './script.js';
import { K6_RUN, QUIET } from './script-variables.js';

/** @import { CellPlan, Plan, TrialCall } from '../types.d.ts' */

/** The only place that knows k6's command line. */

/** The only script of ours. */
const MAIN = join(ROOT, 'k6', 'main.js');
const LOOPBACK = '127.0.0.1';

/** A load is tried once by one process: a resumed run is another one. */
const ATTEMPT = randomUUID();

/**
 * What every k6 is told: one that performs a step, and one that the runner orders about.
 * @typedef {object} AnyCall
 * @property {string} binary
 * @property {Plan} plan
 * @property {string} profilePath absolute; the profile as this run uses it
 * @property {number} apiPort loopback port of k6's REST API
 * @property {string} [listenHost] address that k6's own pages listen on (default: loopback)
 */

/**
 * @typedef {object} StepCall
 * @property {CellPlan} cell
 * @property {string} url of the system
 * @property {string} stackFolder absolute
 * @property {{summary: string, histograms: string, live: string}} files absolute
 * @property {RunnerCall} [runner] one of several that share the load: it checks no state and writes one file
 * @property {true} [before] no load: what the system holds is looked at, for the runners and for the check after them
 * @property {string} [verify] what an earlier call exported: only the state is checked against it
 * @property {Record<string, number>} ratesPerSec open model: target by operation
 * @property {{influxUrl: string | null, dashboardPort: number | null}} telemetry
 * @property {string | null} [page] absolute: where k6 writes its own page at the end
 */

/**
 * @typedef {object} OrdersCall
 * @property {TrialCall} trial
 * @property {string} workload
 * @property {string} transport
 * @property {{histograms: string}} files absolute
 * @property {number[]} heldTo CPUs: those that are not the systems'
 */

/** @typedef {AnyCall & StepCall} K6Call @typedef {AnyCall & OrdersCall} K6TrialCall */

/**
 * @typedef {object} RunnerCall
 * @property {number} runner from 1
 * @property {number} runners
 * @property {number} loops event loops of its own, so that all of them together have as many as one generator has
 * @property {string} result absolute: where its result goes
 * @property {string | null} before absolute: what was looked at before the load; null for a target that keeps no state
 * @property {string | null} meet as of `Settings` of k6/settings.js; null for one alone
 */

/**
 * @param {K6Call | K6TrialCall} call
 * @returns {{command: string[], env: Record<string, string | undefined>}}
 */
export function k6Command(call) {
  const { options, file, env } = 'trial' in call ? trialPart(call) : stepPart(call);
  const address = `${call.listenHost ?? LOOPBACK}:${call.apiPort}`;
  return {
    command: [call.binary, ...K6_RUN, '--address', address, ...options, file],
    env: { ...env, ...QUIET },
  };
}

/** What is asked of k6. @typedef {Omit<NonNullable<ReturnType<typeof scriptCall>>, 'output'> & {output?: string}} Part */

/**
 * @param {Record<string, string>} variables
 * @param {Record<string, string>} [tags] of all samples
 * @returns {Part} of a workload of this suite
 */
function ourPart(variables, tags = {}) {
  return {
    options: [...pairs('--tag', tags), ...pairs('--env', variables)],
    env: unsetForK6(process.env, [USERINFO, ...BY_HAND]),
    file: MAIN,
  };
}

/**
 * It has an event loop for each system, no output beside its own file, and no page.
 * @param {K6TrialCall} call
 * @returns {Part}
 */
function trialPart({ plan, profilePath, trial, workload, transport, files }) {
  const part = ourPart({
    ...commonVariables(plan, workload, transport, profilePath),
    TRIAL_JSON: JSON.stringify(trial),
    HISTOGRAMS_FILE: files.histograms,
  });
  return { ...part, env: { ...part.env, BURST_LOOPS: String(trial.systems.length) } };
}

/** @param {string} flag @param {Record<string, string>} values @returns {string[]} */
function pairs(flag, values) {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

/**
 * @param {K6Call} call
 * @returns {Part}
 */
function stepPart(call) {
  const { plan, cell, url, files, telemetry, page, runner, listenHost = LOOPBACK } = call;
  const userinfo = userinfoOf(cell.system);
  const isShown = telemetry.dashboardPort !== null || Boolean(page);
  const tags = {
    run: plan.runId,
    system: cell.system,
    workload: cell.workload,
    profile: plan.profileId,
    transport: cell.transport,
  };
  const script = scriptCall({ plan, cell, url, histograms: files.histograms, tags });
  /** @type {Part} */
  const part = script ?? ourPart(variablesOf(call), tags);
  // As the k6 operator starts its runners: each with its segment, all of them paused until they are told to begin.
  const sharing = runner && [
    '--paused',
    `--execution-segment=${segmentOf(runner.runner, runner.runners)}`,
    `--execution-segment-sequence=${sequenceOf(runner.runners)}`,
  ];
  // Only looking at the state is no load.
  const isLoad = !call.before && !call.verify;
  const load = [cell.id, runner?.runner].filter(Boolean).join('.');
  const own = isLoad ? outputsFor(load, process.env) : null;
  const outputs = [
    ...(part.output ? [part.output] : []),
    ...(telemetry.influxUrl ? [`influxdb-agg=${telemetry.influxUrl}`] : []),
    ...(isShown ? ['web-dashboard'] : []),
    ...(own?.outputs ?? []),
  ];
  return {
    options: [...(sharing ?? []), ...part.options],
    file: part.file,
    env: {
      ...part.env,
      ...own?.env,
      ...(userinfo ? { [USERINFO]: userinfo } : {}),
      ...(runner ? { BURST_LOOPS: String(runner.loops) } : {}),
      ...hiddenArguments(outputs.flatMap((output) => ['--out', output])),
      K6_INFLUXDB_AGG_REPORT: files.live,
      K6_WEB_DASHBOARD_HOST: listenHost,
      K6_WEB_DASHBOARD_PORT: String(telemetry.dashboardPort ?? -1),
      K6_WEB_DASHBOARD_PERIOD: '1s',
      ...(page ? { K6_WEB_DASHBOARD_EXPORT: page } : {}),
      // A script has metrics of its own, and k6's panels for them.
      ...(script || !isShown ? {} : { XK6_DASHBOARD_CONFIG: join(ROOT, 'k6', 'dashboard.json') }),
    },
  };
}

/**
 * Not on the command line, which everybody on this machine can read: an address may hold a password. Nor in K6_OUT, which
 * k6 cuts at commas, those of a path, too.
 * @param {string[]} args
 * @returns {Record<string, string>} what our k6 (k6/extension/main.go) adds to its arguments
 */
function hiddenArguments(args) {
  return args.length > 0 ? { LADDERBENCH_ARGUMENTS: JSON.stringify(args) } : {};
}

/**
 * @param {K6Call} call
 * @returns {Record<string, string>} what k6/settings.js reads
 */
export function variablesOf(call) {
  const { plan, cell, runner } = call;
  return {
    SYSTEM: cell.system,
    ...commonVariables(plan, cell.workload, cell.transport, call.profilePath),
    STEP: cell.step.id,
    ROLE: cell.role,
    BASE_URL: call.url,
    STACK_FOLDER: call.stackFolder,
    STEP_JSON: JSON.stringify(cell.step),
    LOAD_ID: `${cell.id}/${ATTEMPT}`,
    ...(keepsAll(plan, cell.system) ? { KEEPS_ALL: '1' } : {}),
    RATES_PER_SEC: JSON.stringify(call.ratesPerSec),
    ...(runner
      ? {
          PART: 'load',
          RUNNERS: String(runner.runners),
          RESULT_FILE: runner.result,
          ...(runner.before ? { BEFORE_FILE: runner.before } : {}),
          ...(runner.meet ? { MEET: runner.meet } : {}),
        }
      : { SUMMARY_FILE: call.files.summary, HISTOGRAMS_FILE: call.files.histograms }),
    // Who looks before or after several must know that one process has not sent all.
    ...((call.before || call.verify) && cell.role === 'system' && plan.options.generators
      ? { RUNNERS: String(plan.options.generators.count) }
      : {}),
    ...(call.before ? { PART: 'before' } : {}),
    ...(call.verify ? { VERIFY_FILE: call.verify } : {}),
  };
}

/**
 * @param {Pick<Plan, 'systems'>} plan
 * @param {string} id of a system
 * @returns {boolean} whether it drops nothing that it was given: who was given by its address may
 */
export function keepsAll({ systems }, id) {
  const system = systems.find((s) => s.id === id);
  return system !== undefined && !system.endpoint && system.evictsAt === undefined;
}

/**
 * @param {Plan} plan
 * @param {string} workload
 * @param {string} transport
 * @param {string} profilePath
 * @returns {Record<string, string>} with the place of a workload outside the tree
 */
function commonVariables({ profileId, workloads }, workload, transport, profilePath) {
  const file = workloads?.find((w) => w.id === workload)?.file;
  return {
    WORKLOAD: workload,
    ...(file ? { WORKLOAD_FILE: file } : {}),
    PROFILE: profileId,
    PROFILE_FILE: profilePath,
    TRANSPORT: transport,
  };
}

/**
 * What the script reads where somebody starts it by hand. k6 takes its options from the environment too, and hands all of it
 * on to the script: what a user once set for another k6 must not change what is measured. Ours are given on its command line.
 */
const BY_HAND = [
  ...[
    'VERIFY_FILE',
    'RATE_PER_SEC',
    'PART',
    'RUNNERS',
    'RESULT_FILE',
    'BEFORE_FILE',
    'WORKLOAD_FILE',
    'MEET',
    'LOAD_ID',
    'KEEPS_ALL',
  ],
  ...['SUMMARY_FILE', 'HISTOGRAMS_FILE', 'TRIAL_JSON', 'STEP_JSON', 'RATES_PER_SEC', 'STACK_FOLDER'],
];

/**
 * @param {{code: number | null, signal: string | null}} end
 * @param {string[]} log JSON lines
 * @returns {{ok: boolean, reason: string}} the reason is k6's own last error, one line
 */
export function k6Outcome({ code, signal }, log) {
  if (code === 0 || isJudgedByScript(code)) return { ok: true, reason: '' };
  const meaning = K6_EXIT[Number(code)] ? ` (${K6_EXIT[Number(code)].what})` : '';
  const how = signal ? `was ended by ${signal}` : `ended with code ${code}${meaning}`;
  return { ok: false, reason: `k6 ${how}: ${lastErrorIn(log.join('\n')) ?? 'no message'}` };
}

/** Of k6's own: all users are there, and it waits to be told to begin. */
const PAUSED_BEFORE_RUN = 4;

/**
 * @param {number} apiPort
 * @param {string} [host]
 * @returns {Promise<boolean>} whether k6 is ready and waits to be told to begin
 */
export async function waitsToBegin(apiPort, host) {
  const status = await askK6(apiPort, 'status', { host, timeoutMs: 1000 });
  return status?.attributes.status === PAUSED_BEFORE_RUN;
}

/**
 * @param {number} apiPort
 * @param {string} [host]
 * @returns {Promise<boolean>} whether k6 took it
 */
export async function begin(apiPort, host) {
  const body = JSON.stringify({ data: { type: 'status', id: 'default', attributes: { paused: false } } });
  const headers = { 'content-type': 'application/json' };
  return (await askK6(apiPort, 'status', { host, timeoutMs: 5000, method: 'PATCH', headers, body })) !== null;
}

/**
 * What k6 says of itself while it runs.
 * @param {number} apiPort
 * @returns {Promise<import('./load.js').Live | null>} null while it does not answer
 */
export async function liveFigures(apiPort) {
  /** @type {{id: string, attributes: {sample: Record<string, number>}}[] | null} */
  const metrics = await askK6(apiPort, 'metrics', { timeoutMs: 500 });
  const sampleOf = (/** @type {string} */ id) => metrics?.find((m) => m.id === id)?.attributes.sample;
  return (
    metrics && {
      ratePerSec: sampleOf('op_rate_per_sec')?.value ?? null,
      p95Ms: sampleOf('op_p95_ms')?.value ?? null,
      ended: (sampleOf('op_count')?.count ?? 0) + (sampleOf('op_errors')?.count ?? 0),
    }
  );
}

/**
 * @param {number} apiPort
 * @param {'status' | 'metrics'} what
 * @param {RequestInit & {host?: string, timeoutMs: number}} options
 * @returns {Promise<any>} null where k6 does not answer, or does not do it
 */
async function askK6(apiPort, what, { host = LOOPBACK, timeoutMs, ...options }) {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`http://${host}:${apiPort}/v1/${what}`, { ...options, signal });
    return response.ok ? (await response.json()).data : null;
  } catch {
    return null;
  }
}
