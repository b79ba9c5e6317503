import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { userinfoOf } from '../engines/endpoint.js';
import { BenchError } from '../errors.js';
import { tearDownAtEnd } from '../process/tear-down.js';
import { jsonOf, which } from '../process/tool.js';
import { flagsOf, getJson, kubectl } from './kubectl.js';
import { generatorImage, loginManifest, nameOf, RUN_LABEL, scriptsManifest } from './manifests.js';
import { scriptFiles } from './script-files.js';

/**
 * What a run has on a cluster: all of it carries the run's label, and is gone when the run ends, however it ends.
 * @import { CellPlan, GeneratorOptions, Plan } from '../types.d.ts'
 * @import { Cluster } from './manifests.js'
 * @import { ScriptFiles } from './script-files.js'
 */

/** Kinds that are made directly; jobs, pods and services of a TestRun go with it. */
const KINDS = ['testruns.k6.io', 'pods', 'configmaps'];
const TEAR_DOWN = fileURLToPath(new URL('tear-down.sh', import.meta.url));

/**
 * @typedef {object} OpenCluster
 * @property {Cluster & import('./kubectl.js').Where} where
 * @property {(manifest: any) => Promise<void>} create rejects with a BenchError
 * @property {(what: string) => string} name a fresh one, which no other run has
 * @property {(cell: CellPlan, stackFolder: string) => Promise<{scripts: ScriptFiles, name: string, login: string}>} give the
 *   scripts of a load and, where the system wants one, its login; made once
 * @property {() => Promise<void>} close
 */

/**
 * Looks whether a load can be begun, before anything is measured.
 * @param {GeneratorOptions} options
 * @returns {Promise<{version: string | null, nodes: {cpus: string, memory: string, system: string}[] | null}>} `nodes`: null
 *   where the context may not read them
 * @throws {BenchError} where there is no kubectl, no cluster, no operator, or no right to use it
 */
export async function demandCluster(options) {
  if (which('kubectl') === null)
    throw new BenchError('--on kubernetes needs kubectl, and it is not on PATH', {
      hint: 'install it (https://kubernetes.io/docs/tasks/tools/), or print the manifests with --render-only',
    });
  const known = await kubectl(options, ['get', 'testruns.k6.io', '--output', 'name']);
  if (!known.ok) throw unusable(known.problem, options);
  const version = jsonOf(await kubectl(options, ['version', '--output', 'json']));
  const nodes = await getJson(options.context ? { context: options.context } : {}, ['nodes']);
  return {
    version: version?.serverVersion?.gitVersion ?? null,
    nodes:
      nodes?.items.map((/** @type {any} */ { status }) => ({
        cpus: String(status.capacity?.cpu),
        memory: String(status.capacity?.memory),
        system: `${status.nodeInfo?.osImage}, ${status.nodeInfo?.architecture}`,
      })) ?? null,
  };
}

/**
 * @param {string} problem of kubectl
 * @param {GeneratorOptions} options
 * @returns {BenchError}
 */
function unusable(problem, { context }) {
  const of = context ? ` of the context ${context}` : '';
  if (/doesn't have a resource type/.test(problem))
    return new BenchError(`the cluster${of} has no k6 operator: it does not know testruns.k6.io`, {
      hint: 'install the operator: https://grafana.com/docs/k6/latest/set-up/set-up-distributed-k6/',
    });
  if (/forbidden/i.test(problem))
    return new BenchError(`the cluster${of} refuses: ${problem}`, {
      hint: 'docs/cluster.md has the rights that are needed: kubectl apply -f lib/kubernetes/rights.yaml',
    });
  return new BenchError(`the cluster${of} cannot be asked: ${problem}`, {
    hint: '`kubectl get pods` must answer; name another cluster with --context',
  });
}

/**
 * Opens a run's part of a cluster, which is removed at our end.
 * @param {Plan} plan
 * @returns {OpenCluster}
 */
export function openCluster(plan) {
  const { context, namespace, cpus } = /** @type {GeneratorOptions} */ (plan.options.generators);
  // Two runs may begin in one second, and one that goes on must not meet what is left of itself.
  const run = `${plan.runId} ${randomUUID()}`;
  const where = { context, namespace, run, image: generatorImage(process.env), cpus: cpus ?? 1 };
  const logins = plan.systems.some((s) => userinfoOf(s.id));
  const kinds = [...KINDS, ...(logins ? ['secrets'] : [])].join(',');
  const close = tearDownAtEnd([TEAR_DOWN, `${RUN_LABEL}=${nameOf(run, 'run')}`, kinds, ...flagsOf(where)]);
  let made = 0;
  const name = (/** @type {string} */ what) => nameOf(run, `${what}-${++made}`);
  const create = async (/** @type {any} */ manifest) => {
    const { ok, problem } = await kubectl(where, ['create', '--filename', '-'], {
      input: JSON.stringify(manifest),
    });
    if (!ok) throw new BenchError(`the cluster did not take a ${manifest.kind}: ${problem}`);
  };
  /** @type {Map<string, Promise<{scripts: ScriptFiles, name: string, login: string}>>} */
  const given = new Map();
  /** @type {Map<string, string>} */
  const secrets = new Map();
  return {
    ...{ where, create, name, close },
    give(cell, stackFolder) {
      const key = `${cell.system} ${cell.workload}`;
      const known = given.get(key) ?? makeScripts(cell, stackFolder);
      given.set(key, known);
      return known;
    },
  };

  /**
   * @param {CellPlan} cell
   * @param {string} stackFolder
   */
  async function makeScripts(cell, stackFolder) {
    const workloadFile = plan.workloads.find((w) => w.id === cell.workload)?.file;
    const scripts = scriptFiles({ stackFolder, workload: cell.workload, workloadFile });
    const own = name('scripts');
    await create(scriptsManifest(plan, scripts, own, where));
    const userinfo = userinfoOf(cell.system);
    const login = secrets.get(cell.system) ?? name('login');
    if (userinfo && !secrets.has(cell.system)) {
      secrets.set(cell.system, login);
      await create(loginManifest(plan, userinfo, login, where));
    }
    return { scripts, name: own, login };
  }
}
