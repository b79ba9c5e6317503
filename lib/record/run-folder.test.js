import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readRaw } from './run-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-run-folder-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('on a disk that was full while k6 wrote, its torn files are dropped, and the error names the disk', {
  skip: process.platform === 'win32',
}, () => {
  const raw = join(folder, 'raw');
  mkdirSync(raw);
  for (const [file, text] of [
    ['a.summary.json', '{"metrics": {"iterat'],
    ['a.histograms.json', ''],
    ['other.summary.json', '{}'],
  ])
    writeFileSync(join(raw, file), text);
  const script = `
    import { writeRaw } from ${JSON.stringify(new URL('./run-folder.js', import.meta.url).href)};
    try {
      writeRaw(process.argv[1], { cell: { id: 'a' } }, Array.from({ length: 5000 }, (_, t) => ({ t })));
    } catch (error) {
      console.log(error.name + ' ' + error.exitCode + ': ' + error.message);
    }`;
  // A limit of the size of files stands in for the disk.
  const { stdout, stderr } = spawnSync(
    'bash',
    [
      '-c',
      `trap '' XFSZ; ulimit -f 8; exec "$@"`,
      'bash',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
      folder,
    ],
    { encoding: 'utf8' },
  );
  assert.match(stdout, /^BenchError 2: cannot write .*a\.resources\.ndjson/, stderr);
  assert.deepEqual(readdirSync(raw), ['other.summary.json']);
});

test('a torn file of k6 is named, and taken for nothing', () => {
  const torn = join(folder, 'torn');
  mkdirSync(join(torn, 'raw'), { recursive: true });
  writeFileSync(join(torn, 'raw', 'a.json'), '{}');
  writeFileSync(join(torn, 'raw', 'a.summary.json'), '{"metrics": {"iterat');
  assert.throws(() => readRaw(torn, 'a'), {
    name: 'BenchError',
    message: /raw\/a\.summary\.json is not valid JSON/,
    exitCode: 2,
  });
});
