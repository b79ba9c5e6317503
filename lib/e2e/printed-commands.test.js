import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../paths.js';
import { shellWord } from '../process/shell.js';
import {
  addSystem,
  newestRun,
  runCommand,
  shortProfile,
  startCommand,
  systemsOf,
  temporaryFolder,
} from './harness.js';
import { countingServer } from './plain-k6.js';

/** Every command that is printed runs as it stands: in a report, after `new`, in the hint of an error. */

const folder = join(temporaryFolder(), "it's mine");
mkdirSync(folder);
const server = await countingServer();
const script = join(folder, 'my shop.js');
writeFileSync(
  script,
  `import http from 'k6/http';
export default function () { http.get(__ENV.BASE_URL + '/' + __ENV.TOKEN + __ENV.K6_PART); }
`,
);

/** @param {string} text @returns {string[]} commands in it */
function commandsIn(text) {
  const found = [...text.matchAll(/`(\.\/run-all\.sh [^`]+)`|^(?:hint|then)?:? *(\.\/run-all\.sh .+)$/gm)];
  return found.map((m) => (m[1] ?? m[2]).replaceAll('&quot;', '"').replaceAll('&lt;', '<'));
}

/** @param {string} command @param {Record<string, string>} [env] */
function shell(command, env = {}) {
  return /** @type {Promise<{code: number, text: string}>} */ (
    new Promise((resolve) =>
      execFile(
        'bash',
        ['-c', command],
        { cwd: ROOT, env: { ...process.env, ...env }, maxBuffer: 1 << 26 },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` }),
      ),
    )
  );
}

/** @param {string} reports @returns {string[]} */
function cellsOf(reports) {
  return newestRun(reports).records.map((r) => r.cell);
}

test('the command of a report on a script measures the same again, secrets taken from the shell', async () => {
  const reports = join(folder, 're ports');
  const { code, stderr } = await runCommand([
    ...['--script', script, '--endpoint', `shop=${server.url}`, '--reports', reports, '--repeats', '2'],
    ...['--steps', '2', '--step-duration', '1s', '--out', `json=${join(folder, 'm m.json')}`],
    ...['--', '-e', 'TOKEN=s3cret $x', '-e', 'K6_PART=2', '--tag', "a=it's b"],
  ]);
  assert.ok(code === 0 || code === 4, stderr);
  const before = cellsOf(reports);
  const [again] = commandsIn(newestRun(reports).report);
  assert.match(again, /^\.\/run-all\.sh --script '.*my shop\.js' --steps 2 --step-duration 1s /);
  assert.doesNotMatch(newestRun(reports).report, /s3cret/);
  server.asked.clear();
  assert.ok(!again.includes('--reports'), 'it names no folder of this machine');
  const here = again.replace(' -- ', ` --reports ${shellWord(reports)} -- `);
  const unset = await shell(here);
  assert.notEqual(unset.code, 0);
  assert.match(unset.text, /TOKEN/);
  const ended = await shell(here, { TOKEN: 'other', K6_PART: '3' });
  assert.ok(ended.code === 0 || ended.code === 4, `${here}\n${ended.text}`);
  assert.deepEqual([...server.asked.keys()], ['/other3']);
  assert.equal(readdirSync(reports).filter((n) => n.startsWith('20')).length, 2);
  assert.deepEqual(cellsOf(reports), before);
});

test('the commands of a run that was interrupted go on with it, with its folders, and those of a profile measure again', async () => {
  const stacks = join(folder, 'sta cks');
  addSystem(stacks, 'here');
  const profile = shortProfile(folder, {
    steps: [1, 2].map((vus) => ({ id: `c${vus}`, model: 'closed', vus, durationSec: 2 })),
  });
  const reports = join(folder, 'more reports');
  const begun = startCommand([
    profile,
    '--stacks',
    stacks,
    '--systems',
    'here',
    '--reports',
    reports,
    '--no-live',
  ]);
  await begun.says(/1 user /);
  begun.child.kill('SIGINT');
  assert.equal((await begun.ended).code, 130);
  const commands = commandsIn(newestRun(reports).report);
  const resume = commands.find((c) => c.includes('--resume'));
  assert.ok(resume, commands.join('\n'));
  const resumed = await shell(resume);
  assert.ok(resumed.code === 0 || resumed.code === 4, `${resume}\n${resumed.text}`);
  const again = commands.find((c) => c.includes('short.json'));
  const planned = await shell(`${again} --dry-run`);
  assert.equal(planned.code, 0, `${again}\n${planned.text}`);
  const { records } = newestRun(reports);
  assert.ok(records.length > 0);
  for (const { system, step } of records)
    assert.match(planned.text, new RegExp(`^${system} +${step.vus} users? +repeat 1$`, 'm'));
});

test('what follows on `new`, on a profile with a mistake and on the way of k6 are commands that run', async () => {
  const stacks = join(folder, 'new stacks');
  const like = systemsOf('counters').find((s) => s.id === s.base);
  const made = await runCommand(['new', 'mine', '--like', like?.id ?? '', '--stacks', stacks]);
  assert.equal(made.code, 0, made.stderr);
  const next = commandsIn(made.stderr);
  assert.equal(next.length, 2, made.stderr);
  for (const command of next) {
    const ended = await shell(`${command}${command.includes(' check') ? '' : ' --dry-run'}`);
    assert.ok(ended.code === 0 || /can run here/.test(ended.text), `${command}\n${ended.text}`);
    assert.doesNotMatch(ended.text, /unknown/);
  }
  const wrong = join(folder, 'wrong one.json');
  writeFileSync(wrong, JSON.stringify({ title: 'x', steps: [{ id: 'c1' }], repaets: 1 }));
  const told = await runCommand([wrong]);
  assert.equal(told.code, 2);
  const [check] = commandsIn(told.stderr);
  const checked = await shell(check);
  assert.equal(checked.code, 2);
  assert.match(checked.text, /repaets/);
  // Other mistakes: no JSON at all, and a step that has no end.
  for (const [text, said] of /** @type {[string, RegExp][]} */ ([
    ['{ "title": "x", }', /JSON/i],
    [JSON.stringify({ title: 'x', steps: [{ id: 'c1', model: 'closed', vus: 1 }] }), /c1|steps/],
  ])) {
    writeFileSync(wrong, text);
    const { code, stderr } = await runCommand([wrong]);
    assert.equal(code, 2, stderr);
    // The line itself says what is wrong, or the command that it names does.
    const [next = check] = commandsIn(stderr);
    assert.equal(next, check, stderr);
    const again = await shell(next);
    assert.equal(again.code, 2);
    assert.match(again.text, said);
  }
  const fine = await runCommand(['check', shortProfile(folder)]);
  assert.equal(fine.code, 0, fine.stderr);
  assert.match(fine.stderr, /short\.json: no problem/);

  const theirs = await runCommand(['run', script]);
  const [ours] = commandsIn(theirs.stderr);
  const planned = await shell(`${ours} --dry-run`);
  assert.equal(planned.code, 0, `${ours}\n${planned.text}`);
});
