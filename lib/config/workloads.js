import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../paths.js';

/** @import { WorkloadFacts } from '../types.d.ts' */

const WORKLOADS = join(ROOT, 'k6', 'workloads');

/**
 * A workload file is plain data and functions, without k6's modules, so that Node can read its facts too.
 * @returns {Promise<WorkloadFacts[]>} sorted by id
 */
export async function loadWorkloads() {
  const ids = readdirSync(WORKLOADS)
    .filter((f) => f.endsWith('.js') && !f.endsWith('.test.js'))
    .map((f) => f.slice(0, -'.js'.length))
    .sort();
  return Promise.all(
    ids.map(async (id) => {
      const { facts } = await import(pathToFileURL(join(WORKLOADS, `${id}.js`)).href);
      return { id, ...facts };
    }),
  );
}
