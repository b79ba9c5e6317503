/** How k6 ends in the midst of a load by a script: its own exit codes, and what a run ends with then. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newestRun, runCommand, temporaryFolder } from './harness.js';
import { countingServer, plainK6 } from './plain-k6.js';

const folder = temporaryFolder();
/** Answered well so often: the rehearsal and the first step. */
const WELL = 2;

/** By what happens: what the script does beside its load, the answer that it gets from the third time on, and k6's own code. */
const ENDS = /** @type {[string, string, {status?: number, delayMs?: number}, number, RegExp][]} */ ([
  [
    'a setup() that throws',
    `export function setup() { const r = http.get(url + '/once'); if (r.status !== 200) throw new Error('no login'); }`,
    { status: 503 },
    107,
    /ended with code 107 \(the script threw outside of an iteration\): .*no login/,
  ],
  [
    'a setup() that takes too long',
    `export const options = { setupTimeout: '1s' }; export function setup() { http.get(url + '/once'); }`,
    { delayMs: 4000 },
    100,
    /ended with code 100 \(setup\(\) took longer than its setupTimeout\)/,
  ],
  [
    'a teardown() that takes too long',
    `export const options = { teardownTimeout: '1s' }; export function teardown() { http.get(url + '/once'); }`,
    { delayMs: 4000 },
    101,
    /ended with code 101 \(teardown\(\) took longer than its teardownTimeout\)/,
  ],
]);

test('what worked before and ends k6 later is a failure of what it asks: exit 3, by the code and the words of k6', async (t) => {
  for (const [what, text, later, code, reason] of ENDS)
    await t.test(what, async () => {
      let times = 0;
      const server = await countingServer((path) => (path === '/once' && ++times > WELL ? later : {}));
      const script = join(folder, `ends-${code}.js`);
      writeFileSync(
        script,
        `import http from 'k6/http'; const url = __ENV.BASE_URL; ${text}
         export default () => { http.get(url + '/load'); };`,
      );
      const reports = temporaryFolder();
      const { code: exit, stderr } = await runCommand([
        ...['--script', script, '--endpoint', `shop=${server.url}`, '--reports', reports],
        ...['--steps', '1,2', '--step-duration', '1s'],
      ]);
      assert.equal(exit, 3, stderr);
      const { records, report } = newestRun(reports);
      assert.deepEqual(
        records.map((r) => [r.step.id, r.status, r.k6ExitCode]),
        [
          ['c1', 'ok', undefined],
          ['c2', 'failed', code],
        ],
      );
      assert.match(String(records[1].reason), reason);
      assert.match(report, new RegExp(`code ${code} `));
      assert.equal(times, WELL + 1, 'as the server counted');
      const plain = await plainK6([
        '--vus',
        '2',
        '--duration',
        '1s',
        '--env',
        `BASE_URL=${server.url}`,
        script,
      ]);
      assert.equal(plain.code, code, plain.output);
    });
});
