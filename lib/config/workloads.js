import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BenchError, causeOf, demandNone } from '../errors.js';
import { ROOT } from '../paths.js';
import { idOfFile, readDataWorkload } from './data-workloads.js';
import { isJsonFile, namesIn } from './declared.js';
import { suggest } from './nearest.js';
import { schemaProblems } from './validate.js';

/** @import { WorkloadFacts } from '../types.d.ts' */

const WORKLOADS = join(ROOT, 'k6', 'workloads');

/**
 * A workload file is data, or plain data and functions, without k6's modules, so that Node can read its facts too.
 * @param {string[]} [extra] folders given by `--workloads-folder`
 * @param {string[]} [files] workloads as data, by their path
 * @returns {Promise<WorkloadFacts[]>} sorted by id; those of other folders and files after ours
 * @throws {BenchError} no such folder, or a file in it that is no workload
 */
export async function loadWorkloads(extra = [], files = []) {
  const own = await Promise.all(
    idsIn(WORKLOADS).map(async (id) => {
      const { facts } = await import(pathToFileURL(join(WORKLOADS, `${id}.js`)).href);
      return { id, ...facts };
    }),
  );
  /** @type {WorkloadFacts[]} */
  const all = [...own, ...dataFilesIn(WORKLOADS).map(readDataWorkload)];
  for (const folder of extra.map((f) => resolve(f))) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new BenchError(`--workloads-folder ${folder}: there is no such folder`);
    for (const id of idsIn(folder)) all.push(await outsideWorkload(join(folder, `${id}.js`), id, all));
    files = [...dataFilesIn(folder), ...files];
  }
  for (const file of files) {
    const workload = readDataWorkload(file);
    if (all.some((w) => w.id === workload.id))
      throw new BenchError(`${file}: there is a workload "${workload.id}" already`, {
        hint: 'give the file another name',
      });
    all.push(workload);
  }
  return all;
}

/** @param {string} folder @returns {string[]} paths */
function dataFilesIn(folder) {
  return namesIn(folder, '.json').map((name) => join(folder, `${name}.json`));
}

/**
 * What `--workload` and `--workloads` say, which may be files in place of names.
 * @param {{workload: string | null, workloads: string[] | null}} wish
 * @returns {{names: string[] | null, files: string[]}} `names`: null where neither was given
 */
export function workloadsOf({ workload, workloads }) {
  const words = [...(workloads ?? []), ...(workload === null ? [] : [workload])];
  const files = words.filter(isJsonFile);
  const names = words.map((word) => (isJsonFile(word) ? idOfFile(word) : word));
  return { names: words.length > 0 ? [...new Set(names)] : null, files };
}

/** @param {string} folder @returns {string[]} */
function idsIn(folder) {
  return namesIn(folder, '.js').filter((name) => !name.endsWith('.test'));
}

/**
 * @param {string} file
 * @param {string} id
 * @param {WorkloadFacts[]} known
 * @returns {Promise<WorkloadFacts>} with where it is
 * @throws {BenchError} naming the file and the first thing that is wrong with it
 */
async function outsideWorkload(file, id, known) {
  if (known.some((w) => w.id === id)) throw new BenchError(`${file}: there is a workload "${id}" already`);
  /** @type {any} */
  let module;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new BenchError(`${file}: ${causeOf(error)}`, {
      hint: 'a workload must not import k6: Node reads its facts, too',
    });
  }
  if (typeof module.facts !== 'object') throw new BenchError(`${file}: it exports no facts`);
  const workload = { id, ...module.facts };
  demandNone(workloadProblems(workload), { prefix: `${file}: ` });
  return { ...workload, file };
}

/**
 * @param {WorkloadFacts} workload
 * @returns {string[]} what is wrong with its facts, each as `path: what`; empty when they are right
 */
export function workloadProblems({ id: _, file: __, ...facts }) {
  const problems = schemaProblems('workload', facts);
  if (problems.length > 0) return problems;
  return [...windowProblems(facts), ...datasetProblems(facts), ...orderProblems(facts)];
}

/**
 * @param {Omit<WorkloadFacts, 'id'>} facts
 * @returns {Generator<string>} operations of undescribed windows, or without the share that their window needs
 */
function* windowProblems({ operations, windows = {} }) {
  for (const [op, { window, share }] of Object.entries(operations)) {
    const shares = window !== undefined && windows[window]?.order === 'shares';
    if (window !== undefined && !windows[window])
      yield `operations.${op}.window: unknown window "${window}"; ${suggest(window, Object.keys(windows))}`;
    else if (shares !== (share !== undefined))
      yield `operations.${op}.share: ${shares ? 'is missing: its window is of shares' : 'its window is not of shares'}`;
  }
}

/**
 * @param {Omit<WorkloadFacts, 'id'>} facts
 * @returns {Generator<string>} windows whose operations do not make one
 */
function* orderProblems({ operations, windows = {} }) {
  for (const [name, { order, turns }] of Object.entries(windows)) {
    const at = `windows.${name}`;
    const own = Object.keys(operations).filter((op) => operations[op].window === name);
    const sum = own.reduce((all, op) => all + (operations[op].share ?? 0), 0);
    if (own.length < 2) yield `${at}: fewer than two operations share it`;
    else if (order === 'shares' && Math.abs(sum - 1) >= 1e-9)
      yield `${at}: the shares of its operations add up to ${sum}, not 1`;
    else if (order !== 'shares' && (order === 'turns') !== (turns !== undefined))
      yield `${at}.turns: ${turns ? 'only a window of turns has them' : 'are missing'}`;
    else if (order === 'turns' && turns) {
      for (const op of turns)
        if (!own.includes(op)) yield `${at}.turns: "${op}" is not one of its operations; ${suggest(op, own)}`;
      for (const op of own) if (!turns.includes(op)) yield `${at}.turns: "${op}" is missing from the order`;
    }
  }
}

/**
 * Profiles may give more, but what a workload names it has a number for.
 * @param {Omit<WorkloadFacts, 'id'>} facts
 * @returns {Generator<string>}
 */
function* datasetProblems({ operations, dataset = {} }) {
  const known = Object.keys(dataset);
  for (const [op, { users, items }] of Object.entries(operations))
    for (const [field, name] of Object.entries({ users, items }))
      if (typeof name === 'string' && !known.includes(name))
        yield `operations.${op}.${field}: the dataset has no "${name}"; ${suggest(name, known)}`;
}
