import { windowGroups } from '../../k6/schedule/facts.js';
import { cellsOf } from '../config/trials.js';
import { groupBy } from '../group-by.js';
import { generatorImage, nameOf, scriptsManifest, testRunManifest } from '../kubernetes/manifests.js';
import { scriptFiles } from '../kubernetes/script-files.js';
import { runnersOf } from '../record/who-loads.js';
import { targetRates } from '../run/knee.js';

/** @import { CellPlan, Plan, Stack, WorkloadFacts } from '../types.d.ts' */

/**
 * `--render-only`: what a run would ask a cluster for. A stream of documents, JSON with comments, as `kubectl apply -f -`
 * takes them: the scripts of a system and a workload, and a TestRun for each of their cells whose load is known before anything
 * is measured.
 * @param {Plan} plan of systems that are reached by address
 * @param {Stack[]} stacks
 * @param {string | null} namespace
 * @returns {string}
 */
export function manifestsOf(plan, stacks, namespace) {
  const { cpus = 1 } = plan.options.generators ?? {};
  const cluster = { ...(namespace ? { namespace } : {}), image: generatorImage(process.env), cpus };
  const cells = cellsOf(plan);
  const named = (/** @type {string} */ what, /** @type {number} */ i) =>
    nameOf(plan.runId, `${what}${i + 1}`);
  const documents = groupBy(cells, (c) => `${c.system} ${c.workload}`).flatMap((own, i) => {
    const [{ system: id, workload }] = own;
    const facts = /** @type {WorkloadFacts} */ (plan.workloads.find((w) => w.id === workload));
    const { folder } = /** @type {Stack} */ (stacks.find((s) => s.id === id));
    const scripts = scriptFiles({ stackFolder: folder, workload, workloadFile: facts.file });
    const name = named('scripts-', i);
    const at = plan.systems.findIndex((s) => s.id === id);
    const testRun = (/** @type {CellPlan} */ cell, /** @type {Record<string, number>} */ ratesPerSec) => {
      const load = { plan, cell, ratesPerSec, scripts, runners: runnersOf(cell, plan) };
      const names = { own: named('', cells.indexOf(cell)), scripts: name, login: named('login-', at) };
      return testRunManifest({ ...load, url: String(plan.systems[at].endpoint) }, names, cluster);
    };
    return [
      documentOf(`scripts of ${id}, ${workload}`, scriptsManifest(plan, scripts, name, cluster)),
      ...own.map((cell) => {
        const operations = windowGroups(facts, cell.step).flatMap((g) => g.operations);
        const ratesPerSec = targetRates(cell, {}, operations, facts);
        return cell.step.model === 'open' && Object.keys(ratesPerSec).length === 0
          ? `# ${cell.id}: left out, its rate is a share of what is measured before it\n`
          : documentOf(cell.id, testRun(cell, ratesPerSec));
      }),
    ];
  });
  return documents.join('---\n');
}

/**
 * @param {string} what
 * @param {object} manifest
 */
function documentOf(what, manifest) {
  return `# ${what}\n${JSON.stringify(manifest, null, 2)}\n`;
}
