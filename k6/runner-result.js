/**
 * What one runner of several hands over: its two files as texts under one checksum, as a file.
 * lib/record/runner-result.js reads it.
 */
import { sha256 } from 'k6/crypto';

/**
 * @param {string} summary k6's own, JSON
 * @param {string} histograms JSON
 * @returns {string} JSON
 */
export function runnerResult(summary, histograms) {
  return JSON.stringify({
    schemaVersion: 1,
    sha256: sha256(`${summary}\n${histograms}`, 'hex'),
    summary,
    histograms,
  });
}
