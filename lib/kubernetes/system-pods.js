import { isIP } from 'node:net';
import { orNull } from '../errors.js';
import { getJson, kubectl } from './kubectl.js';

/**
 * What a system on a cluster uses, as the kubelets of its nodes tell it. They look at their containers each ten seconds or
 * so and answer from what they saw: enough for windows of half a minute and more.
 * @import { PodReading, SystemPods } from '../types.d.ts'
 * @import { Where } from './kubectl.js'
 */

const ASK_EVERY_MS = 2000;

/** @typedef {{namespace: string, name: string, node: string}} SystemPod */

/**
 * @param {Where} where
 * @param {string} url of the system, as pods reach it
 * @returns {{stop: () => Promise<SystemPods>}} `stop` never rejects
 */
export function watchSystemPods(where, url) {
  /** @type {PodReading[]} */
  const readings = [];
  let over = false;
  const done = follow();
  return {
    stop: () => {
      over = true;
      return done;
    },
  };

  /** @returns {Promise<SystemPods>} */
  async function follow() {
    const found = await podsBehind(where, url);
    if ('why' in found) return { pods: 0, readings, why: found.why };
    const { pods } = found;
    for (;;) {
      const last = over;
      const read = await readPods(where, pods);
      if ('why' in read) return { pods: pods.length, readings, why: read.why };
      // Asked again before the kubelet has looked again, it says the same.
      if (read.reading && read.reading.t > (readings[readings.length - 1]?.t ?? 0))
        readings.push(read.reading);
      if (last) return { pods: pods.length, readings, why: null };
      const next = Date.now() + ASK_EVERY_MS;
      while (!over && Date.now() < next) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * @param {string} url
 * @returns {{name: string, namespace?: string} | null} the service that it names, in the namespace of the pods where it names
 *   none; null of any other address
 */
export function serviceOf(url) {
  const { hostname } = new URL(url);
  const [name, namespace, kind, ...rest] = hostname.split('.');
  if (isIP(hostname) || hostname.includes('[')) return null;
  if (kind !== undefined && kind !== 'svc') return null;
  if (rest.length > 0 && rest.join('.') !== 'cluster.local') return null;
  return namespace ? { name, namespace } : { name };
}

/**
 * @param {Where} where
 * @param {string} url
 * @returns {Promise<{pods: SystemPod[]} | {why: string}>}
 */
async function podsBehind(where, url) {
  const service = serviceOf(url);
  if (!service) return { why: `${new URL(url).hostname} is no service of the cluster` };
  const selector = `kubernetes.io/service-name=${service.name}`;
  const slices = await getJson({ ...where, ...service }, [
    'endpointslices.discovery.k8s.io',
    '--selector',
    selector,
  ]);
  if (!slices) return { why: 'the context may not read which pods stand behind its service' };
  const endpoints = slices.items.flatMap((/** @type {any} */ s) => s.endpoints ?? []);
  /** @type {SystemPod[]} */
  const pods = endpoints.flatMap((/** @type {any} */ { targetRef, nodeName }) =>
    targetRef?.kind === 'Pod' && nodeName
      ? [{ namespace: targetRef.namespace, name: targetRef.name, node: nodeName }]
      : [],
  );
  // One pod stands in a slice for each family of addresses.
  const own = [...new Map(pods.map((p) => [`${p.namespace}/${p.name}`, p])).values()];
  return own.length > 0 ? { pods: own } : { why: `no pod stands behind the service ${service.name}` };
}

/**
 * @param {Where} where
 * @param {SystemPod[]} pods
 * @returns {Promise<{reading: PodReading | null} | {why: string}>} null where one of them was not told of
 */
async function readPods({ context }, pods) {
  const nodes = [...new Set(pods.map((p) => p.node))];
  const told = [];
  for (const node of nodes) {
    const path = `/api/v1/nodes/${node}/proxy/stats/summary`;
    const { ok, stdout, problem } = await kubectl(context ? { context } : {}, ['get', '--raw', path]);
    if (!ok) return { why: `the context may not ask the kubelet: ${problem}` };
    told.push(...pods.filter((p) => p.node === node).map((pod) => readingOf(stdout, pod)));
  }
  const readings = told.flatMap((r) => r ?? []);
  return { reading: readings.length === pods.length ? together(readings) : null };
}

/**
 * @param {string} summary the kubelet's, of version v1alpha1
 * @param {{namespace: string, name: string}} pod
 * @returns {PodReading | null} of all its containers; null where one of them was not looked at yet
 */
export function readingOf(summary, { namespace, name }) {
  const own = orNull(() => JSON.parse(summary))?.pods?.find(
    (/** @type {any} */ { podRef }) => podRef.namespace === namespace && podRef.name === name,
  );
  /** @type {any[]} */
  const containers = own?.containers ?? [];
  if (containers.length === 0 || containers.some(({ cpu }) => !cpu)) return null;
  const readings = containers.flatMap((container) => accountOf(container) ?? []);
  if (readings.length === containers.length) return together(readings);
  // Where the runtime tells of containers and cAdvisor of the pod, only the pod has its resident memory.
  return accountOf(own);
}

/**
 * @param {any} stats of a container, or of a whole pod
 * @returns {PodReading | null} null where something is missing
 */
function accountOf({ cpu, memory }) {
  const t = Date.parse(cpu?.time);
  const [nanos, rssBytes] = [cpu?.usageCoreNanoSeconds, memory?.rssBytes];
  const isWhole = Number.isFinite(t) && nanos !== undefined && rssBytes !== undefined;
  return isWhole ? { t, cpuSec: nanos / 1e9, rssBytes } : null;
}

/**
 * @param {PodReading[]} readings of one moment, more or less
 * @returns {PodReading} their sum
 */
function together(readings) {
  const sum = (/** @type {'t' | 'cpuSec' | 'rssBytes'} */ key) => readings.reduce((n, r) => n + r[key], 0);
  return { t: sum('t') / readings.length, cpuSec: sum('cpuSec'), rssBytes: sum('rssBytes') };
}
