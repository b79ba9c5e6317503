import { deflateSync, inflateSync } from 'node:zlib';
import { BenchError, causeOf } from '../errors.js';
import { createReader, createWriter } from './bytes.js';

/**
 * The counts of histograms, added up without loss: every runner of a load keeps the same buckets, so the sum is what one
 * histogram of all would have counted. The encoding is HdrHistogram V2, deflated, base64.
 * @import { EncodedHistogram } from '../types.d.ts'
 */

const PLAIN_COOKIE = 0x1c849313;
const COMPRESSED_COOKIE = 0x1c849314;
const PLAIN_HEAD_BYTES = 40;
const COMPRESSED_HEAD_BYTES = 8;
/** More than the counts of three digits over every time there is take. */
const MAX_BYTES = 1 << 20;
/** The layout of the buckets follows from both. */
const DIGITS = 3;
const LOWEST = 1n;

/**
 * @typedef {object} Counts of one histogram, or of several together
 * @property {Float64Array} counts by bucket; whole numbers, exact up to 2^53
 * @property {number} length buckets in use: from here on all are empty
 * @property {bigint} highest trackable value
 * @property {string} unit
 */

/** @returns {Counts} of nothing */
export function noCounts() {
  return { counts: new Float64Array(1 << 12), length: 0, highest: 0n, unit: '' };
}

/**
 * @param {Counts} sum added to
 * @param {EncodedHistogram} encoded from a file, which may come from elsewhere
 * @returns {number} how many values were added
 * @throws {BenchError} when it is no histogram, or one of other buckets
 */
export function addCounts(sum, { data, unit }) {
  const plain = inflated(data);
  if (plain.readUInt32BE(0) !== PLAIN_COOKIE) throw unreadable('it is no HdrHistogram V2');
  const length = plain.readUInt32BE(4);
  if (plain.readUInt32BE(12) !== DIGITS || plain.readBigInt64BE(16) !== LOWEST)
    throw unreadable('its buckets are not those of the others');
  if (sum.unit !== '' && sum.unit !== unit) throw unreadable(`its unit is ${unit}, not ${sum.unit}`);
  const end = PLAIN_HEAD_BYTES + length;
  if (end > plain.length) throw unreadable('it was cut off');
  const highest = plain.readBigInt64BE(24);
  sum.unit = unit;
  if (highest > sum.highest) sum.highest = highest;
  let bucket = 0;
  let added = 0;
  const numbers = createReader(plain.subarray(PLAIN_HEAD_BYTES, end), () => {
    throw unreadable('a count is too large');
  });
  while (!numbers.isAtEnd()) {
    // Of a ZigZag number: a count, or below zero so many empty buckets.
    const value = numbers.number();
    if (value % 2 === 1) {
      bucket += (value + 1) / 2;
    } else {
      addTo(sum, bucket++, value / 2);
      added += value / 2;
    }
  }
  return added;
}

/** Half of a bucket's values have this many places; above, each range of twice the values has as many, twice as wide. */
const HALF_BITS = 10;

/** Values from `lowest` to `highest`. @typedef {{lowest: number, middle: number, highest: number, count: number}} Bucket */

/**
 * @param {Counts} sum
 * @returns {Bucket[]} those that hold something, in order
 */
export function bucketsOf({ counts, length }) {
  const full = [...counts.subarray(0, length).keys()].filter((i) => counts[i] > 0);
  return full.map((i) => {
    const range = Math.max(0, (i >> HALF_BITS) - 1);
    const width = 2 ** range;
    const lowest = (i - (range << HALF_BITS)) * width;
    return { lowest, middle: lowest + Math.floor(width / 2), highest: lowest + width - 1, count: counts[i] };
  });
}

/**
 * The same counts give the same text everywhere, however many histograms they came in: their bytes are few as they are,
 * and what deflates them depends on its version.
 * @param {Counts} sum
 * @returns {EncodedHistogram}
 */
export function encodeCounts({ counts, length, highest, unit }) {
  const numbers = createWriter();
  for (let i = 0; i < length; ) {
    let zeros = 0;
    while (i + zeros < length && counts[i + zeros] === 0) zeros++;
    numbers.number(zeros > 0 ? 2 * zeros - 1 : 2 * counts[i]);
    i += Math.max(1, zeros);
  }
  const bytes = numbers.end();
  const plain = Buffer.alloc(PLAIN_HEAD_BYTES + bytes.length);
  plain.writeUInt32BE(PLAIN_COOKIE, 0);
  plain.writeUInt32BE(bytes.length, 4);
  plain.writeUInt32BE(DIGITS, 12);
  plain.writeBigInt64BE(LOWEST, 16);
  plain.writeBigInt64BE(highest, 24);
  plain.writeDoubleBE(1, 32);
  plain.set(bytes, PLAIN_HEAD_BYTES);
  // As it is, and in one piece: every version of zlib writes the same.
  const packed = deflateSync(plain, { level: 0, chunkSize: 2 * MAX_BYTES });
  const head = Buffer.alloc(COMPRESSED_HEAD_BYTES);
  head.writeUInt32BE(COMPRESSED_COOKIE, 0);
  head.writeUInt32BE(packed.length, 4);
  return { encoding: 'hdr-v2-deflate-base64', unit, data: Buffer.concat([head, packed]).toString('base64') };
}

/**
 * @param {string} data
 * @returns {Buffer}
 */
function inflated(data) {
  try {
    const packed = Buffer.from(data, 'base64');
    const plain = inflateSync(packed.subarray(COMPRESSED_HEAD_BYTES), { maxOutputLength: MAX_BYTES });
    if (plain.length < PLAIN_HEAD_BYTES) throw new Error('it was cut off');
    return plain;
  } catch (error) {
    throw unreadable(causeOf(error));
  }
}

/**
 * @param {Counts} sum added to
 * @param {number} bucket
 * @param {number} count
 * @throws {BenchError} when no histogram has that many
 */
export function addTo(sum, bucket, count) {
  if (bucket >= MAX_BYTES) throw unreadable('it has too many buckets');
  if (bucket >= sum.counts.length) grow(sum, bucket + 1);
  if (count === 0) return;
  sum.counts[bucket] += count;
  if (sum.counts[bucket] > Number.MAX_SAFE_INTEGER) throw unreadable('a sum of counts is too large');
  if (bucket >= sum.length) sum.length = bucket + 1;
}

/**
 * @param {Counts} sum
 * @param {number} least
 */
function grow(sum, least) {
  const larger = new Float64Array(Math.max(least, 2 * sum.counts.length));
  larger.set(sum.counts);
  sum.counts = larger;
}

/** @param {string} why @returns {BenchError} of a histogram that is none of ours */
export function unreadable(why) {
  return new BenchError(`a histogram cannot be read: ${why}`);
}
