import { posix } from 'node:path';
import { generatorRecipe } from '../docker/recipes.js';
import { USERINFO, userinfoOf } from '../engines/endpoint.js';
import { BenchError } from '../errors.js';
import { variablesOf } from '../generator/k6.js';
import { QUIET } from '../generator/script-variables.js';
import { sha256 } from '../store.js';

/**
 * What a cluster is asked for: the scripts as a ConfigMap, and for each cell a TestRun of the k6 operator, as its
 * resource `testruns.k6.io/v1alpha1` says (https://grafana.com/docs/k6/latest/set-up/set-up-distributed-k6/).
 * @import { CellPlan, Plan } from '../types.d.ts'
 * @import { ScriptFiles } from './script-files.js'
 */

/** Where the scripts lie in a pod. */
const FOLDER = '/ladderbench';
/** Where a pod finds what others have seen of the system: exports of an earlier k6. */
const STATE_FOLDER = '/ladderbench-state';
const STATE = 'state.json';
const PROFILE = 'profile.json';
/** Of k6's REST API, as the operator has it. */
const API_PORT = 6565;
/** Of a ConfigMap, as the API takes it. */
const MOST_BYTES = 1024 * 1024;
/** Of each pod; the same is asked for and allowed, so that nobody else is given any of it. */
const MEMORY = '2Gi';
/** For a k6 that only looks at what is stored: it takes the place of nobody's load. */
const LOOK_SIZE = Object.freeze({ requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: MEMORY } });
/** Nobody's, by number: a cluster that wants no root looks at numbers. */
const USER = 65534;
/** Of a pod. */
const NOBODY = Object.freeze({
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  seccompProfile: { type: 'RuntimeDefault' },
});
/** What a process that only talks over the network does not need. */
const NO_RIGHTS = Object.freeze({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });

/**
 * A load on a cluster.
 * @typedef {object} Cluster
 * @property {string} [run] whose all of it is, by label; absent: the run's id
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
  return `lb-${sha256(runId).slice(0, 10)}-${what}`;
}

/** Of all that a run has on a cluster; its value is that of {@link nameOf}, with `run`. */
export const RUN_LABEL = 'ladderbench/run';

/**
 * @param {string} runId
 * @param {string} name
 * @param {Cluster} cluster
 */
function metadataOf(runId, name, { namespace, run = runId }) {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    labels: { 'app.kubernetes.io/managed-by': 'ladderbench', [RUN_LABEL]: nameOf(run, 'run') },
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
  const data = Object.fromEntries(entriesOf(plan, scripts).map(({ key, text }) => [key, text]));
  return configMap(plan.runId, name, cluster, data, {
    what: 'the scripts take',
    hint: 'keep what the client does not need out of its imports',
  });
}

/**
 * What one k6 has seen of the system, for others to begin with or to check against.
 * @param {Plan} plan
 * @param {string} text an export, JSON
 * @param {string} name
 * @param {Cluster} cluster
 * @returns {any} a ConfigMap
 * @throws {BenchError} where it is more than a ConfigMap holds
 */
export function stateManifest({ runId }, text, name, cluster) {
  const said = { what: 'what is known of the keys takes', hint: 'let the profile have fewer keys' };
  return configMap(runId, name, cluster, { [STATE]: text }, said);
}

/**
 * @param {string} runId
 * @param {string} name
 * @param {Cluster} cluster
 * @param {Record<string, string>} data
 * @param {{what: string, hint: string}} said where it is too much
 */
function configMap(runId, name, cluster, data, { what, hint }) {
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > MOST_BYTES)
    throw new BenchError(`${what} ${bytes} bytes, and a ConfigMap holds ${MOST_BYTES}`, { hint });
  const metadata = metadataOf(runId, name, cluster);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data };
}

/**
 * @param {Plan} plan
 * @param {string} userinfo `user:password`, or a password alone
 * @param {string} name
 * @param {Cluster} cluster
 * @returns {any} a Secret
 */
export function loginManifest({ runId }, userinfo, name, cluster) {
  const metadata = metadataOf(runId, name, cluster);
  return { apiVersion: 'v1', kind: 'Secret', metadata, immutable: true, stringData: { userinfo } };
}

/**
 * @param {Plan} plan
 * @param {ScriptFiles} scripts
 * @returns {{key: string, path: string, text: string}[]} by keys of a ConfigMap, which have no folders
 */
function entriesOf({ profile }, { files }) {
  return [...files, { path: PROFILE, text: JSON.stringify(profile) }].map(({ path, text }, i) => ({
    key: `${i}-${posix.basename(path).replace(/[^-._a-zA-Z0-9]/g, '_')}`,
    path,
    text,
  }));
}

/**
 * The load of a cell, or a look at what is stored before or after it.
 * @typedef {object} PodLoad
 * @property {Plan} plan
 * @property {CellPlan} cell
 * @property {string} url of the system, as the pods reach it
 * @property {Record<string, number>} ratesPerSec
 * @property {ScriptFiles} scripts
 */

/**
 * Names of what a pod is given.
 * @typedef {object} PodNames
 * @property {string} own of the TestRun, or of the pod
 * @property {string} scripts of their ConfigMap
 * @property {string} login of the Secret that is there where the system wants a login: a password is in no manifest
 * @property {string | null} [state] of the ConfigMap of `stateManifest`; absent or null: there is none
 */

/**
 * @param {PodLoad & {runners: number}} load
 * @param {PodNames} names
 * @param {Cluster} cluster
 * @returns {any} a TestRun
 */
export function testRunManifest(load, names, cluster) {
  const { plan, cell, scripts, runners } = load;
  const metadata = metadataOf(plan.runId, names.own, cluster);
  const { labels } = metadata;
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
      starter: {
        metadata: { labels },
        automountServiceAccountToken: 'false',
        containerSecurityContext: NO_RIGHTS,
      },
      runner: {
        image: cluster.image,
        imagePullPolicy: 'IfNotPresent',
        metadata: { labels },
        env: environmentOf(load, names, cluster, {
          runner: {
            ...{ runner: 1, runners, loops: loopsOf(cluster), result: '-' },
            before: names.state ? STATE_PATH : null,
            // The operator makes a service for each runner.
            meet: runners > 1 ? `http://${names.own}-service-{runner}:${API_PORT}` : null,
          },
        }),
        resources: { requests: size, limits: size },
        automountServiceAccountToken: 'false',
        securityContext: NOBODY,
        containerSecurityContext: { ...NO_RIGHTS, readOnlyRootFilesystem: true },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            // One node is no reason not to run: which nodes they were on is told by the pods.
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { k6_cr: names.own, runner: 'true' } },
          },
        ],
        // The operator's own asks every ten seconds and ends a k6 that is too busy to answer three times.
        livenessProbe: {
          httpGet: { path: '/v1/status', port: API_PORT },
          periodSeconds: 60,
          timeoutSeconds: 30,
          failureThreshold: 10,
        },
        ...filesOf(load, names),
      },
    },
  };
}

/** Inside a pod. */
const STATE_PATH = posix.join(STATE_FOLDER, STATE);

/**
 * One k6 without load.
 * @param {PodLoad} load
 * @param {'before' | 'after'} when `after`: it checks what is stored against the state that it is given
 * @param {PodNames} names
 * @param {Cluster} cluster
 * @param {number} limitSec
 * @returns {any} a Pod
 */
export function lookManifest(load, when, names, cluster, limitSec) {
  const { volumes, volumeMounts } = filesOf(load, names);
  /** @type {Parameters<typeof environmentOf>[3]} */
  const part = when === 'before' ? { before: true } : { verify: STATE_PATH };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(load.plan.runId, names.own, cluster),
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: limitSec,
      automountServiceAccountToken: false,
      securityContext: NOBODY,
      containers: [
        {
          name: 'k6',
          image: cluster.image,
          imagePullPolicy: 'IfNotPresent',
          command: ['k6', 'run', '--quiet', '--no-color', '--log-format', 'json'],
          args: [posix.join(FOLDER, load.scripts.main)],
          env: environmentOf(load, names, cluster, part),
          resources: LOOK_SIZE,
          securityContext: { ...NO_RIGHTS, readOnlyRootFilesystem: true },
          volumeMounts,
        },
      ],
      volumes,
    },
  };
}

/**
 * @param {PodLoad} load
 * @param {PodNames} names
 * @param {Cluster} cluster
 * @param {Pick<import('../generator/k6.js').K6Call, 'runner' | 'before' | 'verify'>} part
 */
function environmentOf({ plan, cell, url, ratesPerSec, scripts }, { login }, cluster, part) {
  const variables = {
    ...variablesOf({
      ...{ binary: 'k6', plan, cell, url, ratesPerSec, apiPort: API_PORT },
      stackFolder: posix.join(FOLDER, scripts.stackFolder),
      profilePath: posix.join(FOLDER, PROFILE),
      files: { summary: '', histograms: '', live: '' },
      telemetry: { influxUrl: null, dashboardPort: null },
      ...part,
    }),
    RESULT_FILE: '-',
    ...(scripts.workloadFile ? { WORKLOAD_FILE: posix.join(FOLDER, scripts.workloadFile) } : {}),
    BURST_LOOPS: String(loopsOf(cluster)),
    ...QUIET,
  };
  const secret = { valueFrom: { secretKeyRef: { name: login, key: 'userinfo' } } };
  return [
    // $( would be taken for the name of another variable.
    ...Object.entries(variables).map(([name, value]) => ({ name, value: value.replaceAll('$(', '$$$(') })),
    ...(userinfoOf(cell.system) ? [{ name: USERINFO, ...secret }] : []),
  ];
}

/**
 * @param {PodLoad} load
 * @param {PodNames} names
 */
function filesOf({ plan, scripts }, names) {
  const state = names.state
    ? [{ name: 'state', configMap: { name: names.state, items: [{ key: STATE, path: STATE }] } }]
    : [];
  const items = entriesOf(plan, scripts).map(({ key, path }) => ({ key, path }));
  return {
    volumes: [{ name: 'scripts', configMap: { name: names.scripts, items } }, ...state],
    volumeMounts: [
      { name: 'scripts', mountPath: FOLDER, readOnly: true },
      ...state.map(({ name }) => ({ name, mountPath: STATE_FOLDER, readOnly: true })),
    ],
  };
}

/** @param {Cluster} cluster */
function loopsOf({ cpus }) {
  return Math.max(1, Math.floor(cpus));
}
