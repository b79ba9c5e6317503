/** The iteration drive: one operation for each call of the client, through k6's own libraries. */
import measure from 'k6/x/measure';
import { client, context, settings, startOf, workload } from '../task.js';
import { begin, outsideMs, takeTurn, user } from '../virtual-user.js';
import { classOf } from './error-class.js';
import { conversed } from './session.js';

/** This user's client. @type {any} */
let opened = null;

/**
 * One operation for each iteration of k6, or a session of many where the transport keeps one open.
 * @param {import('../task.js').Started} data
 */
export async function iteration(data) {
  if (conversed()) return;
  const { op, window } = takeTurn();
  opened ??= client.open(settings.target);
  context.start = startOf(data);
  const key = user.keys.next();
  await perform(op, key, user.keys, window, begin(window));
}

/**
 * @param {string} op
 * @param {number} key
 * @param {any} keys
 * @param {any} window recorder
 * @param {number} startedAt
 * @returns {Promise<boolean>} whether it succeeded
 */
async function perform(op, key, keys, window, startedAt) {
  try {
    await workload.perform(opened, op, key, context, keys);
    user.endedAt = measure.now();
    window.success(startedAt);
    return true;
  } catch (error) {
    user.endedAt = measure.now();
    window.failure(startedAt, classOf(error));
    return false;
  }
}

/**
 * Of a fixed count: some operations in a row. The time between two of them is noted by operation.
 * @param {import('./fixed-count.js').Work} work
 * @param {number} from first key
 * @param {number} count
 */
export async function iterateSlice({ operation, window, keys, progress }, from, count) {
  const each = workload.facts.keys?.each;
  user.endedAt = null;
  for (let i = 0; i < count; i++) {
    const key = each ? from + i : keys.next();
    const startedAt = window.start();
    if (user.endedAt !== null) outsideMs.add(startedAt - user.endedAt, { op: operation });
    progress(await perform(operation, key, keys, window, startedAt));
  }
}

/** Of a fixed count: the user's client, before its first stage. */
export function openClient() {
  opened = client.open(settings.target);
}

/** It is not needed any more. */
export function closeClient() {
  opened?.close();
  opened = null;
}
