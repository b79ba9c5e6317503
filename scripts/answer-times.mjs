/**
 * How soon commands answer that measure nothing: median of wall times, each in a process of its own, in turns. Exit code 1 where one
 * takes longer than it should. On a machine that others use it says nothing.
 *
 *   node scripts/answer-times.mjs [rounds]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../lib/paths.js';
import { median } from '../lib/stats/summary.js';

const MOST_MS = 150;
const COMMANDS = ['help', 'systems', 'profiles', '--version', 'smokee'];

const rounds = Number(process.argv[2] ?? 15);
const times = new Map(COMMANDS.map((command) => [command, []]));
for (let round = 0; round < rounds; round++)
  for (const [command, ms] of times) {
    const began = performance.now();
    spawnSync(join(ROOT, 'run-all.sh'), [command], { stdio: 'ignore' });
    ms.push(performance.now() - began);
  }
for (const [command, ms] of times) {
  const ownMs = median(ms);
  if (ownMs > MOST_MS) process.exitCode = 1;
  console.log(
    `${command.padEnd(10)} ${ownMs.toFixed(0).padStart(5)} ms${ownMs > MOST_MS ? `, more than ${MOST_MS}` : ''}`,
  );
}
