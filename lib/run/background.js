import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programsOf } from '../engines/native.js';
import { lastJson } from '../lifecycle/programs.js';
import { startChild } from '../process/child.js';
import { temporaryFolder } from '../process/temporary.js';
import { dieWithUs } from '../setup/die-with-us.js';

/**
 * @import { BackgroundResult, CellMeta, CellPlan, Stack } from '../types.d.ts'
 * @import { Instance } from '../engines/native.js'
 */

/** How long the program may take, once told to end, until all that it sent has arrived. */
const DRAIN_MS = 60_000;

/**
 * @typedef {{background: BackgroundResult} | Pick<CellMeta, 'status' | 'reason' | 'logTail'>} BackgroundOutcome
 */

/**
 * Starts what keeps a system busy beside the load, where the step asks for it. The program gets RATE_PER_SEC, BASE_URL
 * and the ports of the companions; told to end (SIGTERM), it prints a line of JSON and ends with code 0.
 * @param {CellPlan} cell
 * @param {{stack: Stack, instance: Instance}} subject
 * @returns {Promise<{end: (graceMs?: number) => Promise<BackgroundOutcome>} | null>} null where nothing is asked for
 */
export async function startBackground({ step }, { stack, instance }) {
  const recipe = stack.manifest.background;
  if (!step.background || !recipe) return null;
  const { ratePerSec } = step.background;
  if (!instance.companions) {
    const reason = 'a background load needs the engine native';
    return { end: async () => ({ status: 'unsupported', reason, logTail: [] }) };
  }
  const { fill, env } = programsOf(stack, { url: instance.url });
  const logPath = join(temporaryFolder('background'), 'background.log');
  const child = await startChild(dieWithUs(recipe.command.map(fill)), {
    env: {
      ...env,
      ...instance.companions.variables,
      BASE_URL: instance.url,
      RATE_PER_SEC: String(ratePerSec),
    },
    logPath,
  });
  return {
    end: async (graceMs = DRAIN_MS) => {
      await child.stop(graceMs);
      const { code, signal } = await child.exited;
      const result = lastJson(readFileSync(logPath, 'utf8'));
      if (code === 0 && result) {
        const { count, seconds, latencyMs, mostLag, drainMs } = result;
        const done = { count, ratePerSec: count / seconds, latencyMs, mostLag, drainMs };
        return { background: { title: recipe.title, targetPerSec: ratePerSec, ...done } };
      }
      const how = signal ? `by ${signal}` : `with code ${code}`;
      const reason = `the background load ended ${how}: ${child.logTail(1)[0] ?? 'it said nothing'}`;
      return { status: 'failed', reason, logTail: child.logTail() };
    },
  };
}
