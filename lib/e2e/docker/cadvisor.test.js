import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { READER } from '../../live/testing.js';
import { withRun } from '../../record/archive.js';
import { recordFiles } from '../../record/run-folder.js';
import { countedBetween, counterPoints } from '../../sample/usage.js';
import { CALIBRATED, newestRun, shortProfile, startCommand, temporaryFolder } from '../harness.js';
import { ENGINE_ENV, offlineImages, ownSystem, testInContainers } from './containers.js';

const folder = temporaryFolder();

/**
 * @param {string} url of InfluxDB
 * @param {string} service
 * @returns {Promise<{t: number, cpuSec: number}[]>} what cAdvisor wrote of the newest container of a service
 */
async function seenByCadvisor(url, service) {
  const query = `SELECT value FROM cpu_usage_total WHERE container_name =~ /-${service}-1$/`;
  const answer = await fetch(`${url}/query?${READER}&db=cadvisor&epoch=ms&q=${encodeURIComponent(query)}`);
  const { results } = /** @type {any} */ (await answer.json());
  const rows = /** @type {[number, number][]} */ (results[0].series?.[0].values ?? []);
  return rows.map(([t, ns]) => ({ t, cpuSec: ns / 1e9 }));
}

testInContainers('cAdvisor and our sampler see the same CPU within 5 % over 30 s of load', async () => {
  await offlineImages();
  const { id, service } = ownSystem();
  const steps = [{ id: 'c20', model: /** @type {const} */ ('closed'), vus: 20, durationSec: 33 }];
  const profile = shortProfile(folder, { steps, calibration: CALIBRATED });
  const reports = join(folder, 'reports');
  const args = [profile, '--engine', 'docker', '--systems', id, '--reports', reports];
  const run = startCommand(args, { env: ENGINE_ENV });
  await run.says(/live metrics: InfluxDB at/);
  const url = String(/InfluxDB at (http:\/\/[^/]+)\/k6/.exec(run.stderr())?.[1]);
  /** @type {{t: number, cpuSec: number}[]} */
  let theirs = [];
  const watch = setInterval(async () => {
    const seen = await seenByCadvisor(url, service).catch(() => []);
    if (seen.length > theirs.length) theirs = seen;
  }, 1000);
  const { code, stderr } = await run.ended;
  clearInterval(watch);
  assert.ok(code === 0 || code === 4, stderr);

  const { folder: runFolder, records } = newestRun(reports);
  const record = records.find((r) => r.system === id);
  assert.equal(record?.status, 'ok');
  const samples = withRun(runFolder, (data) =>
    readFileSync(join(data, recordFiles(String(record?.cell)).resources), 'utf8'),
  )
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((s) => s.system !== null);
  const from = Math.max(samples[0].t, theirs[0].t) + 1500;
  const to = Math.min(samples[samples.length - 1].t, theirs[theirs.length - 1].t) - 500;
  assert.ok(to - from >= 28_000, `only ${(to - from) / 1000} s were seen by both`);
  const ours = Number(countedBetween(counterPoints(samples, 'system'), from, to));
  const its = Number(countedBetween(theirs, from, to));
  assert.ok(its > 1, `the load took ${its} s of CPU`);
  assert.ok(Math.abs(ours - its) <= 0.05 * its, `${ours} s against cAdvisor's ${its} s`);
});
