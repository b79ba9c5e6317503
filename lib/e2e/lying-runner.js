#!/usr/bin/env node
/**
 * In the place of k6: runs it, and then changes what the second runner of a load hands over, as the name of the step says.
 * The load itself is honest. `LYING_K6` is the real one.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addCounts, encodeCounts, noCounts } from '../stats/counts.js';

/** @typedef {{histograms: any, summary: any}} Result */

/** @type {Record<string, (result: Result) => void>} */
const CHANGES = {
  doubled: ({ histograms }) => scaled(histograms, 2),
  halved: ({ histograms }) => scaled(histograms, 0.5),
  faster: ({ histograms }) => {
    for (const w of histograms.windows) {
      for (const key of ['meanMs', 'sdMs', 'minMs', 'maxMs']) w[key] /= 2;
      w.service &&= moved(w.service);
    }
  },
  shifted: ({ histograms }) => {
    for (const w of histograms.windows)
      for (const key of ['startMs', 'endMs', 'firstStartMs', 'lastEndMs']) w[key] += 400;
  },
  unsealed: ({ histograms }) => {
    for (const w of histograms.windows) w.count += 1000;
  },
};

/** What is done to the files. @type {Record<string, (path: string) => void>} */
const FILES = {
  gone: (path) => rmSync(path),
  torn: (path) => writeFileSync(path, readFileSync(path).subarray(0, 999)),
  copied: (path) => writeFileSync(path, readFileSync(path.replace('runner-0002', 'runner-0001'))),
  stale: (path) => {
    const folder = dirname(path);
    const older = readdirSync(folder).find((f) => /\.honest\..*runner-0002/.test(f));
    writeFileSync(path, readFileSync(join(folder, String(older))));
  },
};

/** @param {any} part @param {number} by everything that is counted, so that each says the same as the others */
function scaled(part, by) {
  /** @type {Record<string, number>} */
  const acked = {};
  for (const w of part.windows) {
    for (const key of ['late', 'early']) w[key] = Math.round(w[key] * by);
    if (w.service) {
      const counts = noCounts();
      addCounts(counts, w.service);
      for (let i = 0; i < counts.length; i++) counts.counts[i] = Math.round(counts.counts[i] * by);
      w.service = encodeCounts(counts);
      w.count = counts.counts.reduce((sum, n) => sum + n, 0);
      Object.assign(w, exactOf(counts.counts));
    }
    w.series = [{ ...w.series[0], t: 0, count: w.count, errors: 0 }];
    acked[w.op] = (acked[w.op] ?? 0) + w.count + w.late + w.early;
  }
  for (const [op, total] of Object.entries(part.notes.totals)) total.acked = acked[op];
  const { tally } = part.notes;
  if (tally)
    for (const key of ['sent', 'acked'])
      tally[key] = tally[key].map((/** @type {number} */ n) => Math.round(n * by));
}

/** @param {Float64Array} counts @returns {Record<string, number>} times that follow from them */
function exactOf(counts) {
  const used = [...counts.keys()].filter((i) => counts[i] > 0);
  const ms = (/** @type {number} */ i) => {
    const range = Math.max(0, (i >> 10) - 1);
    return ((i - (range << 10)) * 2 ** range + (2 ** range - 1) / 2) / 10_000;
  };
  const all = used.reduce((sum, i) => sum + counts[i], 0);
  return {
    meanMs: used.reduce((sum, i) => sum + counts[i] * ms(i), 0) / all,
    minMs: ms(used[0]),
    maxMs: ms(used[used.length - 1]),
  };
}

/** @param {any} encoded @returns {any} each time half as long: a range of buckets lower */
function moved(encoded) {
  const counts = noCounts();
  addCounts(counts, encoded);
  const half = noCounts();
  half.highest = counts.highest;
  half.unit = counts.unit;
  for (let i = 0; i < counts.length; i++) {
    const to = i < 2048 ? Math.round(i / 2) : i - 1024;
    half.counts[to] += counts.counts[i];
    if (half.counts[to] > 0) half.length = Math.max(half.length, to + 1);
  }
  return encodeCounts(half);
}

/** @param {string} file which another process writes whole */
async function arrivalOf(file) {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
}

const args = process.argv.slice(2);
const path = args.find((a) => a.startsWith('RESULT_FILE='))?.slice('RESULT_FILE='.length) ?? '';
const lie = /\.([a-z]+)\.r1\.runner-0002\.json$/.exec(path)?.[1] ?? 'honest';
const child = spawn(String(process.env.LYING_K6), args, { stdio: 'inherit' });
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'close');
if (lie === 'dies') process.kill(process.pid, 'SIGKILL');
if (lie === 'hangs') await new Promise((resolve) => setTimeout(resolve, 1e9));
if (existsSync(path)) {
  if (lie === 'copied') await arrivalOf(path.replace('runner-0002', 'runner-0001'));
  FILES[lie]?.(path);
  if (CHANGES[lie]) {
    const read = JSON.parse(readFileSync(path, 'utf8'));
    const result = { histograms: JSON.parse(read.histograms), summary: JSON.parse(read.summary) };
    CHANGES[lie](result);
    const histograms = JSON.stringify(result.histograms);
    const sha256 = createHash('sha256').update(`${read.summary}\n${histograms}`).digest('hex');
    const sealed = lie === 'unsealed' ? read.sha256 : sha256;
    writeFileSync(path, JSON.stringify({ ...read, histograms, sha256: sealed }));
  }
}
process.exit(code);
