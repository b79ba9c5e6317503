/**
 * Tests the contract against a running server.
 *
 *   node run.js --url http://127.0.0.1:8080 [--json]
 *
 * Failures on stderr; the count on stdout, with --json as {passed, failed, total, failures}. Exit code 1 when one failed.
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
/** @type {{check: string, reason: string}[]} */
const failures = [];
for (const { name, run } of cases) {
  try {
    await run(server);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    failures.push({ check: name, reason: message.split('\n')[0] });
    console.error(`not ok: ${name}\n  ${message.replaceAll('\n', '\n  ')}`);
  }
}
const failed = failures.length;
const passed = cases.length - failed;
console.log(
  values.json
    ? JSON.stringify({ passed, failed, total: cases.length, failures })
    : `${passed}/${cases.length} pass`,
);
process.exit(failed > 0 ? 1 : 0);
