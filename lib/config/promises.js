/** @import { Stack, SystemPromise } from '../types.d.ts' */

/** @typedef {SystemPromise & {against: NonNullable<SystemPromise['against']>}} Way `against`: nothing, where it is empty */

/** What says nothing, and why. @type {readonly [(way: Way) => boolean, string][]} */
const SENSELESS = [
  [
    ({ metric, atLeast, against }) =>
      metric === 'failures' && (atLeast !== undefined || Object.keys(against).length > 0),
    'of failures only "atMost" can be promised, against nothing',
  ],
  [
    ({ metric, against: { system } }) => system !== undefined && ['mean', 'levelCost'].includes(metric),
    'systems are not compared by this metric: "against" may have no "system"',
  ],
  [
    ({ metric, against: { storage } }) => storage !== undefined && metric !== 'throughput',
    'what the storage does alone is a throughput: another metric is not held against it',
  ],
  [
    ({ against }) =>
      (against.system !== undefined || against.storage !== undefined) && Object.keys(against).length > 1,
    '"against" has a system, or the storage, or fields by which the load differs',
  ],
  [({ atMost, against }) => atMost === 0 && Object.keys(against).length > 0, 'no ratio is 0 or less'],
];

/**
 * @param {Pick<Stack['manifest'], 'promises'>} manifest
 * @returns {string[]} of promises that nothing could keep or break
 */
export function promiseProblems({ promises = [] }) {
  return promises.flatMap(({ or, ...first }, i) => {
    const { atLeast, atMost, ...rest } = first;
    const ways = [first, ...(or ? [{ ...rest, ...or }] : [])].map((way) => ({ against: {}, ...way }));
    const [found] = SENSELESS.filter(([is]) => ways.some(is));
    return found ? [`promises.${i}: ${found[1]}`] : [];
  });
}
