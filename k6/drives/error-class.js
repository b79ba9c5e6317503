/** What an error of a client library says, as one of the classes of `k6/x/measure`. First match wins. */
const CLASSES = /** @type {const} */ ([
  ['timeout', /timeout|deadline|timed out/i],
  ['connect', /refused|reset|broken pipe|EOF|closed|no route|dial/i],
  ['server', /^(?:Error: |GoError: )?-?(?:ERR|WRONGTYPE|LOADING|NOAUTH|OOM|READONLY|BUSY|MOVED)\b/],
  ['protocol', /protocol|unexpected|answered|expected/i],
]);

/**
 * @param {unknown} error
 * @returns {'connect' | 'timeout' | 'protocol' | 'server' | 'other'}
 */
export function classOf(error) {
  const text = String(error);
  return CLASSES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
