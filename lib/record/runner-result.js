import { createHash } from 'node:crypto';
import { partProblems } from '../config/validate.js';
import { BenchError } from '../errors.js';

/** @import { HistogramExport } from '../types.d.ts' */

/**
 * @param {string} cellId
 * @param {number} runner from 1, of several that share a load
 * @returns {string} where its result lies inside the run's folder
 */
export function runnerFile(cellId, runner) {
  return `raw/${cellId}.runner-${String(runner).padStart(4, '0')}.json`;
}

/**
 * What one runner of several hands over, as k6/runner-result.js writes it: its two files as texts, and their checksum.
 * @param {string} text
 * @returns {{histograms: HistogramExport, summary: any}}
 * @throws {BenchError} when it is none, or not what the runner wrote
 */
export function readRunnerResult(text) {
  const { schemaVersion, summary, histograms, sha256 } = jsonOf(text) ?? {};
  if (schemaVersion !== 1 || typeof summary !== 'string' || typeof histograms !== 'string')
    throw new BenchError('it is no result of a runner');
  const actual = createHash('sha256').update(summary).update('\n').update(histograms).digest('hex');
  if (actual !== sha256) throw new BenchError('it is not what the runner wrote: its checksum does not hold');
  const read = { histograms: jsonOf(histograms), summary: jsonOf(summary) };
  const [strange] = [
    ...partProblems('run', 'RunnerPart', read.histograms),
    ...partProblems('run', 'RunnerSummary', read.summary),
  ];
  if (strange) throw new BenchError(`it is no result of a runner: ${strange}`);
  return read;
}

/** @param {string} text */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BenchError('it was cut off, or is no JSON', { cause: error });
  }
}
