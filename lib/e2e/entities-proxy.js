/**
 * A real entity server behind a proxy that deletes one in n of what was created through it whenever it is started again:
 * to the load, a server that forgets. For tests of the driver and of its checks only.
 *
 *   node entities-proxy.js <port> <data folder> <n: one in n is forgotten at a start, 0: none> <server> [<argument>…]
 *
 * `INNER_PORT` among the arguments stands for the port on which the server is to listen.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../process/ports.js';

const [port, data, forgetEvery, server, ...args] = process.argv.slice(2);
const inner = await freePort();
const agent = new Agent({ keepAlive: true });
const created = join(data, 'created');

/**
 * @param {string | undefined} method
 * @param {string | undefined} path
 * @param {Buffer} [body]
 * @param {import('node:http').IncomingHttpHeaders} [headers]
 * @returns {Promise<{status: number, headers: import('node:http').IncomingHttpHeaders, body: Buffer}>}
 */
function ask(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: inner, method, path, headers, agent }, async (answer) => {
      const parts = [];
      try {
        for await (const part of answer) parts.push(part);
        resolve({
          status: Number(answer.statusCode),
          headers: answer.headers,
          body: Buffer.concat(parts),
        });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject).end(body);
  });
}

const child = spawn(
  server,
  args.map((arg) => (arg === 'INNER_PORT' ? String(inner) : arg)),
  { stdio: 'inherit' },
);
child.on('exit', (code) => process.exit(code ?? 1));
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT']))
  process.on(signal, () => child.kill(signal));

while ((await ask('GET', '/ready').catch(() => null))?.status !== 200)
  await new Promise((resolve) => setTimeout(resolve, 20));

if (existsSync(created)) {
  const paths = readFileSync(created, 'utf8').split('\n').slice(0, -1);
  for (const [i, path] of paths.entries())
    if (Number(forgetEvery) > 0 && (i + 1) % Number(forgetEvery) === 0) await ask('DELETE', path);
  rmSync(created);
}

createServer(async (req, res) => {
  try {
    const parts = [];
    for await (const part of req) parts.push(part);
    const answer = await ask(req.method, req.url, Buffer.concat(parts), req.headers);
    if (req.method === 'POST' && answer.status === 201)
      appendFileSync(created, `${req.url}/${JSON.parse(answer.body.toString()).id}\n`);
    res.writeHead(answer.status, answer.headers).end(answer.body);
  } catch {
    res.destroy();
  }
}).listen(Number(port), '127.0.0.1');
