/**
 * How large the stored data is.
 * @import { DatasetFacts, Footprint, FootprintNote, ResourceSample, StoredSize } from '../types.d.ts'
 */

/** The load rests this long before each reading; a size on disk that is read in it is that of the stored data. */
const REST_MS = 1000;

/** From here on what a server says of its size and what its files hold are two things, which need a reason. */
const APART = 0.1;

/**
 * @param {{median: number} | null} own what the server says, bytes
 * @param {{median: number} | null} disk what its files hold, bytes; nothing where it writes no files
 * @returns {boolean} whether they differ by more than a tenth of the larger one; false where one is not known
 */
export function areSizesApart(own, disk) {
  if (!own || !disk?.median) return false;
  return Math.abs(own.median - disk.median) > APART * Math.max(own.median, disk.median);
}

/**
 * @param {FootprintNote} note of the generator: the system's own counters, and when they were read
 * @param {DatasetFacts} dataset
 * @param {ResourceSample[]} samples with the sizes on disk
 * @returns {Footprint}
 */
export function footprintOf(note, dataset, samples) {
  const size = (/** @type {FootprintNote['before']} */ reading) => ({
    ownBytes: reading?.bytes ?? null,
    diskBytes: reading ? diskBytesAt(samples, reading.atMs) : null,
  });
  return {
    documents: note.documents,
    rawBytes: dataset.bytes,
    counter: note.before?.counter ?? 'none',
    before: size(note.before),
    compaction: note.compaction,
    after: note.after ? size(note.after) : null,
    problem: note.problem,
  };
}

/**
 * @param {ResourceSample[]} samples in order
 * @param {number} atMs epoch, end of a rest
 * @returns {StoredSize['diskBytes']} the last reading that began in the rest; null when there is none
 */
export function diskBytesAt(samples, atMs) {
  const read = samples.flatMap((s) => (s.disk ? [s.disk] : []));
  const inRest = read.filter((d) => d.t >= atMs - REST_MS && d.t <= atMs);
  return inRest.length > 0 ? inRest[inRest.length - 1].bytes : null;
}
