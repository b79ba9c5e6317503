/**
 * Property-based test of the contract: schemathesis generates requests from `openapi.yaml`, valid and not, and holds
 * every answer against the document. The stream has no end, so it is left to the tests in `../conformance`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { cachePath } from '../../../lib/paths.js';
import { runTool, which } from '../../../lib/process/tool.js';
import { build, dataFolder, implementations, missingTool, startServer } from '../conformance/server.js';

const CONTRACT = join(import.meta.dirname, '..', 'openapi.yaml');
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const EXAMPLES = '40';
const SEED = '1';

/** @returns {string} a virtual environment of Python, keyed by what is installed in it */
function environment() {
  const key = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  return cachePath('python', `contract-${key}`);
}

/**
 * @param {string[]} command
 * @param {{timeoutMs?: number, cwd?: string}} [options]
 */
async function demand(command, options) {
  const { ok, stdout, stderr } = await runTool(command, options);
  if (!ok) throw new Error(`${command.join(' ')} failed:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Installs what is pinned, once. The place is part of a virtual environment, so the mark of success comes last. */
async function install() {
  const folder = environment();
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  await demand(['python3', '-m', 'venv', folder], { timeoutMs: 120_000 });
  const pip = [
    join(folder, 'bin', 'pip'),
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    REQUIREMENTS,
  ];
  await demand(pip, { timeoutMs: 600_000 });
  mkdirSync(mark);
}

/** @returns {Promise<string | undefined>} why it cannot run here */
async function missingPython() {
  if (which('python3') === null) return 'python3 is not on PATH';
  const { ok } = await runTool(['python3', '-c', 'import venv, ensurepip']);
  return ok ? undefined : 'this Python has no venv and pip';
}

const python = await missingPython();
for (const stack of implementations()) {
  describe(`properties: ${stack.id}`, { skip: python ?? missingTool(stack) }, () => {
    const data = dataFolder();
    /** @type {Awaited<ReturnType<typeof startServer>>} */
    let server;
    before(async () => {
      await install();
      await build(stack);
      server = await startServer(stack, data.path);
    });
    after(async () => {
      await server?.stop();
      data.remove();
    });
    test('every answer to generated requests is one that the contract describes', async () => {
      const work = mkdtempSync(join(data.path, 'schemathesis-'));
      const stdout = await demand(
        [
          ...[join(environment(), 'bin', 'schemathesis'), 'run', CONTRACT, '--url', server.url],
          ...[
            '--exclude-path',
            '/api/stream',
            '--checks',
            'all',
            '--continue-on-failure',
            '--warnings',
            'off',
          ],
          ...['--max-examples', EXAMPLES, '--seed', SEED, '--generation-database', 'none'],
        ],
        { timeoutMs: 300_000, cwd: work },
      );
      const [, generated, passed] = /(\d+) generated, (\d+) passed/.exec(stdout) ?? [];
      assert.ok(Number(generated) >= 300, stdout);
      assert.equal(passed, generated);
    });
  });
}
