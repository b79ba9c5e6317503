import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { letContainersRead } from './readable.js';

const work = mkdtempSync(join(tmpdir(), 'lb-readable-'));
after(() => rmSync(work, { recursive: true, force: true }));

test('what a compose file mounts from its folder can be read by every user, and nothing else is touched', () => {
  const modes = {
    config: 0o700,
    'config/a.conf': 0o600,
    'config/run.sh': 0o700,
    'one.sql': 0o600,
    'other.key': 0o600,
  };
  mkdirSync(join(work, 'config'));
  for (const [name, mode] of Object.entries(modes)) {
    if (name !== 'config') writeFileSync(join(work, name), '');
    chmodSync(join(work, name), mode);
  }
  const file = join(work, 'compose.yml');
  writeFileSync(file, 'volumes:\n  - ./config:/config:ro\n  - ./one.sql:/one.sql:ro\n  - data:/data\n');
  letContainersRead(file);
  assert.deepEqual(
    Object.keys(modes).map((name) => (statSync(join(work, name)).mode & 0o777).toString(8)),
    ['755', '644', '755', '644', '600'],
  );
});
