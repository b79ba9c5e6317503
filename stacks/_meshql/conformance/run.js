/**
 * The conformance check: is this server right? Run before any load; a wrong answer makes every figure worthless.
 *
 *   node run.js --url http://127.0.0.1:5088 [--strict] [--authorization "Bearer …"] [--json]
 *
 * Exit codes: 0 all checks passed, 1 some failed, 2 it could not run.
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { checkFederation, checkQueries, checkResolvers, checkTime } from './checks/graph.js';
import { checkProjections } from './checks/projections.js';
import { checkDeletes, checkEdges, checkRest, checkValidation } from './checks/rest.js';
import { Server } from './server.js';
import { Tally } from './tally.js';
import { populate } from './world.js';

/**
 * @param {{url: string, strict?: boolean, authorization?: string}} options `strict`: nothing is tolerated that
 *   another implementation of the contract may lack
 * @returns {Promise<ReturnType<Tally['report']>>}
 * @throws when the server cannot be reached or takes no data
 */
export async function runChecks({ url, strict = false, authorization }) {
  const tally = new Tally(strict);
  const server = new Server(url, authorization);
  const ids = await populate(server);
  await checkRest(tally, server, ids);
  await checkQueries(tally, server, ids);
  await checkResolvers(tally, server, ids);
  await checkFederation(tally, server, ids);
  await checkTime(tally, server, ids);
  await checkDeletes(tally, server, ids);
  await checkEdges(tally, server, ids);
  await checkValidation(tally, server, ids);
  await checkProjections(tally, server, ids);
  return tally.report();
}

/** @param {Awaited<ReturnType<typeof runChecks>>} report */
function print(report) {
  for (const { check, reason } of report.failures) console.log(`failed: ${check}: ${reason}`);
  for (const { check, reason } of report.tolerated) console.log(`tolerated: ${check}: ${reason}`);
  console.log(`${report.passed} of ${report.total} passed, ${report.failed} failed`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      strict: { type: 'boolean' },
      authorization: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (!values.url) throw new Error('--url is missing: the base address of the server');
  const report = await runChecks({ ...values, url: values.url });
  if (values.json) console.log(JSON.stringify(report));
  else print(report);
  process.exitCode = report.failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error) => {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    console.error(`conformance: ${error.message}${cause}`);
    process.exitCode = 2;
  });
}
