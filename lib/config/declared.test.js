import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-declared-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const profile = {
  title: 'Short',
  seed: 1,
  repeats: 1,
  warmupSec: 0,
  coolDownSec: 0,
  drive: 'burst',
  dataset: { keys: 10 },
  steps: [{ id: 'c2', model: 'closed', vus: 1, durationSec: 3 }],
  thresholds: {},
};
const manifest = {
  title: 'Some',
  origin: 'upstream',
  workloads: { counters: { transports: ['resp'] } },
  durability: { policy: 'none', meaning: 'in memory' },
  endpoint: { url: 'x://{host}:{port}', port: 1 },
  ready: { tcp: { send: 'PING\r\n', expect: '+PONG' }, timeoutSec: 1 },
};

/** @param {string} text */
const nested = (text) => `${'['.repeat(10_000)}${text}${']'.repeat(10_000)}`;

/**
 * What somebody may put into either of them: its text, and the line that answers it.
 * @param {any} good
 * @returns {[string, string, RegExp][]}
 */
const hostile = (good) => {
  const text = JSON.stringify(good);
  const first = (/** @type {string} */ field) => text.replace('{', `{${field},`);
  return [
    ['a key __proto__', first('"__proto__":{"polluted":1}'), /"__proto__" cannot be the name of a field/],
    [
      'a key constructor',
      first('"constructor":{"prototype":{"polluted":1}}'),
      /"constructor" cannot be the name of a field/,
    ],
    [
      'a key __proto__ deep inside',
      first('"variants":{"a":{"title":"t","__proto__":{"polluted":1}}}'),
      /"__proto__" cannot be the name of a field/,
    ],
    [
      'a title with a line break',
      JSON.stringify({ ...good, title: 'a\nb' }),
      /the text "a b" has control characters or line breaks/,
    ],
    [
      'a title that colours a terminal',
      JSON.stringify({ ...good, title: 'a\u001b[31mb' }),
      /the text "a \[31mb" has control characters/,
    ],
    [
      'a title that turns the text around',
      JSON.stringify({ ...good, title: 'a\u202eb' }),
      /the text "a b" has control characters/,
    ],
    [
      'a name that sets the title of a terminal',
      first('"\\u001b]0;x\\u0007\\n":1'),
      /the name "\]0;x" has control characters/,
    ],
    ['ten megabytes', JSON.stringify({ ...good, title: 'x'.repeat(10e6) }), /the limit is 262144/],
    [
      'very many values',
      JSON.stringify({ ...good, steps: Array(50_000).fill({}) }),
      /it has more than 5000 values/,
    ],
    ['lists in lists, ten thousand deep', nested(''), /it is nested more than 32 levels deep/],
    [
      'objects in objects, ten thousand deep',
      first(`"a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
      /it is nested more than 32 levels deep/,
    ],
    ['brackets that never close', '['.repeat(200_000), /is not valid JSON/],
    ['nothing', '', /is not valid JSON/],
    ['bytes of zero', '\0\0\0', /is not valid JSON/],
    ['null', 'null', /top level: must be object/],
    ['a number', '5', /top level: must be object/],
    ['a list', '[]', /top level: must be object/],
  ];
};

/** @type {[string, any, RegExp][]} */
const PROFILES = [
  [
    'a step that leaves its folder',
    { steps: [{ ...profile.steps[0], id: '../../c2' }] },
    /steps\.0\.id: must match/,
  ],
  ['a step with a line break', { steps: [{ ...profile.steps[0], id: 'c2\n' }] }, /the text "c2" has control/],
  ['a step with a space', { steps: [{ ...profile.steps[0], id: 'c 2' }] }, /steps\.0\.id: must match/],
  ['steps that are no list', { steps: { a: 1 } }, /steps: must be array/],
  [
    'a size of the dataset called __proto__',
    { dataset: JSON.parse('{"__proto__":5}') },
    /"__proto__" cannot be the name/,
  ],
];

/** @type {[string, any, RegExp][]} */
const MANIFESTS = [
  [
    'a workload that leaves its folder',
    { workloads: { '../counters': { transports: ['resp'] } } },
    /workloads: /,
  ],
  [
    'a transport with a space',
    { workloads: { counters: { transports: ['re sp'] } } },
    /transports\.0: must match/,
  ],
  ['a variant with a dot', { variants: { 'a/../b': { title: 't' } } }, /variants: /],
  [
    'a setting called __proto__',
    { settings: JSON.parse('{"__proto__":"x"}') },
    /"__proto__" cannot be the name/,
  ],
  ['a setting with a space', { settings: { 'a b': 'x' } }, /settings: /],
  [
    'a file of configuration outside its folder',
    { native: { start: ['true'], config: ['../../etc/passwd'] } },
    /native\.config\.0: must match/,
  ],
  [
    'an argument that no program can be given',
    { native: { start: ['sh', '-c', 'x\u0000y'] } },
    /the text "x y" has control characters/,
  ],
  [
    'an absolute one',
    { native: { start: ['true'], config: ['/etc/passwd'] } },
    /native\.config\.0: must match/,
  ],
];

/** @param {string} name */
const fileName = (name) => name.replace(/[^a-z]+/gi, '-').toLowerCase();

/**
 * @param {string[]} args
 * @returns {{code: number | null, stderr: string}} of the command; five minutes are for ever
 */
function run(args) {
  const { status, stderr, error } = spawnSync(process.execPath, [join(ROOT, 'lib', 'cli.js'), ...args], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  assert.equal(error, undefined, `${args.join(' ')}: ${error?.message}`);
  return { code: status, stderr };
}

/**
 * @param {string} stderr
 * @param {string} name
 */
function isPlain(stderr, name) {
  assert.doesNotMatch(stderr, /\n\s+at .*:\d+:\d+/, `${name}: a stack trace is no message`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/, `${name}: they reach the terminal`);
  assert.ok(stderr.length < 5000, `${name}: ${stderr.length} characters`);
}

test('a hostile profile is one line and exit 2: prototype keys, traversal, control characters, 10 MB, depth', async () => {
  const { loadProfile } = await import('./profiles.js');
  const own = PROFILES.map(([name, over, line]) => [name, JSON.stringify({ ...profile, ...over }), line]);
  for (const [name, text, line] of /** @type {[string, string, RegExp][]} */ ([
    ...hostile(profile),
    ...own,
  ])) {
    const path = join(folder, `${fileName(name)}.json`);
    writeFileSync(path, text);
    assert.throws(
      () => loadProfile(path),
      (/** @type {any} */ error) => {
        assert.equal(error.name, 'BenchError', `${name}: ${error.stack}`);
        assert.equal(error.exitCode, 2, name);
        assert.match(error.message, line, name);
        return true;
      },
    );
  }
  // What the command makes of them, for those that a terminal, its patience or its memory would feel.
  for (const name of ['a name that sets the title of a terminal', 'ten megabytes', 'nothing']) {
    const { code, stderr } = run([join(folder, `${fileName(name)}.json`), '--dry-run']);
    assert.equal(code, 2, `${name}\n${stderr.slice(0, 2000)}`);
    assert.match(stderr, /^error: [^\n]*\nhint: [^\n]*\n$/, name);
    isPlain(stderr, name);
  }
});

test('hostile manifests are one line each from check, and exit 2', () => {
  const stacks = join(folder, 'stacks');
  const own = MANIFESTS.map(([name, over, line]) => [name, JSON.stringify({ ...manifest, ...over }), line]);
  const all = /** @type {[string, string, RegExp][]} */ ([...hostile(manifest), ...own]);
  for (const [i, [, text]] of all.entries()) {
    const path = join(stacks, `case-${i}`, 'stack.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    writeFileSync(join(dirname(path), 'client.js'), '');
  }
  const { code, stderr } = run(['check', '--stacks', stacks]);
  assert.equal(code, 2, stderr);
  assert.doesNotMatch(stderr, /\n\s+at .*:\d+:\d+/);
  for (const [i, [name, , line]] of all.entries()) {
    const lines = stderr.split('\n').filter((l) => l.includes(`/case-${i}/stack.json`));
    assert.ok(
      lines.some((l) => l.startsWith('error: ') && line.test(l)),
      `${name}:\n${lines.join('\n')}`,
    );
    isPlain(lines.join('\n'), name);
  }
});

test('folders of systems whose names would leave their place are refused by check', () => {
  const stacks = join(folder, 'named');
  for (const id of [
    'with space',
    'line\nbreak',
    'con\u001b[31mtrol',
    '-flag',
    'a@b',
    'UPPER',
    'a'.repeat(60),
  ]) {
    mkdirSync(join(stacks, id), { recursive: true });
    writeFileSync(join(stacks, id, 'stack.json'), JSON.stringify(manifest));
    writeFileSync(join(stacks, id, 'client.js'), '');
  }
  const { code, stderr } = run(['check', '--stacks', stacks]);
  assert.equal(code, 2, stderr);
  const lines = stderr.split('\n').filter((l) => l.startsWith('error: '));
  assert.equal(lines.length, 7, stderr);
  for (const line of lines)
    assert.match(line, /named\/.*: not a valid name of a system: lower-case letters, digits and hyphens/);
  isPlain(stderr, 'names');
});

test('a pipe in the place of a profile, a manifest, a client, a file of configuration or of containers is not waited for', {
  skip: process.platform === 'win32',
}, () => {
  const pipe = (/** @type {string[]} */ ...path) => {
    mkdirSync(dirname(join(folder, ...path)), { recursive: true });
    execFileSync('mkfifo', [join(folder, ...path)]);
    return join(folder, ...path);
  };
  const { code, stderr } = run([pipe('pipe.json'), '--dry-run']);
  assert.deepEqual(
    [code, stderr],
    [2, `error: cannot read ${join(folder, 'pipe.json')}: it is no regular file\n`],
  );
  pipe('pipes', 'manifest', 'stack.json');
  pipe('pipes', 'client', 'client.js');
  writeFileSync(join(folder, 'pipes', 'client', 'stack.json'), JSON.stringify(manifest));
  pipe('pipes', 'files', 'some.conf');
  pipe('pipes', 'files', 'compose.yml');
  const files = {
    ...manifest,
    settings: { one: '1' },
    native: { start: ['true'], config: ['some.conf'] },
    docker: { service: 'some', port: 1, images: { SOME_IMAGE: 'some:1' } },
  };
  writeFileSync(join(folder, 'pipes', 'files', 'stack.json'), JSON.stringify(files));
  const checked = run(['check', '--stacks', join(folder, 'pipes')]);
  assert.equal(checked.code, 2, checked.stderr);
  for (const line of [
    /manifest\/stack\.json: it is no regular file/,
    /client\/client\.js: missing, or not a file/,
    /files\/stack\.json: settings\.one: native does not pass it on/,
  ])
    assert.match(checked.stderr, line);
});

test('no object has been given a field by any of them', async () => {
  const { loadProfile } = await import('./profiles.js');
  const { loadStacks } = await import('./stacks.js');
  const path = join(folder, 'polluting.json');
  for (const [, text] of [...hostile(profile), ...hostile(manifest)]) {
    writeFileSync(path, text);
    assert.throws(() => loadProfile(path));
  }
  assert.ok(loadStacks([join(folder, 'stacks')]).problems.length > 0);
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
});
