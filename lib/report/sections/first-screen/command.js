import { basename } from 'node:path';
import { profileWord } from '../../declared.js';

/** @import { Plan } from '../../../types.d.ts' */

/**
 * @param {Plan} plan
 * @returns {[string, string][]} of each system that was given by its address
 */
function endpointsOf({ systems, options: { endpoints, watch } }) {
  return Object.entries(endpoints).flatMap(([name, url]) => {
    const like = systems.find((s) => s.id === name)?.like;
    const pids = watch?.[name];
    /** @type {[string, string]} */
    const endpoint = ['--endpoint', `${name}${like ? `:${like}` : ''}=${url}`];
    // A process has another id the next time.
    return pids ? [endpoint, ['--watch', `${name}${pids.length > 0 ? '=PID' : ''}`]] : [endpoint];
  });
}

/**
 * @param {Plan} plan
 * @param {string} systems
 * @returns {string} what measures the same again
 */
export function commandOf(plan, systems) {
  const { profile, repeats, options } = plan;
  const { again, script, generators } = options;
  if (again) return again.measure;
  const own = plan.workloads.map((w) => w.id);
  const { cpus = 1 } = generators ?? {};
  const k6 = script && [...script.variables.flatMap((name) => ['-e', `${name}=…`]), ...script.k6Options];
  /** What has no value is not given, and a flag of its own is true. @type {[string, unknown][]} */
  const flags = [
    ['--script', script && basename(script.path)],
    ['--steps', script && profile.steps.map((s) => s.vus).join(',')],
    ['--step-duration', script && `${profile.steps[0].durationSec}s`],
    [profileWord(plan), !script],
    ['--systems', !script && systems],
    ['--workloads', !script && profile.workloads?.some((id) => !own.includes(id)) && own.join(',')],
    ['--steps', options.steps?.join(',')],
    ['--repeats', repeats !== (script ? 1 : profile.repeats) && repeats],
    ['--stacks', plan.systems.some((s) => s.outside) && 'FOLDER'],
    ...endpointsOf(plan),
    ['--engine', plan.engine === 'docker' && 'docker'],
    ['--generators', generators?.count],
    ['--on', generators?.on],
    ['--context', generators?.context],
    ['--namespace', generators?.namespace],
    ['--generator-cpus', cpus !== 1 && cpus],
    ['--operations', options.operations],
    ['--duration', options.duration],
    ['--starts', options.starts],
    ['--until-decided', options.untilDecided],
    ['--max-minutes', options.maxMinutes],
    ['--', k6?.join(' ')],
  ];
  return flags
    .flatMap(([name, value]) => (value ? [value === true ? name : `${name} ${value}`] : []))
    .join(' ');
}
