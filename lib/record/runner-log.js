import { MARK } from '../../k6/result-lines.js';
import { BenchError } from '../errors.js';

/** Container logs may have a time before each line, and much else between the pieces. */
const PIECE = new RegExp(`(?:^|\\s)${MARK} (\\d+)/(\\d+) (.*)$`);

/**
 * A runner's result from its log, as k6/result-lines.js wrote it.
 * @param {string} log
 * @returns {string} for `readRunnerResult`
 * @throws {BenchError} where there is none, or a piece of it is missing
 */
export function resultInLog(log) {
  /** @type {string[]} */
  const pieces = [];
  let all = 0;
  for (const line of log.split('\n')) {
    const [, n, of, text] = PIECE.exec(line) ?? [];
    if (text === undefined) continue;
    pieces[Number(n) - 1] = text;
    all = Number(of);
  }
  if (all === 0) throw new BenchError('its log holds no result');
  for (let n = 1; n <= all; n++)
    if (pieces[n - 1] === undefined) throw new BenchError(`its log lacks piece ${n} of ${all} of the result`);
  return pieces.join('');
}
