import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { describeNetwork } from './environment.js';
import { probeFsync } from './fsync-probe.js';

const folder = mkdtempSync(join(tmpdir(), 'lb-fsync-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('the cost of a sync is timed, and nothing is left on the disk', () => {
  const probe = probeFsync(folder, 5);
  assert.equal(probe?.times, 5);
  assert.ok(probe.medianMs > 0 && probe.maxMs >= probe.medianMs, JSON.stringify(probe));
  assert.deepEqual(readdirSync(folder), []);
});

test('a path that is no folder, or cannot be written, has no cost of a sync', () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  assert.equal(probeFsync(file), null);
  assert.equal(probeFsync(join(folder, 'nowhere')), null);
  rmSync(file);
});

test('a full disk leaves neither a file nor an open descriptor', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, () => {
  // A limit of the size of files stands in for the disk: a later page is refused.
  const script = `
    import { readdirSync } from 'node:fs';
    import { probeFsync } from ${JSON.stringify(new URL('./fsync-probe.js', import.meta.url).href)};
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    const probes = [probeFsync(process.argv[1]), probeFsync(process.argv[1])];
    console.log(JSON.stringify({ probes, more: open() - before, left: readdirSync(process.argv[1]) }));`;
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$@"`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', limited, 'bash', process.execPath, '--input-type=module', '-e', script, folder],
    { encoding: 'utf8' },
  );
  assert.notEqual(stdout, '', stderr);
  assert.deepEqual(JSON.parse(stdout), { probes: [null, null], more: 0, left: [] });
});

test('what the kernel does with packets is read from it, and is unknown where it does not tell', async () => {
  const { congestionControl, tracksPackets } = await describeNetwork();
  const said = '/proc/sys/net/ipv4/tcp_congestion_control';
  assert.equal(congestionControl, existsSync(said) ? readFileSync(said, 'utf8').trim() : null);
  const counter = '/proc/sys/net/netfilter/nf_conntrack_count';
  if (congestionControl === null) assert.equal(tracksPackets, null);
  else if (!existsSync(counter)) assert.equal(tracksPackets, false, 'nothing is there that would track');
  else assert.equal(typeof tracksPackets, 'boolean');
});
