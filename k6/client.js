/**
 * Whether a client can perform what is asked of it, said before any load. Pure, so that Node tests it.
 */

/**
 * @param {any} client of a system, for one workload
 * @param {Record<string, unknown> | undefined} templates that it gives
 * @param {{drive: string, operation: string}[]} asked
 * @param {boolean} [inTurns] the workload says itself what a user sends in its turns
 * @throws {Error} naming the first operation that it cannot perform, and what to add
 */
export function demandClient(client, templates, asked, inTurns = false) {
  if (typeof client.open !== 'function') throw new Error('client.js has no function "open"');
  for (const { drive, operation } of asked) {
    if (drive === 'listen' && typeof client.listening !== 'function')
      throw new Error(`client.js has no function "listening", which "${operation}" needs`);
    if (drive !== 'burst') continue;
    if (typeof client.burst !== 'function') throw new Error('client.js has no function "burst"');
    if (inTurns && typeof client.requests !== 'function')
      throw new Error(`client.js has no function "requests", which "${operation}" needs`);
    if (!inTurns && !templates?.[operation])
      throw new Error(`client.js has no template for the operation "${operation}"`);
  }
}
