/**
 * Tests the contract against a running server.
 *
 *   node run.js --url http://127.0.0.1:8080 [--json]
 *
 * Failures on stderr; the count on stdout, with --json as {passed, failed, total}. Exit code 1 when one failed.
 */
import { parseArgs } from 'node:util';
import { cases } from './cases/index.js';
import { connect } from './client.js';

const { values } = parseArgs({ options: { url: { type: 'string' }, json: { type: 'boolean' } } });
if (!values.url) {
  console.error('usage: node run.js --url http://host:port [--json]');
  process.exit(2);
}
const server = connect(values.url.replace(/\/$/, ''));
let failed = 0;
for (const { name, run } of cases) {
  try {
    await run(server);
  } catch (error) {
    failed++;
    console.error(`not ok: ${name}\n  ${/** @type {Error} */ (error).message.replaceAll('\n', '\n  ')}`);
  }
}
const passed = cases.length - failed;
console.log(
  values.json ? JSON.stringify({ passed, failed, total: cases.length }) : `${passed}/${cases.length} pass`,
);
process.exit(failed > 0 ? 1 : 0);
