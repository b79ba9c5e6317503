import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { shared, unpackPackage } from './debian.js';

/** Stand-ins for apt, whose downloads each wait for the other one, and which write down what they are asked for. */
const PROGRAMS = {
  'apt-cache': 'exit 0',
  'apt-get': `all="$*"
case "$all" in
  *indextargets*) ;;
  *print-uris*) echo "'http://somewhere/x' \${all##* }_1.0_all.deb 1 SHA256:0" ;;
  *download*)
    package=\${all##* }
    touch "$FOLDER/begun-$package"
    for i in $(seq 100); do
      [ -e "$FOLDER/begun-one=1.0" ] && [ -e "$FOLDER/begun-other=1.0" ] && break
      sleep 0.05
    done
    [ "$i" -lt 100 ] || { echo "E: $package was fetched alone" >&2; exit 1; }
    touch "$package.deb" ;;
esac
echo "$all" >> "$FOLDER/said"`,
  'dpkg-deb': 'mkdir -p "$3/usr/bin" && touch "$3/usr/bin/program"',
};

test('packages are fetched at the same time, by one look at the lists', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lb-debian-'));
  const before = { ...process.env };
  t.after(() => {
    for (const name of ['PATH', 'FOLDER', 'LADDERBENCH_CACHE'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    rmSync(folder, { recursive: true });
  });
  for (const [name, does] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${does}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  mkdirSync(join(folder, 'cache'));
  process.env.FOLDER = folder;
  process.env.LADDERBENCH_CACHE = join(folder, 'cache');
  process.env.PATH = [folder, before.PATH].join(delimiter);
  const got = await Promise.all(['one', 'other'].map(unpackPackage));
  assert.deepEqual(
    got.map((g) => ('problem' in g ? g.problem : g.unpacked.packages)),
    [['one 1.0'], ['other 1.0']],
  );
  const said = readFileSync(join(folder, 'said'), 'utf8').split('\n');
  assert.equal(said.filter((line) => line.endsWith(' update')).length, 1);
});

test('who asks for what is under way waits for it, failed or not; who asks later begins anew', async () => {
  let begun = 0;
  const failing = async () => {
    begun++;
    await new Promise(setImmediate);
    throw new Error(`no ${begun}`);
  };
  const both = await Promise.allSettled([shared('a', failing), shared('a', failing)]);
  assert.deepEqual(
    both.map((b) => b.status === 'rejected' && b.reason.message),
    ['no 1', 'no 1'],
  );
  await assert.rejects(shared('a', failing), /no 2/);
});
