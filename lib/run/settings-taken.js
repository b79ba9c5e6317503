import { untakenOf } from '../engines/ask.js';
import { BenchError, EXIT } from '../errors.js';

/**
 * @import { PlannedSystem, Stack, UntakenSetting } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 */

/**
 * @param {Stack} stack
 * @param {Pick<PlannedSystem, 'engine'>} system
 * @param {Pick<Instance, 'stated' | 'untaken'>} instance
 * @returns {UntakenSetting[]} what we gave it or its companions, and they say otherwise
 */
export function untakenSettings({ manifest }, { engine }, { stated, untaken = [] }) {
  const ours = engine === 'native' || (engine === 'docker' && manifest.docker?.settings !== false);
  return ours ? [...untakenOf(manifest.settings ?? {}, stated?.settings ?? null), ...untaken] : [];
}

/**
 * Side by side a server of another configuration than the one that is printed is not loaded at all.
 * @param {Stack} stack
 * @param {Pick<PlannedSystem, 'engine'>} system
 * @param {Pick<Instance, 'stated' | 'untaken'>} instance
 * @throws {BenchError} a setting did not take
 */
export function demandTaken(stack, system, instance) {
  const [first, ...more] = untakenSettings(stack, system, instance);
  if (!first) return;
  const others = more.length > 0 ? `, and ${more.length} more` : '';
  throw new BenchError(
    `${stack.id}: its setting ${first.setting} is "${first.stated}", not "${first.given}" as it was given${others}`,
    { hint: `correct "settings" in its stack.json, or how it is started`, exitCode: EXIT.systemFailed },
  );
}
