/** @import { Attribution, Shares, Within } from '../types.d.ts' */

/** Shares of a CPU from which a thread counts as full, and below which the load has time to spare. */
export const FULL = Object.freeze({ system: 0.9, loop: 0.8, waits: 0.5, idleCores: 0.2 });

/** In how much of so many looks at least a thread must have been in disk sleep, for the disk to be what was waited for. */
const DISK = Object.freeze({ share: 0.4, looks: 8 });

/**
 * Who set an absolute figure, by what the threads did: running, waiting for a CPU, or stolen by the hypervisor (which
 * is in neither of the two). The generator is taken for the limit unless the evidence says otherwise. Of a thread the limits
 * are known between which its share lies: alike where it was seen itself, and not where its process as a whole was.
 * @param {Shares & {idleCores: number | null, full?: boolean}} evidence `idleCores` null: not known, and so nothing is
 *   said by a full system alone; `full`: the machine had no CPU left, as far as it was seen
 * @returns {Attribution}
 */
export function attributeWithin({ system, loop, idleCores, full = false }) {
  if (loop === null) return 'unattributed';
  // Of a system that was not seen, such as one by its address, the client alone can be ruled out; on a full machine it may
  // have been others.
  if (system === null) return loop.most <= FULL.waits && !full ? 'elsewhere' : 'unattributed';
  if (idleCores !== null && idleCores >= FULL.idleCores) return 'unattributed';
  // With half its time left the client did not set the figure, whoever of the system did.
  if (loop.most <= FULL.waits) return system.most < FULL.system ? 'waits' : 'system';
  if (idleCores !== null && system.least >= FULL.system && loop.most <= FULL.loop) return 'system';
  return loop.least > FULL.loop || (loop.least > FULL.waits && system.most < FULL.system)
    ? 'generator'
    : 'unattributed';
}

/** @param {number | null} share @returns {Within | null} */
export function exactly(share) {
  return share === null ? null : { least: share, most: share };
}

/** @param {Attribution} setBy @returns {boolean} whether the system could have done more for a better client */
export function isBound(setBy) {
  return setBy === 'generator' || setBy === 'unattributed';
}

/**
 * The sentence that tells who set a figure, by the evidence that there is.
 * @param {Attribution} setBy
 * @param {Shares} shares
 * @returns {string} without a full stop
 */
export function attributionText(setBy, { system, loop, diskSleep }) {
  const client = loop && `the load generator wanted ${shareText(loop)} of a CPU`;
  const own = system && `the system's busiest thread wanted ${shareText(system)}`;
  if (setBy === 'unattributed') {
    const seen = [own, client].filter(Boolean).join(', ');
    return `not known who set it: ${seen || 'neither system nor load generator was seen'}`;
  }
  if (setBy === 'elsewhere')
    return `not set by the load generator: it wanted ${shareText(/** @type {Within} */ (loop))} of a CPU; the system was not seen`;
  const who = {
    system: 'set by the system',
    waits: `neither was CPU-bound, so the system waited for ${waitedFor(diskSleep)}`,
    generator: 'the load generator set it, or took part',
  }[setBy];
  return `${who}: ${own}, ${client}`;
}

/**
 * @param {Shares['diskSleep']} diskSleep
 * @returns {string} what it waited for, as far as that was seen
 */
function waitedFor(diskSleep) {
  const { looks, seen } = diskSleep ?? { looks: 0, seen: 0 };
  return looks >= DISK.looks && seen / looks >= DISK.share
    ? `its disk (a thread of it was in a file call at ${seen} of ${looks} looks)`
    : 'something else (disk, lock, round trip)';
}

/** @param {Within} within */
function shareText({ least, most }) {
  const [from, to] = [least, most].map((s) => Math.min(1, s).toFixed(2));
  return from === to ? from : `${from} to ${to}`;
}
