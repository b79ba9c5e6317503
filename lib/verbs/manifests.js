import { windowGroups } from '../../k6/schedule/facts.js';
import { cellsOf } from '../config/trials.js';
import { generatorImage, nameOf, scriptsManifest, testRunManifest } from '../kubernetes/manifests.js';
import { scriptFiles } from '../kubernetes/script-files.js';
import { runnersOf } from '../record/who-loads.js';
import { targetRates } from '../run/knee.js';

/** @import { CellPlan, Plan, Stack, WorkloadFacts } from '../types.d.ts' */

/**
 * `--render-only`: what a run would ask a cluster for. A stream of documents, JSON with comments, as `kubectl apply -f -`
 * takes them: the scripts first, and a TestRun for each cell whose load is known before anything is measured.
 * @param {Plan} plan of systems that are reached by address
 * @param {Stack[]} stacks
 * @param {string | null} namespace
 * @returns {string}
 */
export function manifestsOf(plan, stacks, namespace) {
  const { cpus = 1 } = plan.options.generators ?? {};
  const cluster = { ...(namespace ? { namespace } : {}), image: generatorImage(process.env), cpus };
  /** @type {Map<string, {scripts: import('../kubernetes/script-files.js').ScriptFiles, name: string}>} */
  const known = new Map();
  /** @type {string[]} */
  const documents = [];
  for (const [i, cell] of cellsOf(plan).entries()) {
    const workload = /** @type {WorkloadFacts} */ (plan.workloads.find((w) => w.id === cell.workload));
    const operations = windowGroups(workload, cell.step).flatMap((g) => g.operations);
    const ratesPerSec = targetRates(cell, {}, operations, workload);
    if (cell.step.model === 'open' && Object.keys(ratesPerSec).length === 0) {
      documents.push(`# ${cell.id}: left out, its rate is a share of what is measured before it\n`);
      continue;
    }
    const { scripts, name, isNew } = scriptsOf(cell, workload, plan, stacks, known);
    if (isNew)
      documents.push(
        documentOf(
          `scripts of ${cell.system}, ${cell.workload}`,
          scriptsManifest(plan, scripts, name, cluster),
        ),
      );
    const system = plan.systems.find((s) => s.id === cell.system);
    const load = {
      ...{ plan, cell, ratesPerSec, scripts, runners: runnersOf(cell, plan) },
      url: String(system?.endpoint),
    };
    const testRun = nameOf(plan.runId, String(i + 1));
    const login = nameOf(plan.runId, `login-${plan.systems.findIndex((s) => s.id === cell.system) + 1}`);
    documents.push(
      documentOf(cell.id, testRunManifest(load, { own: testRun, scripts: name, login }, cluster)),
    );
  }
  return documents.join('---\n');
}

/**
 * @param {string} what
 * @param {object} manifest
 */
function documentOf(what, manifest) {
  return `# ${what}\n${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * @param {CellPlan} cell
 * @param {WorkloadFacts} workload
 * @param {Plan} plan
 * @param {Stack[]} stacks
 * @param {Map<string, {scripts: import('../kubernetes/script-files.js').ScriptFiles, name: string}>} known by system and workload
 */
function scriptsOf(cell, workload, plan, stacks, known) {
  const key = `${cell.system} ${cell.workload}`;
  const before = known.get(key);
  if (before) return { ...before, isNew: false };
  const { folder } = /** @type {Stack} */ (stacks.find((s) => s.id === cell.system));
  const scripts = scriptFiles({ stackFolder: folder, workload: workload.id, workloadFile: workload.file });
  const own = { scripts, name: nameOf(plan.runId, `scripts-${known.size + 1}`) };
  known.set(key, own);
  return { ...own, isNew: true };
}
