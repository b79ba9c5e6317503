/** A reporter for node --test beside another: at the end, the files that took longest, with seconds. */

/** Files that are named. */
const MOST = 15;
const LEAST_SEC = 5;

/**
 * @param {AsyncIterable<{type: string, data: any}>} source events of node --test
 * @returns {AsyncGenerator<string, void>}
 */
export default async function* slowestFiles(source) {
  /** @type {Map<string, number>} */
  const secondsOf = new Map();
  for await (const { type, data } of source) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0 || !data.file) continue;
    const { file, details } = data;
    secondsOf.set(file, (secondsOf.get(file) ?? 0) + details.duration_ms / 1000);
  }
  const slow = [...secondsOf].filter(([, sec]) => sec >= LEAST_SEC).sort((a, b) => b[1] - a[1]);
  for (const [file, sec] of slow.slice(0, MOST))
    yield `${sec.toFixed(0).padStart(6)} s  ${file.replace(`${process.cwd()}/`, '')}\n`;
}
