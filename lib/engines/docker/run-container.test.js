import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { runContainer } from './run-container.js';

test('a proxy that the configuration of Docker names does not come between a load and its system', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-container-'));
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  });
  const said = join(folder, 'said');
  const standIn = '#!/bin/sh\n[ "$1" = run ] || exit 0\necho "$*" >"$SAID"\nenv >>"$SAID"\n';
  writeFileSync(join(folder, 'docker'), standIn, { mode: 0o755 });
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  const { child, release } = await runContainer(['k6'], {
    project: /** @type {any} */ ({ name: 'p' }),
    ...{ role: 'generator', image: 'image', network: 'none', paths: { readOnly: ['/a, "b"=c'] }, ports: [] },
    env: { SAID: said },
    logPath: join(folder, 'log'),
  });
  await child.exited;
  await release();
  const text = readFileSync(said, 'utf8');
  // Docker reads a mount as a line of CSV.
  assert.ok(text.includes('type=bind,"source=/a, ""b""=c","target=/a, ""b""=c"'), text);
  // What is named and empty is not filled in from the configuration.
  for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']) {
    assert.match(text, new RegExp(`--env ${name} `));
    assert.match(text, new RegExp(`^${name}=$`, 'm'));
  }
});
