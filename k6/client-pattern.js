/**
 * How a client writes its requests: the choice of calls that can cost a raw client more than the server does.
 * Read by k6, by the report and by the tests of Node alike.
 * @import { ClientPattern } from '../lib/types.d.ts'
 */

/** What the burst module and every well-kept client library do. */
export const USUAL_PATTERN = 'one-write';

/** @type {Readonly<Record<ClientPattern, {text: string, options: {writes: 'one' | 'two', noDelay: boolean}}>>} */
export const CLIENT_PATTERNS = Object.freeze({
  'one-write': { text: 'one write for each request', options: { writes: 'one', noDelay: true } },
  'one-write-nagle': { text: 'one write, without TCP_NODELAY', options: { writes: 'one', noDelay: false } },
  'two-writes': { text: 'two writes, with TCP_NODELAY', options: { writes: 'two', noDelay: true } },
  'two-writes-nagle': { text: 'two writes, without TCP_NODELAY', options: { writes: 'two', noDelay: false } },
});

/**
 * @param {ClientPattern | undefined} pattern of a step
 * @returns {{writes?: 'one' | 'two', noDelay?: boolean}} options of the burst module's `connect`
 */
export function connectOptions(pattern) {
  return pattern ? CLIENT_PATTERNS[pattern].options : {};
}
