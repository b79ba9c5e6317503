import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { generatorRecipe } from '../../docker/recipes.js';
import { USERINFO, userinfoOf } from '../../engines/endpoint.js';
import { BenchError } from '../../errors.js';
import { variablesOf } from '../k6.js';

/**
 * What a cluster is asked for: the scripts as a ConfigMap, and for each cell a TestRun of the k6 operator, as its
 * resource `testruns.k6.io/v1alpha1` says (https://grafana.com/docs/k6/latest/set-up/set-up-distributed-k6/).
 * @import { CellPlan, Plan } from '../../types.d.ts'
 * @import { ScriptFiles } from './script-files.js'
 */

/** Where the scripts lie in a pod. */
const FOLDER = '/ladderbench';
const PROFILE = 'profile.json';
/** Of k6's REST API, as the operator has it. */
const API_PORT = 6565;
/** Of a ConfigMap, as the API takes it. */
const MOST_BYTES = 1024 * 1024;
/** Of each pod; the same is asked for and allowed, so that nobody else is given any of it. */
const MEMORY = '2Gi';
/** Nobody's, by number: a cluster that wants no root looks at numbers. */
const USER = 65534;

/**
 * A load on a cluster.
 * @typedef {object} Cluster
 * @property {string} [namespace] absent: that of the context
 * @property {string} image with our k6, and a shell: the operator looks for the script with one
 * @property {number} cpus of each pod
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} the image of the generator, by the variable that containers of this machine are told it by
 */
export function generatorImage(env) {
  return env.GENERATOR_IMAGE || String(generatorRecipe().pinned);
}

/**
 * @param {string} runId
 * @param {string} what of the run; short
 * @returns {string} a name that every kind takes, with what the operator appends to it: at most 63 characters of DNS
 */
export function nameOf(runId, what) {
  return `lb-${createHash('sha256').update(runId).digest('hex').slice(0, 10)}-${what}`;
}

/**
 * @param {string} runId
 * @param {string} name
 * @param {Cluster} cluster
 */
function metadataOf(runId, name, { namespace }) {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    labels: { 'app.kubernetes.io/managed-by': 'ladderbench', 'ladderbench/run': nameOf(runId, 'run') },
    annotations: { 'ladderbench/run': runId },
  };
}

/**
 * @param {Plan} plan
 * @param {ScriptFiles} scripts
 * @param {string} name
 * @param {Cluster} cluster
 * @returns {any} a ConfigMap
 * @throws {BenchError} where they are more than a ConfigMap holds
 */
export function scriptsManifest(plan, scripts, name, cluster) {
  const files = withProfile(plan, scripts);
  const data = Object.fromEntries(files.map(({ text }, i) => [keyOf(files[i].path, i), text]));
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > MOST_BYTES)
    throw new BenchError(`the scripts take ${bytes} bytes, and a ConfigMap holds ${MOST_BYTES}`, {
      hint: 'keep what the client does not need out of its imports',
    });
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(plan.runId, name, cluster),
    immutable: true,
    data,
  };
}

/**
 * @param {Plan} plan
 * @param {ScriptFiles} scripts
 * @returns {{path: string, text: string}[]}
 */
function withProfile({ profile }, { files }) {
  return [...files, { path: PROFILE, text: JSON.stringify(profile) }];
}

/**
 * Keys of a ConfigMap have no folders.
 * @param {string} path
 * @param {number} i
 */
function keyOf(path, i) {
  return `${i}-${posix.basename(path).replace(/[^-._a-zA-Z0-9]/g, '_')}`;
}

/**
 * @param {object} load
 * @param {Plan} load.plan
 * @param {CellPlan} load.cell
 * @param {string} load.url of the system, as the pods reach it
 * @param {Record<string, number>} load.ratesPerSec
 * @param {number} load.runners
 * @param {ScriptFiles} load.scripts
 * @param {{testRun: string, scripts: string, login: string}} names of it, of the ConfigMap, and of the Secret that
 *   somebody else makes where the system wants a login: a password is in no manifest
 * @param {Cluster} cluster
 * @returns {any} a TestRun
 */
export function testRunManifest({ plan, cell, url, ratesPerSec, runners, scripts }, names, cluster) {
  const metadata = metadataOf(plan.runId, names.testRun, cluster);
  const { labels } = metadata;
  const variables = {
    ...variablesOf({
      ...{ binary: 'k6', plan, cell, url, ratesPerSec, apiPort: API_PORT },
      stackFolder: posix.join(FOLDER, scripts.stackFolder),
      profilePath: posix.join(FOLDER, PROFILE),
      files: { summary: '', histograms: '', live: '' },
      telemetry: { influxUrl: null, dashboardPort: null },
      runner: {
        ...{ runner: 1, runners, loops: loopsOf(cluster), result: '-', before: null },
        // The operator makes a service for each runner.
        meet: runners > 1 ? `http://${names.testRun}-service-{runner}:${API_PORT}` : null,
      },
    }),
    ...(scripts.workloadFile ? { WORKLOAD_FILE: posix.join(FOLDER, scripts.workloadFile) } : {}),
    BURST_LOOPS: String(loopsOf(cluster)),
    K6_NO_USAGE_REPORT: 'true',
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
  };
  const login = { valueFrom: { secretKeyRef: { name: names.login, key: 'userinfo' } } };
  const size = { cpu: String(cluster.cpus), memory: MEMORY };
  return {
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, 'ladderbench/cell': cell.id },
    },
    spec: {
      parallelism: runners,
      script: { localFile: posix.join(FOLDER, scripts.main) },
      arguments: '--no-color --log-format json',
      // All of them wait until the operator's starter has told each to begin.
      paused: 'true',
      quiet: 'true',
      // It would run the script once more by itself, and has nothing to tell.
      initializer: { disabled: true },
      starter: { automountServiceAccountToken: 'false', containerSecurityContext: noRights() },
      runner: {
        image: cluster.image,
        imagePullPolicy: 'IfNotPresent',
        metadata: { labels },
        // $( would be taken for the name of another variable.
        env: [
          ...Object.entries(variables).map(([name, value]) => ({
            name,
            value: value.replaceAll('$(', '$$$('),
          })),
          ...(userinfoOf(cell.system) ? [{ name: USERINFO, ...login }] : []),
        ],
        resources: { requests: size, limits: size },
        automountServiceAccountToken: 'false',
        securityContext: {
          runAsNonRoot: true,
          runAsUser: USER,
          runAsGroup: USER,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containerSecurityContext: { ...noRights(), readOnlyRootFilesystem: true },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            // One node is no reason not to run: which nodes they were on is told by the pods.
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { k6_cr: names.testRun, runner: 'true' } },
          },
        ],
        // The operator's own asks every ten seconds and ends a k6 that is too busy to answer three times.
        livenessProbe: {
          httpGet: { path: '/v1/status', port: API_PORT },
          periodSeconds: 60,
          timeoutSeconds: 30,
          failureThreshold: 10,
        },
        volumes: [{ name: 'scripts', configMap: { name: names.scripts, items: itemsOf(plan, scripts) } }],
        volumeMounts: [{ name: 'scripts', mountPath: FOLDER, readOnly: true }],
      },
    },
  };
}

/** What a process that only talks over the network does not need. */
function noRights() {
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
}

/** @param {Cluster} cluster */
function loopsOf({ cpus }) {
  return Math.max(1, Math.floor(cpus));
}

/**
 * @param {Plan} plan
 * @param {ScriptFiles} scripts
 */
function itemsOf(plan, scripts) {
  return withProfile(plan, scripts).map(({ path }, i) => ({ key: keyOf(path, i), path }));
}
