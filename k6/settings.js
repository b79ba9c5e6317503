/**
 * What the command line of k6 says: the same variables by hand and from the runner.
 * @import { Target } from './types.d.ts'
 */

/**
 * @typedef {object} Settings
 * @property {string} workload
 * @property {string} workloadFile
 * @property {string} profile
 * @property {{name: string, lane: number, stackFolder: string, target: Target}[]} systems that are loaded: one, without a
 *   name; of a trial those that it has up. `lane`: the event loop of each; `stackFolder`: where client.js lies, relative to
 *   main.js or absolute
 * @property {Target} target the first one's
 * @property {import('../lib/types.d.ts').TrialCall | null} trial whose loads the runner orders; null: a step of a profile
 * @property {string | null} step one step's id, or null for all closed ones in turn
 * @property {string} profilePath
 * @property {number | null} ratePerSec target of an open step, set by the runner from the measured knee
 * @property {Record<string, number>} ratesPerSec the same by operation
 * @property {import('../lib/types.d.ts').Step | null} planned the runner's own step in place of one of the profile
 * @property {string | null} verifyPath export of an earlier k6: no load, only its end is checked
 * @property {'all' | 'before' | 'load'} part `before`: no load, what is stored is looked at; `load`: neither before nor
 *   after it, which is for who shares a load among several runners
 * @property {string | null} beforePath `load`: what `before` exported
 * @property {number} runners that share the load
 * @property {string | null} resultPath where a runner's result goes; `-`: to its standard output, in pieces
 * @property {string | null} meet `http://…{runner}…`, or an address for each with commas between: where the REST API of
 *   each runner is, on which they agree when to begin; null where there is one
 * @property {boolean} checksState false for a target that keeps none: a calibration
 * @property {string | null} summaryPath where k6's own summary goes; null: k6 prints it
 * @property {string | null} histogramsPath
 */

/**
 * @param {Record<string, string>} env k6's `__ENV`
 * @returns {Settings}
 * @throws {Error} naming the missing variable and how to give it
 */
export function readSettings(env) {
  const need = (/** @type {string} */ name) => {
    if (!env[name]) throw new Error(`-e ${name}=… is missing: see "By hand" in the README`);
    return env[name];
  };
  const profile = need('PROFILE');
  /** @type {Settings['trial']} */
  const trial = env.TRIAL_JSON ? JSON.parse(env.TRIAL_JSON) : null;
  const alone = () => ({
    ...{ name: '', lane: 0, url: need('BASE_URL') },
    stackFolder: env.STACK_FOLDER ?? `../stacks/${need('SYSTEM')}`,
  });
  const systems = (trial?.systems ?? [alone()]).map(({ name, lane, stackFolder, url }) => ({
    ...{ name, lane, stackFolder },
    target: parseTarget(url, env.TRANSPORT ?? '', env.LADDERBENCH_USERINFO),
  }));
  return {
    workload: need('WORKLOAD'),
    workloadFile: env.WORKLOAD_FILE ?? `./workloads/${env.WORKLOAD}.js`,
    profile,
    systems,
    target: systems[0].target,
    trial,
    step: env.STEP ?? null,
    profilePath: env.PROFILE_FILE ?? `../profiles/${profile}.json`,
    ratePerSec: env.RATE_PER_SEC ? Number(env.RATE_PER_SEC) : null,
    ratesPerSec: env.RATES_PER_SEC ? JSON.parse(env.RATES_PER_SEC) : {},
    planned: env.STEP_JSON ? JSON.parse(env.STEP_JSON) : null,
    verifyPath: env.VERIFY_FILE ?? null,
    part: env.PART === 'before' || env.PART === 'load' ? env.PART : 'all',
    beforePath: env.BEFORE_FILE ?? null,
    runners: Number(env.RUNNERS ?? 1),
    resultPath: env.RESULT_FILE ?? null,
    meet: env.MEET || null,
    checksState: ['system', 'durability', 'chaos'].includes(env.ROLE ?? 'system'),
    summaryPath: env.SUMMARY_FILE ?? null,
    histogramsPath: env.HISTOGRAMS_FILE ?? null,
  };
}

/**
 * @param {string} url `scheme://host:port[/path]`
 * @param {string} transport
 * @param {string} [userinfo]
 * @returns {Target}
 */
export function parseTarget(url, transport, userinfo) {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/]*)@)?(\[[^\]]+\]|[^:/@]+)(?::(\d+))?(\/.*)?$/.exec(url);
  if (!match)
    throw new Error(`BASE_URL "${url.replace(/\/\/.*@/, '//')}" is no URL such as scheme://127.0.0.1:6379`);
  const [, scheme, ofUrl, host, port] = match;
  const target = {
    url: url.replace(`${ofUrl}@`, ''),
    host,
    port: Number(port ?? 0),
    transport: transport || scheme,
  };
  const login = userinfo ?? (ofUrl ? decodeURIComponent(ofUrl) : undefined);
  return login ? { ...target, login: loginOf(login) } : target;
}

/**
 * @param {string} userinfo `user:password`, or a password alone
 * @returns {{user?: string, password: string}}
 */
function loginOf(userinfo) {
  const at = userinfo.indexOf(':');
  const password = userinfo.slice(at + 1);
  return at > 0 ? { user: userinfo.slice(0, at), password } : { password };
}
