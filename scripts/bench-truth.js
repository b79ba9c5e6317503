/** Runs the test that holds the generator's latencies against those of a responder with known delays. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../lib/paths.js';
import { readJson } from '../lib/store.js';

/**
 * @returns {import('./bench-page.js').TruthOutcome} of `npm run bench:truth`
 */
export function measureTruth() {
  const command = readJson(join(ROOT, 'package.json')).scripts['bench:truth'];
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  return truthIn(stdout, status === 0 ? null : (stderr.trim().split('\n').pop() ?? ''));
}

/**
 * @param {string} output of `go test -v`
 * @param {string | null} trouble what it said when it failed; null: it did not
 * @returns {import('./bench-page.js').TruthOutcome} by the innermost tests
 */
export function truthIn(output, trouble) {
  const told = [...output.matchAll(/^\s*--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, how, name]) => ({
    how,
    name,
  }));
  const cases = told.filter(({ name }) => !told.some((other) => other.name.startsWith(`${name}/`)));
  const failed = cases.filter(({ how }) => how === 'FAIL').map(({ name }) => name);
  const passed = cases.filter(({ how }) => how === 'PASS').length;
  const untold = passed + failed.length === 0 || (trouble !== null && failed.length === 0);
  return { passed, failed, problem: untold ? trouble || 'no case was run' : null };
}
