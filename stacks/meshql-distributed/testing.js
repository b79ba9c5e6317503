import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { loadStacks } from '../../lib/config/stacks.js';
import { demandReady } from '../../lib/engines/demand-ready.js';
import { launch } from '../../lib/engines/native.js';
import { startChild } from '../../lib/process/child.js';
import { runTool, which } from '../../lib/process/tool.js';
import { isBuilt, runBuild, stackBuilds } from '../../lib/setup/builds.js';
import { dieWithUs } from '../../lib/setup/die-with-us.js';
import { obtainNeed } from '../../lib/setup/needs.js';

/**
 * The whole tier for a test: PostgreSQL, Kafka, Kafka Connect with Debezium, processor and server, as the manifest
 * starts them, and the processor to be killed and started again.
 * @import { Stack } from '../../lib/types.d.ts'
 * @import { Child } from '../../lib/process/child.js'
 */

const folder = import.meta.dirname;

/** @returns {Stack} the base, without a variant */
export function ownStack() {
  return ownVariants()[0];
}

/** @returns {Stack[]} the base first */
function ownVariants() {
  return loadStacks().stacks.filter((s) => s.folder === folder);
}

/** @returns {Promise<{stack: Stack, missing: string | null}>} the first variant that can run here, or the base and what it lacks */
export async function variantHere() {
  const [base, ...others] = ownVariants();
  const missing = await missingHere(base);
  if (missing === null) return { stack: base, missing };
  for (const stack of others) if ((await missingHere(stack)) === null) return { stack, missing: null };
  return { stack: base, missing };
}

/**
 * Gets what can be got.
 * @param {Stack} stack
 * @returns {Promise<string | null>} what is missing on this machine, and what would change it
 */
async function missingHere(stack) {
  for (const need of stack.manifest.native?.needs ?? []) {
    const result = await obtainNeed(need);
    if ('problem' in result) return `${need.binary} is missing: ${result.problem}`;
  }
  const tool = stackBuilds(stack).find((b) => which(b.command[0]) === null);
  return tool ? `${tool.command[0]} is not on PATH` : null;
}

/** @param {Stack} stack */
export async function build(stack) {
  for (const b of stackBuilds(stack)) if (!isBuilt(b)) await runBuild(b);
}

/**
 * @param {string} data
 * @returns {number[]} processes that work in this folder, or were started with it
 */
export function processesIn(data) {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const where = readlinkSync(`/proc/${pid}/cwd`) + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return pid !== process.pid && where.includes(data);
      } catch {
        return false;
      }
    });
}

/**
 * @typedef {object} Pipeline
 * @property {string} url of the API
 * @property {string} data
 * @property {(statement: string) => Promise<string[][]>} sql in the legacy database, in one transaction
 * @property {(entity: string, fields: string) => Promise<any[]>} getAll entities, by GraphQL
 * @property {() => Promise<any>} status of the processor
 * @property {() => Promise<any[]>} deadLetters parsed
 * @property {() => void} killProcessor as a crash would
 * @property {(env?: Record<string, string>) => Promise<void>} startProcessor again, on its data
 * @property {() => Promise<{code: number | null}>} stopProcessor by SIGTERM
 * @property {() => Promise<void>} end everything
 */

/**
 * @param {Stack} stack
 * @param {AbortSignal} signal
 * @returns {Promise<Pipeline>} when the seeded rows have come through
 */
export async function startPipeline(stack, signal) {
  const system = await launch(stack, { transport: 'http', signal });
  const { fill, data, companions } = system;
  const env = { ...process.env, ...system.env };
  const companion = stack.manifest.native?.companions?.find((c) => c.name === 'legacy');
  const command = (companion?.start ?? []).map(fill);
  const status = `http://127.0.0.1:${companions.variables.PORT_LEGACY}`;
  const url = fill(stack.manifest.endpoint.url);
  /** @type {Child | null} */
  let processor = null;
  const pgid = companions.pgids().at(-1) ?? 0;

  /** @param {string} target @param {RequestInit} [init] */
  const json = async (target, init) => {
    const response = await fetch(target, { ...init, signal: AbortSignal.timeout(20_000) });
    return response.json();
  };
  /** @type {Pipeline} */
  const pipeline = {
    url,
    data,
    sql: async (statement) => {
      const flags = ['-qXAt', '-F', '\t', '--single-transaction', '-v', 'ON_ERROR_STOP=1', '-c', statement];
      const where = [
        ...'-h 127.0.0.1 -U postgres -d egg_economy_sap -p'.split(' '),
        companions.variables.PORT_POSTGRES,
      ];
      const { ok, stdout, stderr } = await runTool(['psql', ...where, ...flags], {
        env: { ...env, PGPASSWORD: companions.variables.SECRET },
      });
      assert.ok(ok, stderr);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t'));
    },
    getAll: async (entity, fields) => {
      const body = JSON.stringify({ query: `{ getAll { ${fields} } }` });
      const headers = { 'content-type': 'application/json' };
      const { data: found, errors } = await json(`${url}/${entity}/graph`, { method: 'POST', headers, body });
      assert.equal(errors, undefined);
      return found.getAll;
    },
    status: () => json(`${status}/status`),
    deadLetters: async () => {
      const { ok, stdout, stderr } = await runTool([...command, '--print-dead-letters']);
      assert.ok(ok, stderr);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    killProcessor: () => process.kill(-(processor?.pid ?? pgid), 'SIGKILL'),
    startProcessor: async (more = {}) => {
      const logPath = join(data, 'legacy-again.log');
      processor = await startChild(dieWithUs(command), {
        cwd: join(data, 'legacy'),
        env: { ...env, ...more },
        logPath,
      });
      const check = { http: { path: '/health', status: 200 }, timeoutSec: 20 };
      await demandReady('the processor', processor, { check, port: Number(new URL(status).port), signal });
    },
    stopProcessor: async () => {
      processor?.signal('SIGTERM');
      const ended = await processor?.exited;
      return { code: ended?.code ?? null };
    },
    end: async () => {
      await processor?.stop();
      await system.end();
    },
  };
  try {
    await demandReady(stack.id, system.child, { check: stack.manifest.ready, port: system.port, signal });
    const hook = join(folder, 'hooks', 'after-up');
    const { ok, stderr } = await runTool([hook], { env: { ...env, BASE_URL: url, STACK: folder } });
    assert.ok(ok, stderr);
  } catch (error) {
    await pipeline.end();
    throw error;
  }
  return pipeline;
}
