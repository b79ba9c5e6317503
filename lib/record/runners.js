import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { segmentOf } from '../../k6/schedule/segments.js';
import { BenchError } from '../errors.js';
import { round } from '../sample/usage.js';
import { readText } from '../store.js';
import { contradictionIn } from './contradiction.js';
import { createMerge } from './merge-runners.js';
import { readRunnerResult, runnerFile } from './runner-result.js';

/**
 * The runners of one cell as one generator.
 * @import { CellMeta, GeneratorsMeta, GeneratorsResult, HistogramExport } from '../types.d.ts'
 */

/**
 * @param {string} runFolder
 * @param {CellMeta & {generators: GeneratorsMeta}} meta
 * @param {HistogramExport | null} after what the check of the state exported, when the load was over
 * @returns {{histograms: HistogramExport | null, summary: any, generators: GeneratorsResult, files: string[]}}
 */
export function readRunners(runFolder, { cell, generators, startedAt, durationMs }, after) {
  // By the clock of this machine, which that of pods is not; its end is not known while the load is looked at.
  const fromMs = Date.parse(startedAt ?? '');
  const toMs = fromMs + (durationMs ?? Number.POSITIVE_INFINITY);
  const span =
    generators.on === 'local' ? { fromMs: fromMs || 0, toMs: toMs || Number.POSITIVE_INFINITY } : null;
  const { on, count, coresEach, restarted, nodes } = generators;
  const merge = createMerge();
  const files = [];
  const missing = [];
  for (let runner = 1; runner <= count; runner++) {
    const file = runnerFile(cell.id, runner);
    const known = generators.problems.find((p) => p.runner === runner)?.problem;
    const problem = known ?? addRunner(merge, { runner, runners: count, span }, join(runFolder, file));
    if (existsSync(join(runFolder, file))) files.push(file);
    if (problem) missing.push({ runner, problem });
  }
  const merged = missing.length < count ? merge.end() : null;
  const busiest = merged?.busiest ?? null;
  return {
    histograms: merged && { ...merged.histograms, notes: { ...merged.histograms.notes, ...after?.notes } },
    summary: merged?.summary ?? null,
    generators: {
      on,
      count,
      ...(nodes === undefined ? {} : { nodes }),
      startSkewMs: merged && round(merged.startSkewMs, 3),
      missing,
      restarted,
      busiest: busiest && {
        runner: busiest.runner,
        operation: busiest.operation,
        cpuRatio: round(busiest.cores / coresEach, 4),
      },
    },
    files,
  };
}

/**
 * @param {ReturnType<typeof createMerge>} merge
 * @param {{runner: number, runners: number, span: {fromMs: number, toMs: number} | null}} who `span`: when it was measured
 * @param {string} path
 * @returns {string | null} why its part is missing
 */
function addRunner(merge, { runner, runners, span }, path) {
  if (!existsSync(path)) return 'it left no result';
  try {
    const { histograms, summary } = readRunnerResult(readText(path));
    const segment = segmentOf(runner, runners);
    if ((histograms.notes.segment ?? segment) !== segment)
      return `it ran the segment ${histograms.notes.segment}, not ${segment}`;
    const contradiction = contradictionIn(histograms, span);
    if (contradiction) return `it contradicts itself: ${contradiction}`;
    merge.add(runner, histograms, summary);
    return null;
  } catch (error) {
    if (error instanceof BenchError) return error.message;
    throw error;
  }
}

/**
 * What the check of the state is told of the load: the sums of all runners.
 * @param {string} runFolder
 * @param {CellMeta['cell']} cell
 * @param {GeneratorsMeta} generators
 * @param {Record<string, unknown>} before notes of what the system held before the load
 * @returns {{notes: Record<string, unknown>} | null} null: a part is missing, so nothing can be held against the state
 */
export function notesOfAll(runFolder, cell, generators, before) {
  const meta = /** @type {CellMeta & {generators: GeneratorsMeta}} */ ({ cell, generators });
  const { histograms, generators: result } = readRunners(runFolder, meta, null);
  if (result.missing.length > 0 || !histograms) return null;
  const { totals, tally } = /** @type {any} */ (histograms.notes);
  return { notes: { start: before.start, totals, ...(tally ? { tally } : {}) } };
}
