import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docker } from '../../docker/cli.js';
import { cachePath } from '../../paths.js';
import { runTool, which } from '../../process/tool.js';
import { eventually, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import {
  comparedSystems,
  ENGINE_ENV,
  engine,
  inspectRun,
  leftInDocker,
  offlineImages,
  testInContainers,
} from './containers.js';

/** What a run in containers leaves: nothing, in the engine and on the machine. */

const folder = temporaryFolder();
const TMPDIR = join(folder, 'tmp');
mkdirSync(TMPDIR);

/** @param {string[]} command @returns {Promise<string[]>} lines of its output, sorted */
async function linesOf(command) {
  const { stdout } = await runTool(command);
  return stdout.split('\n').filter(Boolean).sort();
}

/** @returns {Promise<Record<string, string[]>>} all that a run touches, as it is now */
async function traces() {
  const rules = ['iptables-save', 'ip6tables-save'].filter((tool) => process.getuid?.() === 0 && which(tool));
  const saved = await Promise.all(rules.map((tool) => linesOf([tool])));
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  return {
    containers: await linesOf(['docker', 'ps', '--all', '--format', '{{.ID}} {{.Names}}']),
    networks: await linesOf(['docker', 'network', 'ls', '--format', '{{.ID}} {{.Name}}']),
    volumes: await linesOf(['docker', 'volume', 'ls', '--format', '{{.Name}}']),
    images: await linesOf(['docker', 'image', 'ls', '--all', '--format', '{{.ID}} {{.Repository}}:{{.Tag}}']),
    // Without comments, which have the time, and without the counters of chains.
    rules: saved.flat().flatMap((line) => (line.startsWith('#') ? [] : line.replace(/ \[\d+:\d+\]$/, ''))),
    links: readdirSync('/sys/class/net')
      .filter((name) => /^(br-|veth|docker)/.test(name))
      .sort(),
    mounts: mounts.filter((line) => line.includes(` ${engine?.dataFolder}/`)).sort(),
    temporary: readdirSync(TMPDIR),
  };
}

/** @param {string} name of the reports' folder */
function start(name) {
  const steps = [{ id: 'c8', model: /** @type {const} */ ('closed'), vus: 8, durationSec: 2 }];
  const profile = shortProfile(folder, { steps, sideBySide: { maxStarts: 1, warmupSec: 0.2 } });
  const systems = comparedSystems().join(',');
  const args = [profile, '--engine', 'docker', '--systems', systems, '--reports', join(folder, name)];
  return startCommand(args, { env: { ...ENGINE_ENV, TMPDIR } });
}

/** @param {number | undefined} pid @returns {string[]} folders of a run in the cache, by its process */
function inCache(pid) {
  return readdirSync(cachePath('work')).filter((name) => name.includes(`-${pid}-`));
}

testInContainers('a run with its live view leaves nothing, whether it ends or is ended', async () => {
  await offlineImages();
  const before = await traces();
  const whole = start('whole');
  const { code, stderr } = await whole.ended;
  assert.ok(code === 0 || code === 4, stderr);
  assert.match(stderr, /side by side {2}start/);
  assert.deepEqual(await traces(), before, 'it ended');

  const ended = start('ended');
  const isLoaded = async () => (await inspectRun()).some((c) => c.Name.endsWith('-generator-1'));
  assert.ok(await eventually(isLoaded, 120_000), ended.stderr());
  const during = await traces();
  for (const what of ['containers', 'networks', 'volumes', 'links', 'mounts', 'temporary'])
    assert.notDeepEqual(during[what], before[what], `${what}: there is something to leave`);
  ended.child.kill('SIGINT');
  assert.equal((await ended.ended).code, 130);
  assert.deepEqual(await traces(), before, 'it was interrupted');

  const killed = start('killed');
  assert.ok(await eventually(isLoaded, 120_000), killed.stderr());
  killed.child.kill('SIGKILL');
  await killed.ended;
  const nothingLeft = async () => (await leftInDocker()).length === 0;
  assert.ok(await eventually(nothingLeft, 30_000), (await leftInDocker()).join('\n'));
  const { temporary: _, ...engineBefore } = before;
  const isAsBefore = async () => {
    const { temporary: _, ...now } = await traces();
    return JSON.stringify(now) === JSON.stringify(engineBefore);
  };
  assert.ok(await eventually(isAsBefore, 60_000), 'it was killed outright');
  const pids = [whole, ended].map(({ child }) => child.pid);
  assert.deepEqual(pids.flatMap(inCache), []);
  assert.ok((await docker(['ps'])).ok);
});
