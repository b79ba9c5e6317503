import { busynessText } from '../../../environment/busyness.js';
import { MISSING, mebibytes, milliseconds, percent } from '../../../format.js';
import { titleOf } from '../../words.js';

/** @import { CellRecord, DockerConditions, ConformanceOutcome, Plan } from '../../../types.d.ts' */

/** Checks that are named where several are tolerated. */
const NAMED = 5;

/**
 * @param {Plan} plan
 * @param {any} environment
 * @param {CellRecord[]} measured
 * @returns {{name: string, value: string}[]}
 */
export function conditionsOf(plan, environment, measured) {
  const { host, git, tools } = environment;
  const cgroup = `${host.cgroup.version}, cpu ${host.cgroup.cpu ?? 'unlimited'}, memory ${host.cgroup.memory ?? 'unlimited'}`;
  const influx = measured.some((r) => r.live !== null);
  const lossy = measured.filter((r) => r.live?.lossy).length;
  return [
    ['engine', plan.docker ? engineOf(plan.docker) : plan.engine],
    ...(plan.docker ? [['limits', limitsOf(plan.docker)]] : []),
    ['host', `${host.os}, ${host.kernel}`],
    ['processor', `${host.cpuModel}, ${host.cores} cores, ${host.usableCpus} usable`],
    ['memory', `${mebibytes(host.memoryBytes)} MiB`],
    ['frequency governor', host.governor ?? 'not reported'],
    ['transparent huge pages', host.transparentHugePages ?? 'not reported'],
    ['control group', cgroup],
    ['load before', `${host.loadAverage1m} (1 min average)`],
    ...(host.busyBefore ? [['machine before', busynessText(host.busyBefore)]] : []),
    ['steal since boot', percent(host.stealRatioSinceBoot)],
    [
      'fsync of 4 KiB on the data disk',
      host.fsync
        ? `median ${milliseconds(host.fsync.medianMs)}, max ${milliseconds(host.fsync.maxMs)}`
        : 'not writable',
    ],
    [
      'generator',
      `${tools.k6?.[0] ?? 'unknown'}, on the same ${plan.hostCores} cores as the systems${heldTo(plan)}`,
    ],
    [
      'live view',
      influx
        ? `InfluxDB through the aggregating output, ${lossy === 0 ? 'no point lost' : `lossy in ${lossy} cells`}`
        : 'no InfluxDB',
    ],
    ['Node.js', tools.node],
    [
      'revision',
      git.sha ? `${git.sha.slice(0, 12)}${git.dirty ? ', with uncommitted changes' : ''}` : 'no git checkout',
    ],
    ['method version', String(plan.methodVersion)],
    ['measured', `${environment.takenAt.slice(0, 16).replace('T', ' ')} UTC`],
  ].map(([name, value]) => ({ name, value }));
}

/** @param {Plan} plan */
function heldTo({ options, docker }) {
  const cpus = options.generatorCpus ?? docker?.generatorCpus;
  return cpus ? `, held to ${cpus} CPU` : '';
}

/** @param {DockerConditions} docker */
function engineOf({ engine, compose, cgroup, storage }) {
  return `docker ${engine}, Compose ${compose}, control groups ${cgroup}, storage ${storage}; generator and systems in one network of containers`;
}

/** @param {DockerConditions} docker */
function limitsOf({ systemCpus, systemMemory, generatorCpus }) {
  return `${systemCpus} CPU and ${systemMemory} of memory for each system's service, ${generatorCpus} CPU for the generator`;
}

/**
 * @param {Plan} plan
 * @returns {string[]} every image that the run used, by its content
 */
export function imageLines({ docker }) {
  return Object.values(docker?.images ?? {}).map(
    ({ ref, id, digest, source }) =>
      `\`${ref.split('@')[0]}\`, ${source}: content \`${id.replace('sha256:', '').slice(0, 12)}\`${digest ? `, digest \`${digest}\`` : ''}`,
  );
}

/**
 * @param {Plan['systems'][number]} system
 * @param {CellRecord[]} records
 */
export function systemRow(system, records) {
  const own = records.find((r) => r.system === system.id && r.version !== null);
  return {
    title: system.title,
    id: system.id,
    origin: system.role === 'calibration' ? 'calibration' : system.origin,
    version: own?.version ?? 'not reported',
    how: system.provenance || system.engine,
    settings:
      Object.entries(system.settings)
        .map(([k, v]) => `${k} ${v}`)
        .join(', ') || MISSING,
    meaning: system.durability.meaning,
  };
}

/**
 * @param {Plan} plan
 * @param {ConformanceOutcome} outcome
 */
export function conformanceRow(plan, { system, passed, failed, tolerated, failures, problem }) {
  const listed = tolerated.slice(0, NAMED).map((t) => t.check);
  const more = tolerated.length > NAMED ? `; and ${tolerated.length - NAMED} more` : '';
  const [first] = failures;
  return {
    title: titleOf(plan, system),
    passed: problem === null ? String(passed) : `n/a: ${problem}`,
    failed: first ? `${failed}, for example ${first.check}: ${first.reason}` : String(failed),
    tolerated: tolerated.length === 0 ? MISSING : `${tolerated.length}: ${listed.join('; ')}${more}`,
  };
}
