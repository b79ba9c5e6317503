/** The iteration drive of a transport that keeps a session open: its operations, one at a time. */
import exec from 'k6/execution';
import measure from 'k6/x/measure';
import { client, context, settings, workload } from '../task.js';
import { begin, takeTurn, user } from '../virtual-user.js';
import { classOf } from './error-class.js';

/** @type {{window: any, startedAt: number, mayBe?: (value: number | null) => boolean} | null} */
let current = null;

/** The last operation begins before the window ends. */
const turns = {
  next() {
    const [first] = Object.values(user.recorders);
    if (first && user.scenario === exec.scenario.name && measure.epochMs() >= first.endMs) return null;
    const { op, window } = takeTurn();
    const key = user.keys.next();
    const startedAt = begin(window);
    current = { window, startedAt, mayBe: workload.adds?.(op) ? context.tally?.ask(key, true) : undefined };
    const { stream, nextUuid } = user.keys;
    return { op, key, author: stream, text: nextUuid };
  },
  succeeded(/** @type {number | null} */ value) {
    if (current?.mayBe && !current.mayBe(value)) return turns.failed(`unexpected value ${value}`);
    user.endedAt = measure.now();
    current?.window.success(current.startedAt);
  },
  failed(/** @type {string} */ error) {
    user.endedAt = measure.now();
    current?.window.failure(current.startedAt, classOf(error));
  },
};

/**
 * @returns {boolean} whether a session took place: false where the transport has none
 */
export function conversed() {
  return client.converse?.(settings.target, turns, context.dataset) ?? false;
}
