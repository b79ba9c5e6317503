import { basename } from 'node:path';
import { duration } from '../../../format.js';
import { groupBy } from '../../../group-by.js';
import { clusterText } from '../../cluster-text.js';
import { profileWord } from '../../declared.js';
import { versionOf } from '../../versions.js';
import { howLongText } from '../../words.js';

/**
 * @import { Plan } from '../../../types.d.ts'
 * @import { Run } from '../../run.js'
 */

/** Servers of ours whose names a line takes. */
const NAMED = 3;

/**
 * @param {Run} run
 * @returns {string[]} Markdown: where it was measured, what, and how to measure it again
 */
export function machineOf(run) {
  const { plan, environment } = run;
  const { host } = environment;
  const systems = plan.systems.filter((s) => s.role === 'system');
  const named = groupBy(systems, (s) => s.id.split('@')[0]).map(([s]) => {
    const version = versionOf(run, s.id) ?? versionIn(s.provenance);
    // What the user said of a program that is no build of the vendor's.
    const said = /named by \w+ (\([^)]*\))/.exec(s.provenance)?.[1];
    return { title: s.title, version, said };
  });
  const references = systems.filter((s) => s.origin === 'reference').map((s) => s.title);
  const products = systems.filter((s) => s.origin !== 'reference' && !s.id.includes('@')).map((s) => s.title);
  const ours = oursOf(references, products);
  const all = systems.map((s) => s.id).join(',');
  const given = systems.filter((s) => s.engine === 'external');
  const started = plan.engine === 'docker' ? 'in containers' : plan.engine;
  const where =
    given.length === systems.length
      ? 'the client on it, systems by their address'
      : `${started}, load generator on the same machine${given.length > 0 ? '; others by their address' : ''}`;
  const memory = `${Math.round(host.memoryBytes / 2 ** 30)} GiB`;
  const machine = environment.cluster
    ? `${clusterText(environment.cluster)}, client in pods, systems by their address`
    : `${host.cpuModel}, ${host.cores} cores, ${memory}, ${nameOf(host.os)}, ${where}`;
  return [
    `**Conditions:** ${machine} · ${plan.runId.slice(0, 10)} · ${versionsText(named)}${
      references.length > 0 ? ` · ${ours}` : ''
    }`,
    `**Reproduce:** \`./run-all.sh ${commandOf(plan, all)}\` (${howLongText(plan, inMinutes)}) · [interactive](report.html) · [method](#method) · [data](data.tar.gz)`,
  ];
}

/** @param {string} os `Debian GNU/Linux 12 (bookworm)` @returns {string} `Debian 12`: the conditions have the whole of it */
function nameOf(os) {
  return os.replace(' GNU/Linux', '').replace(/ \([^)]*\)$/, '');
}

/**
 * @param {{title: string, version: string | null, said?: string}[]} named
 * @returns {string} each with its version; of several of one version, which the title of the page names, that alone
 */
function versionsText(named) {
  const [version, ...others] = new Set(named.map((n) => n.version));
  if (named.length > 1 && others.length === 0 && version !== null && named.every((n) => !n.said))
    return `all of version ${version}`;
  return named.map((n) => [n.title, n.version, n.said].filter(Boolean).join(' ')).join(', ');
}

/**
 * @param {string[]} references titles of servers of ours
 * @param {string[]} products titles of the others
 * @returns {string}
 */
function oursOf(references, products) {
  if (products.length === 0)
    return references.length > 1
      ? 'servers of this project, not products'
      : 'a server of this project, not a product';
  const names = references.length > NAMED ? `all but ${products.join(', ')}` : references.join(', ');
  return `servers of this project, not products: ${names}`;
}

/** @param {number} seconds */
function inMinutes(seconds) {
  return duration(Math.max(60, Math.round(seconds / 60) * 60));
}

/**
 * @param {Plan['options']['generators']} generators
 * @returns {string[]}
 */
function generatorsOf(generators) {
  if (!generators) return [];
  const { count, on, cpus = 1, namespace, context } = generators;
  return [
    `--generators ${count} --on ${on}`,
    ...(context ? [`--context ${context}`] : []),
    ...(namespace ? [`--namespace ${namespace}`] : []),
    ...(cpus === 1 ? [] : [`--generator-cpus ${cpus}`]),
  ];
}

/** @param {string} provenance `Debian package some-server 5:7.0.15-1` */
function versionIn(provenance) {
  return /(?:\d+:)?(\d+\.\d+(?:\.\d+)*)/.exec(provenance)?.[1] ?? null;
}

/**
 * @param {Plan['options']} options
 * @returns {string[]} flags of how long, or how much, it measures
 */
function howLongOf({ operations, duration, starts, untilDecided, maxMinutes }) {
  return [
    ...(operations ? [`--operations ${operations}`] : []),
    ...(duration === undefined ? [] : [`--duration ${duration}`]),
    ...(starts ? [`--starts ${starts}`] : []),
    ...(untilDecided ? ['--until-decided'] : []),
    ...(maxMinutes ? [`--max-minutes ${maxMinutes}`] : []),
  ];
}

/**
 * @param {Plan} plan
 * @param {string} systems
 * @returns {string} what measures the same again
 */
function commandOf(plan, systems) {
  const { profile, workloads, repeats } = plan;
  const { again, script, endpoints, generators } = plan.options;
  if (again) return again.measure;
  const own = workloads.map((w) => w.id);
  const given = Object.entries(endpoints).map(([name, url]) => {
    const like = plan.systems.find((s) => s.id === name)?.like;
    const pids = plan.options.watch?.[name];
    // A process has another id the next time.
    const watch = pids && ` --watch ${name}${pids.length > 0 ? '=PID' : ''}`;
    return `--endpoint ${name}${like ? `:${like}` : ''}=${url}${watch ?? ''}`;
  });
  const left = profile.workloads?.some((id) => !own.includes(id));
  if (!script)
    return [
      `${profileWord(plan)} --systems ${systems}`,
      ...(left ? [`--workloads ${own.join(',')}`] : []),
      ...(repeats === profile.repeats ? [] : [`--repeats ${repeats}`]),
      ...(plan.systems.some((s) => s.outside) ? ['--stacks FOLDER'] : []),
      ...given,
      ...(plan.engine === 'docker' ? ['--engine docker'] : []),
      ...generatorsOf(generators),
      ...howLongOf(plan.options),
    ].join(' ');
  const { durationSec } = profile.steps[0];
  const options = [...script.variables.flatMap((name) => ['-e', `${name}=…`]), ...script.k6Options];
  return [
    `--script ${basename(script.path)} --steps ${profile.steps.map((s) => s.vus).join(',')} --step-duration ${durationSec}s`,
    ...given,
    ...(repeats > 1 ? [`--repeats ${repeats}`] : []),
    ...(options.length > 0 ? ['--', ...options] : []),
  ].join(' ');
}
