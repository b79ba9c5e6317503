import assert from 'node:assert/strict';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addSystem, runCommand, shortProfile, systemsOf, temporaryFolder } from './harness.js';

/** Folders that are none, or cannot be made: each command says so in one line, and ends. */
const folder = temporaryFolder();
const file = join(folder, 'file');
writeFileSync(file, '');
symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
const bad = ['file', 'file/below', 'dangling', 'dangling/below', 'circle/below'].map((n) => join(folder, n));
const places = [...bad, ...(existsSync('/proc/self') ? ['/proc/nowhere', '/proc/nowhere/below'] : [])];
const profile = shortProfile(folder, { steps: [{ id: 'c1', model: 'closed', vus: 1, durationSec: 1 }] });
const [{ id }] = systemsOf('counters');
const stacks = join(folder, 'stacks');
addSystem(stacks, 'honest');
const measure = [profile, '--systems', 'honest', '--stacks', stacks];

/** @param {string} place @param {string[]} args @param {Record<string, string>} [env] */
async function refused(place, args, env = {}) {
  const { code, stderr } = await runCommand(args, { env });
  const said = `${args.join(' ')}: ${stderr}`;
  assert.equal(code, 2, said);
  const [error] = stderr.split('\n').filter((line) => line.startsWith('error: '));
  assert.ok(error?.includes(place), said);
  assert.doesNotMatch(stderr, /^ +at /m, said);
}

for (const place of places)
  test(`${place.replace(folder, 'a folder with')} in the place of stacks, reports or cache is one line`, {
    timeout: 120_000,
  }, async () => {
    await refused(place, ['new', 'mine', '--like', id, '--stacks', place]);
    await refused(place, [...measure, '--reports', place]);
    // What is built goes into the cache, k6 first of all.
    const cache = { LADDERBENCH_CACHE: place };
    await refused(place, [...measure, '--reports', join(folder, 'reports')], cache);
  });
