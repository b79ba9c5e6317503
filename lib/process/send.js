import { orNull } from '../errors.js';

/**
 * @param {number} id of a process; negative: of a group
 * @param {NodeJS.Signals | 0} signal 0: none, it is only looked for
 * @returns {boolean} whether it is there; that it is gone is what most callers want
 */
export function send(id, signal) {
  return orNull(() => process.kill(id, signal)) === true;
}
