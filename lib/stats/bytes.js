/** Bytes as they are written one after the other: numbers of seven bits a byte, and blocks that begin with their length. */

/** @returns {never} */
export function cutOff() {
  throw new Error('it was cut off');
}

/** Its bytes grow as they are written. */
export function createWriter() {
  let bytes = Buffer.alloc(1 << 10);
  let length = 0;
  const room = (/** @type {number} */ more) => {
    if (length + more <= bytes.length) return;
    bytes = Buffer.concat([bytes.subarray(0, length)], 2 * (length + more));
  };
  const number = (/** @type {number} */ value) => {
    room(8);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) | 0x80;
    bytes[length++] = rest;
  };
  return {
    number,
    block(/** @type {Buffer} */ content) {
      number(content.length);
      room(content.length);
      length += content.copy(bytes, length);
    },
    end: () => bytes.subarray(0, length),
  };
}

/**
 * @param {Buffer} bytes
 * @param {() => never} [fail] where they end too soon, or a number is too large
 */
export function createReader(bytes, fail = cutOff) {
  let at = 0;
  const take = (/** @type {number} */ size) => {
    if (!(size >= 0 && at + size <= bytes.length)) fail();
    at += size;
    return bytes.subarray(at - size, at);
  };
  const number = () => {
    let [value, scale, byte] = [0, 1, 0x80];
    for (; byte & 0x80; scale *= 128) {
      if (at === bytes.length || scale > 2 ** 49) fail();
      byte = bytes[at++];
      value += (byte & 0x7f) * scale;
    }
    return value;
  };
  return { number, block: () => take(number()), isAtEnd: () => at === bytes.length };
}
