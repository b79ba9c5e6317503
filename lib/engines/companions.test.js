import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { processTable } from '../process/table.js';
import { ownName } from '../process/temporary.js';
import { untakenSettings } from '../run/settings-taken.js';
import { startSampler } from '../sample/sampler.js';
import { startNative } from './native.js';
import { companion, service, stackOfServices } from './testing.js';
import { watchedOf } from './watched.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-companions-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const options = () => ({ transport: 'resp', signal: new AbortController().signal });
let count = 0;

/** @param {object[]} companions @param {object} [native] */
function aStack(companions, native) {
  return stackOfServices(join(folder, `s${count++}`), companions, native);
}

/** @param {import('../types.d.ts').Stack} stack @returns {string[]} what happened, in order */
function journal(stack) {
  const path = join(stack.folder, 'journal');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** @param {import('../types.d.ts').Stack} stack */
function nothingIsLeft(stack) {
  const running = (processTable() ?? []).filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${stack.folder}/service.mjs`);
    } catch {
      return false;
    }
  });
  assert.deepEqual(running, [], 'a process is left');
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(ownName(stack.id)));
  assert.deepEqual(folders, [], 'a temporary folder is left');
}

test('companions are prepared, started in order, set up, and stopped after the system in reverse order', async () => {
  const note = (/** @type {string} */ text) => ['sh', '-c', `echo "${text}" >> "$JOURNAL"`];
  const stack = aStack(
    [
      companion('first', {
        prepare: [note('prepare first'), ['touch', 'in-its-own-folder']],
        setup: [note('set up first {port.extra}')],
        ports: ['extra'],
        url: 'db://{host}:{port.first}',
      }),
      companion('second', { prepare: [note('prepare second')], stop: 'SIGINT' }),
    ],
    { config: ['alpha.conf'], env: { JOURNAL: join(folder, `s${count}`, 'journal'), FIRST: '{url.first}' } },
  );
  writeFileSync(join(stack.folder, 'alpha.conf'), 'first={url.first}\nextra={port.extra}\n');
  const instance = await startNative(stack, options());
  const [, , , extra] =
    journal(stack)
      .find((line) => line.startsWith('set up'))
      ?.split(' ') ?? [];
  assert.match(extra, /^\d+$/);
  const data = join(tmpdir(), readdirSync(tmpdir()).find((n) => n.startsWith(ownName('alpha'))) ?? '');
  assert.match(
    readFileSync(join(data, 'alpha.conf'), 'utf8'),
    /^first=db:\/\/127\.0\.0\.1:\d+\nextra=\d+\n$/,
  );
  assert.ok(existsSync(join(data, 'first', 'in-its-own-folder')));
  assert.match(readFileSync(join(data, 'first.log'), 'utf8'), /first says: up/);
  assert.equal(instance.running(), true);

  const sampler = startSampler({
    system: () => watchedOf(instance),
    everyMs: 1000,
  });
  assert.equal(sampler.stop()[0].system?.processes, 3, 'all of them are the system');

  await instance.stop();
  const [prepared, inOrder] = [journal(stack).slice(0, 2), journal(stack).slice(2)];
  assert.deepEqual(prepared.sort(), ['prepare first', 'prepare second'], 'at the same time');
  assert.deepEqual(inOrder, [
    'first started',
    `set up first ${extra}`,
    'second started',
    'alpha started',
    'alpha stopped',
    'second interrupted',
    'first stopped',
  ]);
  nothingIsLeft(stack);
});

test('a companion waits for those alone that it names, and is stopped in the reverse order all the same', async () => {
  const held = ['sh', '-c', 'until [ -e ../there ]; do sleep 0.05; done; exec "$@"', '-'];
  const stack = aStack([
    companion('first', { start: [...held, ...service('first', '{port.first}')] }),
    companion('second', { after: [] }),
    companion('third', { after: ['second'], setup: [['touch', '../there']] }),
  ]);
  const instance = await startNative(stack, options());
  await instance.stop();
  const [second, third, ...others] = journal(stack);
  assert.deepEqual([second, third], ['second started', 'third started'], 'while the first is held');
  assert.deepEqual(others, [
    'first started',
    'alpha started',
    'alpha stopped',
    'third stopped',
    'second stopped',
    'first stopped',
  ]);
  nothingIsLeft(stack);
});

test('the failure of one of several helper processes ends the others, and no further one is started', async () => {
  const stack = aStack([
    companion('first', { start: service('first', '{port.first}', 'mute') }),
    companion('second', { after: [], start: service('second', '{port.second}', 'ends') }),
    companion('third'),
  ]);
  await assert.rejects(startNative(stack, options()), /^BenchError: alpha: its second ended while starting$/);
  assert.ok(!journal(stack).includes('third started'));
  nothingIsLeft(stack);
});

/** @type {[string, object, RegExp, RegExp][]} */
const FAILURES = [
  [
    'is not ready in time',
    companion('second', {
      start: service('second', '{port.second}', 'mute'),
      ready: { tcp: { send: 'x', expect: 'hello' }, timeoutSec: 0.5 },
    }),
    /^alpha: its second did not become ready in 0\.5 s \(.*ECONNREFUSED.*\)$/,
    /second says: up/,
  ],
  [
    'ends at once',
    companion('second', { start: service('second', '{port.second}', 'ends') }),
    /^alpha: its second ended while starting$/,
    /second says: up/,
  ],
  [
    'never says what it should',
    companion('second', { ready: { log: 'at your service', timeoutSec: 0.5 } }),
    /^alpha: its second did not become ready in 0\.5 s \(its output has no "at your service"\)$/,
    /second says: up/,
  ],
  [
    'cannot be prepared',
    companion('second', { prepare: [['sh', '-c', 'echo so >&2; echo "no room" >&2; exit 1']] }),
    /^alpha: its second could not be prepared: no room$/,
    /so/,
  ],
  [
    'cannot be set up',
    companion('second', { setup: [['sh', '-c', 'echo why >&2; echo "no table" >&2; exit 1']] }),
    /^alpha: its second could not be set up: no table$/,
    /why/,
  ],
];
for (const [what, second, message, detail] of FAILURES) {
  test(`a helper process that ${what} is a failure of the system in one line, and nothing is left`, async () => {
    const stack = aStack([companion('first'), second]);
    await assert.rejects(startNative(stack, options()), (/** @type {any} */ error) => {
      assert.match(error.message, message);
      assert.match(error.detail.join('\n'), detail);
      assert.equal(error.exitCode, 3);
      return true;
    });
    assert.ok(!journal(stack).includes('alpha started'), 'the system itself was not started');
    nothingIsLeft(stack);
  });
}

test('a helper process that prints the right text is ready, and an older run of it does not count', async () => {
  const stack = aStack([companion('first', { ready: { log: 'first says: up', timeoutSec: 20 } })]);
  const instance = await startNative(stack, options());
  await instance.kill?.();
  await instance.restart?.();
  assert.equal(instance.running(), true);
  await instance.stop();
  nothingIsLeft(stack);
});

test('a helper process that ends under load is the death of the system, by name, with its last lines', async () => {
  const stack = aStack([companion('first', { start: service('first', '{port.first}', 'brief') })]);
  const instance = await startNative(stack, options());
  await instance.died;
  assert.equal(instance.running(), false);
  assert.equal(await instance.ending?.(), '(its first, with code 9)');
  assert.deepEqual(await instance.logTail(), ['first says: up']);
  await instance.stop();
  nothingIsLeft(stack);
});

test('a kill takes all processes with it, and a restart brings them back on the same data', async () => {
  const stack = aStack([
    companion('first', { prepare: [['sh', '-c', 'echo "prepare first" >> "$JOURNAL"; echo kept > data']] }),
  ]);
  const instance = await startNative(stack, options());
  const before = [instance.pgid, ...(instance.companions?.pgids() ?? [])];
  await instance.kill?.();
  nothingRuns(before);
  await instance.restart?.();
  const data = join(tmpdir(), readdirSync(tmpdir()).find((n) => n.startsWith(ownName('alpha'))) ?? '');
  assert.equal(readFileSync(join(data, 'first', 'data'), 'utf8'), 'kept\n');
  assert.equal(instance.running(), true);
  assert.notDeepEqual([instance.pgid, ...(instance.companions?.pgids() ?? [])], before);
  await instance.stop();
  assert.deepEqual(
    journal(stack).filter((line) => !line.endsWith('stopped')),
    ['prepare first', 'first started', 'alpha started', 'first started', 'alpha started'],
  );
  nothingIsLeft(stack);
});

/** @param {(number | null)[]} pids */
function nothingRuns(pids) {
  for (const pid of pids) assert.throws(() => process.kill(Number(pid), 0), /ESRCH/);
}

test('what the user has given is not started, and what is ours in it is cleared before and after', async () => {
  const clear = [['sh', '-c', 'echo "clear {url.first}" >> "$JOURNAL"']];
  const stack = aStack([{ name: 'first', given: { env: 'FIRST_URI', clear }, url: 'db://elsewhere:1' }]);
  const instance = await startNative(stack, options());
  assert.equal(instance.companions?.elsewhere, true);
  await instance.stop();
  assert.deepEqual(journal(stack), [
    'clear db://elsewhere:1',
    'alpha started',
    'alpha stopped',
    'clear db://elsewhere:1',
  ]);
  nothingIsLeft(stack);
});

test('what a companion says of its settings is held against what the manifest has, and silence is none of it', async () => {
  const settings = { flush: 'on', level: 'full', depth: '8' };
  const readBack = (/** @type {string} */ said) => ({ command: ['sh', '-c', said], settings });
  const stack = aStack([
    companion('first', { readBack: readBack('printf "flush\\ton\\twhat it is\\nlevel\\tlow\\n"') }),
    companion('second', { readBack: readBack('exit 3') }),
  ]);
  const instance = await startNative(stack, options());
  try {
    assert.deepEqual(instance.untaken, [
      { setting: 'first.level', given: 'full', stated: 'low' },
      { setting: 'first.depth', given: '8', stated: 'not told' },
      ...Object.entries(settings).map(([name, given]) => ({
        setting: `second.${name}`,
        given,
        stated: 'not told',
      })),
    ]);
    assert.equal(untakenSettings(stack, { engine: 'native' }, instance).length, 5, 'a reason of each cell');
  } finally {
    await instance.stop();
  }
});

test('an interruption while a companion starts leaves nothing', async () => {
  const abort = new AbortController();
  const stack = aStack([companion('first', { start: service('first', '{port.first}', 'mute') })]);
  const starting = startNative(stack, { transport: 'resp', signal: abort.signal });
  setTimeout(() => abort.abort(), 500);
  await assert.rejects(starting, /its first was interrupted while starting/);
  nothingIsLeft(stack);
});
