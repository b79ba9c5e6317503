/**
 * Faults that a system meets under load, one entry each. Whatever plans, prepares, does or tells a fault asks this table.
 * @import { FaultKind, Step } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 * @import { Network } from '../run/network.js'
 */

/** What must be prepared before a system is started, or between it and the load. @typedef {'disk' | 'memory' | 'network'} Need */

/**
 * Who is struck. The plan leaves out a system that lacks what its fault acts on.
 * @typedef {{instance: Required<Pick<Instance, 'kill' | 'freeze' | 'thaw' | 'disk' | 'memory'>>, network: Network}} Struck
 */

/**
 * @typedef {object} FaultEntry
 * @property {readonly string[]} engines whose systems can have it
 * @property {string} [notOurs] why those of other engines cannot
 * @property {Need} [needs]
 * @property {true} [restarts] the system must be able to start again on its data
 * @property {(at: Struck) => void | Promise<void>} begin
 * @property {(at: Struck) => void | Promise<void>} [end] of one that lasts; absent: it is over at once
 * @property {{name: string, place: string, what: string}} words `place`: begins a sentence on what happened in it
 */

const ALL = Object.freeze(['native', 'docker', 'external']);

/** What goes to the server is delayed by half, what comes back by the other half. */
const SLOW = [
  ...['upstream', 'downstream'].map((stream) => ({
    ...{ type: 'latency', stream },
    attributes: { latency: 10, jitter: 3 },
  })),
  { type: 'reset_chunk', stream: 'upstream', attributes: { share: 0.01 } },
];
const HELD = ['upstream', 'downstream'].map((stream) => ({ type: 'hold', stream, attributes: {} }));

/** @type {Readonly<Record<FaultKind, FaultEntry>>} */
export const FAULTS = Object.freeze({
  kill: {
    engines: ['native'],
    notOurs: 'its processes are not ours',
    restarts: true,
    begin: ({ instance }) => instance.kill(),
    words: {
      name: 'kill -9',
      place: 'After `kill -9`',
      what: 'ended at once, then started again on the same data.',
    },
  },
  pause: {
    engines: ['native', 'docker'],
    notOurs: 'its processes are not ours',
    begin: ({ instance }) => instance.freeze(),
    end: ({ instance }) => instance.thaw(),
    words: { name: 'pause', place: 'Paused', what: 'stopped for a while (SIGSTOP).' },
  },
  memory: {
    engines: ['native'],
    notOurs: 'its memory is not ours',
    needs: 'memory',
    begin: ({ instance }) => void instance.memory.squeeze(),
    end: ({ instance }) => instance.memory.release(),
    words: {
      name: 'short of memory',
      place: 'Short of memory',
      what: 'held to the memory that it uses at that moment.',
    },
  },
  'disk-full': {
    engines: ['native'],
    notOurs: 'its disk is not ours',
    needs: 'disk',
    begin: ({ instance }) => instance.disk.fill(),
    end: ({ instance }) => instance.disk.free(),
    words: {
      name: 'full disk',
      place: 'On a full disk',
      what: 'its disk takes not one byte more than it holds. The disk is a file system in user space (FUSE); no real disk is filled.',
    },
  },
  'slow-network': {
    engines: ALL,
    needs: 'network',
    begin: ({ network }) => network.begin(SLOW),
    end: ({ network }) => network.end(),
    words: {
      name: 'slow network',
      place: 'Behind a slow network',
      what: 'a round trip takes 20 ± 6 ms more. 1 % of what is sent loses its connection.',
    },
  },
  partition: {
    engines: ALL,
    needs: 'network',
    begin: ({ network }) => network.begin(HELD),
    end: ({ network }) => network.end(),
    words: {
      name: 'cut off',
      place: 'Cut off',
      what: 'nothing passes either way; connections stay, and what waited goes on.',
    },
  },
});

/** @param {Pick<Step, 'fault'>} step @returns {string} `kill -9`, `full disk, 5 s`; '' of one without a fault */
export function faultText({ fault }) {
  return fault
    ? [FAULTS[fault.kind].words.name, fault.forSec && `${fault.forSec} s`].filter(Boolean).join(', ')
    : '';
}

/**
 * @param {Pick<Step, 'powerLoss' | 'fault'>} step
 * @returns {Need | undefined} what its system, or the way to it, must be prepared with
 */
export function needOf({ powerLoss, fault }) {
  return powerLoss ? 'disk' : fault && FAULTS[fault.kind].needs;
}
