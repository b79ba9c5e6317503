/**
 * Whose turn it is: the operations of a virtual user, its calls and its rests. Pure, so that Node tests it.
 */

/** Into how many groups users fall whose calls end at different moments. */
const CALL_STAGGER = 16;

/**
 * A user rests after each round and one operation more: the operation after a rest finds caches and cores cold, and no
 * kind shall always be that one.
 * @param {number} round operations in a round
 * @returns {number} operations between two rests
 */
export function restEvery(round) {
  return round + 1;
}

/**
 * @param {Record<string, number>} mix shares that add up to 1
 * @param {number} draw 0 up to 1
 * @returns {string} the operation whose share the draw falls into
 */
export function drawnOf(mix, draw) {
  let rest = draw;
  const operations = Object.keys(mix);
  const chosen = operations.find((op) => {
    rest -= mix[op];
    return rest < 0;
  });
  return chosen ?? operations[operations.length - 1];
}

/**
 * The more users there are, the longer each call: about 1000 calls a second in all keep JavaScript off the load path;
 * one second at most, because operations take turns between windows. All users enter a window at once; if their calls
 * ended together too, they would wait for each other each time: so the first is shorter, by user.
 * @param {number} users of the step
 * @param {number} user its number
 * @param {boolean} isFirst call of the window
 * @returns {number} milliseconds
 */
export function callMs(users, user, isFirst) {
  const whole = Math.min(1000, Math.max(50, users));
  return isFirst ? (whole * ((user % CALL_STAGGER) + 1)) / CALL_STAGGER : whole;
}
