import { durabilityOf, holds } from '../../../config/durability.js';
import { busynessText } from '../../../environment/busyness.js';
import { MISSING, mebibytes, milliseconds, percent } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { fromPods } from '../../../record/who-loads.js';
import { clusterText } from '../../cluster-text.js';
import { left, right, table } from '../../table.js';
import { versionOf } from '../../versions.js';
import { titleOf } from '../../words.js';

/**
 * @import { CellRecord, DockerConditions, ConformanceOutcome, Plan, PlannedSystem } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/** Checks that are named where several are tolerated. */
const NAMED = 5;

/**
 * @param {Run} run
 * @returns {Section}
 */
export function section(run) {
  const { plan, environment, records, measured, conformance } = run;
  const images = imageLines(plan);
  return {
    title: 'Conditions',
    tables: [
      table(conditionsOf(plan, environment, measured), [
        left('', ([name]) => name),
        left('', ([, value]) => value),
      ]),
    ],
    parts: [
      images.length > 0 ? { intro: ['Images:'], notes: images } : null,
      {
        tables: [
          table(plan.systems, [
            left('system', ({ title, id }) => [`${title} (`, { code: id }, ')']),
            left('origin', (s) => (s.role === 'calibration' ? 'calibration' : s.origin)),
            left('version', (s) => versionOf(run, s.id) ?? 'not reported'),
            left('from', (s) => s.provenance || s.engine),
            left('settings', (s) => settingsText(s, ownOf(records, s), versionOf(run, s.id))),
            left('an acknowledgement means', (s) => meaningText(s, ownOf(records, s), besideOf(run, s.id))),
          ]),
        ],
      },
      conformance.length > 0
        ? {
            intro: [
              'Each system first passes a conformance check, once, on a throw-away instance. *Tolerated*: optional features, allowed only for servers that others started.',
            ],
            tables: [
              table(conformance, [
                left('system', ({ system }) => titleOf(plan, system)),
                right('checks passed', ({ problem, passed }) =>
                  problem === null ? passed : `n/a: ${problem}`,
                ),
                right('failed', failedText),
                left('tolerated', toleratedText),
              ]),
            ],
          }
        : null,
    ],
  };
}

/**
 * @param {Plan} plan
 * @param {any} environment
 * @param {CellRecord[]} measured
 * @returns {string[][]} name and value of each
 */
function conditionsOf(plan, environment, measured) {
  const { host, git, tools } = environment;
  const influx = measured.some((r) => r.live !== null);
  const lossy = measured.filter((r) => r.live?.lossy).length;
  return [
    ['engine', plan.docker ? engineOf(plan.docker) : plan.engine],
    ...(plan.docker ? [['limits', limitsOf(plan.docker)]] : []),
    // The machine that a load on a cluster was asked for from says nothing of it.
    ...(environment.cluster ? [['cluster', clusterText(environment.cluster)]] : machineOf(host)),
    ['generator', `${tools.k6?.[0] ?? 'unknown'}, ${placeOf(plan)}`],
    ...generatorsOf(measured),
    ...systemPodsOf(plan, measured),
    [
      'live view',
      influx
        ? `InfluxDB through the aggregating output, ${lossy === 0 ? 'no point lost' : `lossy in ${lossy} cells`}`
        : 'no InfluxDB',
    ],
    ['Node.js', tools.node],
    ['revision', revisionText(git)],
    ['method version', String(plan.methodVersion)],
    ['measured', minuteText(environment.takenAt)],
    ...restsOf(environment),
  ];
}

/**
 * @param {{resumed?: any[]}} environment of a run that went on elsewhere, or with other code
 * @returns {string[][]} name and value of each time
 */
export function restsOf({ resumed = [] }) {
  return resumed.map(({ at, git, host }) => [
    'the rest measured',
    `${minuteText(at)}, revision ${revisionText(git)}, ${host.cpuModel}, ${host.cores} cores`,
  ]);
}

/** @param {{sha: string | null, dirty: boolean | null}} git */
function revisionText({ sha, dirty }) {
  return sha ? `${sha.slice(0, 12)}${dirty ? ', with uncommitted changes' : ''}` : 'no git checkout';
}

/** @param {string} moment ISO 8601 */
function minuteText(moment) {
  return `${moment.slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * @param {any} host
 * @returns {string[][]} name and value of each
 */
function machineOf(host) {
  return [
    ['host', `${host.os}, ${host.kernel}`],
    ['processor', `${host.cpuModel}, ${host.cores} cores, ${host.usableCpus} usable`],
    ['memory', `${mebibytes(host.memoryBytes)} MiB`],
    ['frequency governor', host.governor ?? 'not reported'],
    ['transparent huge pages', host.transparentHugePages ?? 'not reported'],
    ['control group', cgroupText(host.cgroup)],
    ...(host.network ? [['packets', packetsText(host.network)]] : []),
    ['load before', `${host.loadAverage1m} (1 min average)`],
    ...(host.busyBefore ? [['machine before', busynessText(host.busyBefore)]] : []),
    ['steal since boot', percent(host.stealRatioSinceBoot)],
    [
      'fsync of 4 KiB on the data disk',
      host.fsync
        ? `median ${milliseconds(host.fsync.medianMs)}, max ${milliseconds(host.fsync.maxMs)}`
        : 'not writable',
    ],
  ];
}

const TRACKED = new Map([
  [true, 'tracked for a firewall'],
  [false, 'not tracked'],
  [null, 'it is not known whether tracked'],
]);

/** @param {import('../../../environment/environment.js').Network} network */
export function packetsText({ congestionControl, tracksPackets }) {
  if (congestionControl === null) return 'not reported';
  return `congestion control ${congestionControl}, ${TRACKED.get(tracksPackets)}`;
}

/** What the kernel reports where no limit is set: "max", -1, or a number near the largest that it can hold. */
const NO_LIMIT = /^(max|-1|9223372036854\d{6})\b/;

/**
 * @param {{version: string, cpu: string | null, memory: string | null}} cgroup as the kernel has it
 * @returns {string} `v2, no limits`, `v2, cpu 200000 100000, memory 4096 MiB`
 */
export function cgroupText({ version, cpu, memory }) {
  const limits = [
    ...(cpu === null || NO_LIMIT.test(cpu) ? [] : [`cpu ${cpu}`]),
    ...(memory === null || NO_LIMIT.test(memory) ? [] : [`memory ${mebibytes(Number(memory))} MiB`]),
  ];
  return [version, ...(limits.length > 0 ? limits : ['no limits'])].join(', ');
}

/** @param {Plan} plan */
function placeOf(plan) {
  const { generators } = plan.options;
  if (generators && fromPods({ generators }))
    return `up to ${generators.count} pods of ${generators.cpus} CPU each, held to it`;
  const many = generators ? `${generators.count} generators, ` : '';
  return `${many}on the same ${plan.hostCores} cores as the systems${heldTo(plan)}`;
}

/**
 * @param {CellRecord[]} measured
 * @returns {string[][]} none where one generator did it all
 */
function generatorsOf(measured) {
  const shared = measured.flatMap((r) => r.generators ?? []);
  if (shared.length === 0) return [];
  const skews = shared.map((g) => g.startSkewMs ?? Number.POSITIVE_INFINITY);
  const whole = shared.filter((g) => g.missing.length === 0).length;
  const latest = Math.max(...skews);
  const spread = Number.isFinite(latest)
    ? `began within ${milliseconds(latest)} of each other`
    : 'did not all begin';
  const nodes = Math.max(0, ...shared.map((g) => g.nodes ?? 0));
  const where = nodes === 0 ? '' : `on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}; `;
  return [
    [
      'generators of a load',
      `${where}${spread}; all of them whole in ${whole} of ${shared.length} cells; one histogram of all`,
    ],
  ];
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} measured
 * @returns {string[][]} of each system that pods load, from where its CPU and memory are known, or why they are not
 */
function systemPodsOf(plan, measured) {
  const asked = measured.filter((r) => r.systemPods !== undefined);
  return groupBy(asked, (r) => r.system).map((own) => {
    const known = own.filter((r) => r.systemPods?.why === null);
    const pods = Math.max(...own.map((r) => r.systemPods?.pods ?? 0));
    const why = [...new Set(own.flatMap((r) => r.systemPods?.why ?? []))];
    const of = `from the kubelets of its ${pods} ${pods === 1 ? 'pod' : 'pods'} in ${known.length} of ${own.length} cells`;
    return [
      `CPU and memory of ${titleOf(plan, own[0].system)}`,
      [...(known.length > 0 ? [of] : []), ...(why.length > 0 ? [`unavailable: ${why.join('; ')}`] : [])].join(
        '; else ',
      ),
    ];
  });
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
function imageLines({ docker }) {
  return Object.values(docker?.images ?? {}).map(
    ({ ref, id, digest, source }) =>
      `\`${ref.split('@')[0]}\`, ${source}: content \`${id.replace('sha256:', '').slice(0, 12)}\`${digest ? `, digest \`${digest}\`` : ''}`,
  );
}

/**
 * @param {CellRecord[]} records
 * @param {Plan['systems'][number]} system
 */
function ownOf(records, { id }) {
  return records.filter((r) => r.system === id);
}

/**
 * @param {Plan['systems'][number]} system
 * @param {CellRecord[]} records its own
 * @param {string | null} version
 * @returns {string} what it was given, or, of a server that somebody else set up, what it says
 */
export function settingsText(system, records, version) {
  const given = system.engine === 'external' ? records.find((r) => r.stated)?.stated : system.settings;
  const ofVersion = (system.traitsWhen ?? []).filter((when) => holds(when, { version }));
  const all = Object.assign({}, given, ...ofVersion.map((when) => when.traits));
  const text = Object.entries(all)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  if (system.engine !== 'external') return text || MISSING;
  return given
    ? `as it says itself: ${text}`
    : [text, 'not known: it does not say'].filter(Boolean).join('; ');
}

/**
 * @param {Run} run
 * @param {string} system
 * @returns {{transport: string, durability: string}[]} what an acknowledgement meant wherever it was loaded side by side
 */
function besideOf(run, system) {
  const planned = run.plan.systems.find((s) => s.id === system);
  const version = versionOf(run, system);
  return run.sideBySide
    .filter(({ versions }) => planned && versions[system])
    .map(({ group: { transport } }) => ({
      transport,
      durability: durabilityOf(/** @type {PlannedSystem} */ (planned), { version, transport }).meaning,
    }));
}

/**
 * @param {Plan['systems'][number]} system
 * @param {CellRecord[]} records its own
 * @param {{transport: string, durability: string}[]} [beside] of where it was loaded side by side
 * @returns {string} what an acknowledgement meant, by transport where that made a difference
 */
export function meaningText(system, records, beside = []) {
  const measured = [...records.filter((r) => r.status === 'ok'), ...beside];
  const groups = groupBy(measured, (r) => r.durability);
  if (groups.length === 0) return system.durability.meaning;
  if (groups.length === 1) return groups[0][0].durability;
  return groups
    .map((own) => `${[...new Set(own.map((r) => r.transport))].join(', ')}: ${own[0].durability}`)
    .join('; ');
}

/** @param {ConformanceOutcome} outcome */
function failedText({ failed, failures: [first] }) {
  return first ? `${failed}, for example ${first.check}: ${first.reason}` : failed;
}

/** @param {ConformanceOutcome} outcome */
function toleratedText({ tolerated }) {
  if (tolerated.length === 0) return MISSING;
  const listed = tolerated.slice(0, NAMED).map((t) => t.check);
  const more = tolerated.length > NAMED ? `; and ${tolerated.length - NAMED} more` : '';
  return `${tolerated.length}: ${listed.join('; ')}${more}`;
}
