import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../paths.js';
import { addSystem, newestRun, responder, runCommand, shortProfile, temporaryFolder } from './harness.js';
import { countingServer } from './plain-k6.js';

/** Folders that people have: k6 cuts some of its arguments at commas, and at equals signs. */

const ODD = `a, b='c' "d" ü (1)`;
const server = await countingServer();
const SCRIPT = `import http from 'k6/http';
const words = open('./wör,ds=.txt');
export default function () { http.get(__ENV.BASE_URL + '/' + encodeURIComponent(words)); }
`;

/** @returns {string} a copy of this checkout */
function checkout() {
  const to = join(temporaryFolder(), ODD);
  mkdirSync(to);
  const files = execFileSync('git', [
    '-C',
    ROOT,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    '.',
    ':!reports',
  ]);
  execFileSync(
    'tar',
    ['-C', ROOT, '--null', '-T', '-', '-cf', join(to, '.copy.tar'), '--ignore-failed-read'],
    { input: files },
  );
  execFileSync('tar', ['-C', to, '-xf', join(to, '.copy.tar')]);
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  return to;
}

/** @param {string} root @param {string[]} args @returns {Promise<{code: number | null, text: string}>} */
async function runIn(root, args) {
  const child = spawn(join(root, 'run-all.sh'), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      text += data;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

test('a checkout, a script, its files, reports and outputs may lie in folders with commas, quotes and equals signs', async () => {
  const root = checkout();
  const folder = join(root, 'my, "work"=1');
  mkdirSync(folder);
  const script = join(folder, 'scr=ipt, ü.js');
  writeFileSync(script, SCRIPT);
  writeFileSync(join(folder, 'wör,ds=.txt'), 'hello');
  const reports = join(folder, 'reports');
  const { code, text } = await runIn(root, [
    ...['--script', script, '--endpoint', `shop=${server.url}`, '--reports', reports],
    ...['--steps', '2', '--step-duration', '1s'],
    ...['--out', `json=${join(folder, 'm,=.json')}`, '--out', `csv=${join(folder, 'm,=.csv')}`],
  ]);
  assert.ok(code === 0 || code === 4, text);
  const [{ operations }] = newestRun(reports).records;
  assert.ok(operations.http_reqs.count > 0);
  assert.ok(Number(server.asked.get('/hello')) >= operations.http_reqs.count);
  const written = readdirSync(folder).filter((name) => name.startsWith('m,='));
  assert.deepEqual(written.map((name) => name.replace(/^m,=\..*\.(json|csv)$/, '$1')).sort(), [
    'csv',
    'json',
  ]);
  for (const name of written) assert.match(readFileSync(join(folder, name), 'utf8'), /http_reqs/, name);
});

test('systems and workloads of this suite run from such a checkout, too', async () => {
  // The responder is built where this checkout's is.
  await runCommand(['systems']);
  const root = checkout();
  const folder = join(root, 'my, "work"=1');
  mkdirSync(folder);
  const stacks = join(folder, 'stacks=,');
  addSystem(stacks, 'here');
  assert.ok(responder().build);
  const reports = join(folder, 'reports, =');
  const profile = shortProfile(folder, { steps: [{ id: 'c2', model: 'closed', vus: 2, durationSec: 1 }] });
  const { code, text } = await runIn(root, [
    ...[
      profile,
      '--stacks',
      stacks,
      '--systems',
      'here',
      '--reports',
      reports,
      '--engine',
      'native',
      '--no-live',
    ],
    ...['--out', `json=${join(folder, 'n,=.json')}`],
  ]);
  assert.ok(code === 0 || code === 4, text);
  const own = newestRun(reports).records.find((r) => r.system === 'here');
  assert.equal(own?.status, 'ok', text);
  assert.ok(readdirSync(folder).some((name) => name.startsWith('n,=.')));
});
