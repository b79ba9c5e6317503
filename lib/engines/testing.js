import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A server for tests of processes: `service.mjs NAME PORT [what]` answers "hello NAME" on the port and appends what
 * happens to it to the file JOURNAL. `what`: `mute` never answers, `ends` ends at once, `brief` ends after a second.
 */
const SERVICE = `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';
const [name, port, what] = process.argv.slice(2);
const note = (text) => appendFileSync(process.env.JOURNAL, name + ' ' + text + '\\n');
note('started');
console.log(name + ' says: up');
if (what === 'ends') process.exit(7);
process.on('SIGTERM', () => { note('stopped'); process.exit(0); });
process.on('SIGINT', () => { note('interrupted'); process.exit(0); });
if (what === 'brief') setTimeout(() => process.exit(9), 1000);
if (what === 'mute') setInterval(() => {}, 1000);
else createServer((socket) => socket.on('error', () => {}).on('data', () => socket.write('hello ' + name)))
  .listen(Number(port), '127.0.0.1');
`;

/**
 * A folder with a stack of such services.
 * @param {string} folder
 * @param {object[]} companions of the manifest
 * @param {object} [native] more of its recipe
 * @returns {import('../types.d.ts').Stack}
 */
export function stackOfServices(folder, companions, native = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.mjs'), SERVICE);
  chmodSync(join(folder, 'service.mjs'), 0o755);
  return {
    id: 'alpha',
    base: 'alpha',
    variant: 'default',
    folder,
    manifest: {
      title: 'Alpha',
      origin: 'reference',
      workloads: { counters: { transports: ['resp'] } },
      durability: { policy: 'none', meaning: 'in memory' },
      native: {
        start: service('alpha', '{port}'),
        env: { JOURNAL: join(folder, 'journal') },
        companions: /** @type {any} */ (companions),
        ...native,
      },
      endpoint: { url: 'x://{host}:{port}', port: 1 },
      ready: { tcp: { send: 'x', expect: 'hello alpha' }, timeoutSec: 20 },
    },
  };
}

/**
 * @param {string} name
 * @param {string} port
 * @param {string[]} more
 * @returns {string[]} its argument list
 */
export function service(name, port, ...more) {
  return [process.execPath, '{stack}/service.mjs', name, port, ...more];
}

/**
 * @param {string} name
 * @param {object} [over]
 * @returns {object} a companion of a manifest
 */
export function companion(name, over = {}) {
  return {
    name,
    start: service(name, `{port.${name}}`),
    ready: { tcp: { send: 'x', expect: `hello ${name}` }, timeoutSec: 20 },
    ...over,
  };
}
