// @vitest-environment node
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startRecording } from './testing/recording-backend';

const here = import.meta.dirname;
const stack = mkdtempSync(join(tmpdir(), 'lb-convex-deploy-'));
afterAll(() => rmSync(stack, { recursive: true, force: true }));
// A copy: deploying writes convex/_generated.
mkdirSync(join(stack, 'functions'));
cpSync(join(here, '../hooks'), join(stack, 'hooks'), { recursive: true });
cpSync(join(here, 'convex'), join(stack, 'functions/convex'), { recursive: true });
cpSync(join(here, 'package.json'), join(stack, 'functions/package.json'));
symlinkSync(join(here, 'node_modules'), join(stack, 'functions/node_modules'));

function deploy(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(join(stack, 'hooks/after-up'), [], {
    env: { PATH: process.env.PATH, HOME: stack, ...env },
  });
  let stderr = '';
  child.stderr.on('data', (data) => (stderr += data));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr })));
}

test("the hook deploys schema and functions with the vendor's own tool and the key", {
  timeout: 60_000,
}, async () => {
  const backend = await startRecording();
  const { code, stderr } = await deploy({ BASE_URL: backend.url, CONVEX_ADMIN_KEY: 'ladderbench|00ff' });
  backend.stop();
  expect(stderr).toMatch(/Deployed|deployed/);
  expect(code).toBe(0);
  const push = backend.requests.find((r) => r.path === '/api/deploy2/start_push');
  expect(push?.authorization).toBe('Convex ladderbench|00ff');
  const { appDefinition } = push?.body ?? {};
  expect(appDefinition.schema.path).toBe('schema.js');
  expect(JSON.stringify(appDefinition)).toContain('workload.js');
  expect(backend.requests.map((r) => r.path)).toContain('/api/deploy2/finish_push');
});

test('a backend that refuses the functions fails the hook, with its words', { timeout: 60_000 }, async () => {
  const backend = await startRecording({ refuses: '/api/deploy2/start_push' });
  const { code, stderr } = await deploy({ BASE_URL: backend.url, CONVEX_ADMIN_KEY: 'ladderbench|00ff' });
  backend.stop();
  expect(code).not.toBe(0);
  expect(stderr).toContain('refused by the test');
});

test('without a key the hook says in one line how to give it', async () => {
  const { code, stderr } = await deploy({ BASE_URL: 'http://127.0.0.1:1' });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('no admin key: set CONVEX_ADMIN_KEY')]);
});
