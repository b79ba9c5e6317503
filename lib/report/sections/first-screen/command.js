import { basename } from 'node:path';
import { profileWord } from '../../declared.js';

/** @import { Plan } from '../../../types.d.ts' */

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
export function commandOf(plan, systems) {
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
