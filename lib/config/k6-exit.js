import { EXIT } from '../errors.js';

/**
 * What k6 says by its exit code, and what a run ends with then: its own codes, and those of its command line.
 * @type {Readonly<Record<number, {what: string, exit: number}>>}
 */
export const K6_EXIT = Object.freeze({
  97: { what: 'the cloud counted the test as failed', exit: EXIT.systemFailed },
  98: { what: 'the cloud did not say how the test goes', exit: EXIT.systemFailed },
  99: { what: 'thresholds of the script were crossed', exit: EXIT.thresholds },
  100: { what: 'setup() took longer than its setupTimeout', exit: EXIT.systemFailed },
  101: { what: 'teardown() took longer than its teardownTimeout', exit: EXIT.systemFailed },
  102: { what: 'k6 waited too long', exit: EXIT.systemFailed },
  103: { what: 'k6 was ended through its REST API', exit: EXIT.systemFailed },
  104: { what: 'an option is wrong', exit: EXIT.usage },
  105: { what: 'a signal ended k6', exit: EXIT.systemFailed },
  106: { what: "k6's REST API could not begin", exit: EXIT.systemFailed },
  107: { what: 'the script threw outside of an iteration', exit: EXIT.usage },
  108: { what: 'the script ended its test by exec.test.abort()', exit: EXIT.thresholds },
  109: { what: 'k6 itself failed', exit: EXIT.internal },
  110: { what: 'the script marked its test as failed by exec.test.fail()', exit: EXIT.thresholds },
  255: { what: 'k6 refused its command line, or could not go on', exit: EXIT.usage },
});

/** Codes by which a script judges what it measured: the load was a load. */
const JUDGED = new Set([99, 108, 110]);

/** @param {number | null} code @returns {boolean} */
export function isJudgedByScript(code) {
  return code !== null && JUDGED.has(code);
}
