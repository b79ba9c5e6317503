import { createServer } from 'node:net';
import { basename } from 'node:path';
import { plainLine } from '../controls.js';
import { BenchError, EXIT } from '../errors.js';
import { connectProblem, portOf } from '../process/ports.js';
import { followTool } from '../process/tool.js';
import { within } from '../process/within.js';
import { exitOf, firstLine, k6Text, linesOf } from './k6-log.js';
import { archiveWith, optionsBesideArchive, scenariosFor } from './script-archive.js';
import { onceScenarios } from './script-scenarios.js';
import { K6_RUN, QUIET, scriptEnvironment } from './script-variables.js';

/**
 * @import { ScriptOptions } from '../types.d.ts'
 * @import { LogLine } from './k6-log.js'
 */

/**
 * One iteration of a user's script by one user, before anything is measured: whether k6 can run it, whether somebody
 * answers, and whom it asks. What k6 counts is read as it comes.
 */

/** What goes on longer is a long iteration where something was answered; it is not waited for. */
const LONG_MS = 15_000;
/** So long nothing may be answered. */
const SILENT_MS = 120_000;
/** After so long it is said what is waited for, and again after each such time. */
const PATIENCE_MS = 5000;
/** How long a server of ours that answers nobody waits for a script that should ask it. */
const TRAP_MS = 10_000;
/** Lines of its own that are shown. */
const MOST_SAID = 5;

/** Whatever the script leaves out of its own metrics. */
const TAGS = 'status,url,name,method,error,error_code,scenario,expected_response,proto,group,check';
/** The script called its run failed, and goes on. */
const MARKED_AS_FAILED = 110;

/**
 * Texts of Go and Node.js for an answer that did not come, and what they mean.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const CAUSES = Object.freeze([
  [/x509: ([^"]*)/, '$1'],
  [/^([^"]*-signed certificate[^"]*)/, '$1'],
  [/server gave HTTP response to HTTPS client/, 'it speaks HTTP and was asked by HTTPS'],
  [/\btls: ([^"]*)/, 'TLS: $1'],
  [/connection refused|ECONNREFUSED/, 'connection refused'],
  [/connection reset|ECONNRESET|broken pipe/, 'connection reset'],
  [/no such host|ENOTFOUND|EAI_AGAIN/, 'no such host'],
  [/no route to host|network is unreachable|EHOSTUNREACH|ENETUNREACH/, 'no route to host'],
  [/malformed HTTP/, 'it does not speak HTTP'],
  [/request timeout|i\/o timeout|deadline exceeded|ETIMEDOUT/, 'no answer in time'],
  [/\bEOF\b/, 'the connection was closed without an answer'],
]);
/** A request that k6 could not even make. */
const NO_ADDRESS =
  /unsupported protocol scheme|first path segment in URL|invalid URL|missing port in address|too many colons in address/;
/** Thrown by the script's own text, whatever words it has. */
const OWN_ERROR = /^(?:Uncaught )?(?!GoError)(?:[A-Z]\w*)?Error: /;

/** @typedef {{url: string, status?: string}} Unanswered `status`: of an answer that refuses */

/** What k6 counted of one iteration, and said. */
class Observed {
  /** `host:port` that requests of users went to. @type {Set<string>} */
  addresses = new Set();
  /** @type {LogLine[]} */
  lines = [];
  requests = 0;
  /** Of them, those that k6 tells the end of: HTTP and WebSockets. */
  told = 0;
  answers = 0;
  messages = 0;
  bytes = 0;
  /** Nobody answered it. @type {Unanswered | null} */
  lost = null;
  /** It was answered by a failure of the server's. @type {Unanswered | null} */
  refused = null;
  /** The last place that was asked. */
  last = '';

  /** @param {string} text a line of k6's output json */
  point(text) {
    /** @type {{metric: string, type: string, data: {value: number, tags?: Record<string, string>}}[]} */
    const [line] = /** @type {any} */ (linesOf(text));
    if (line?.type !== 'Point') return;
    const { metric, data } = line;
    const { value, tags = {} } = data;
    if (metric === 'data_received' && tags.scenario !== undefined) this.bytes += value;
    if (/_msgs_received$/.test(metric)) this.messages++;
    if (/^(http_req_duration|ws_connecting|grpc_req_duration)$/.test(metric)) this.request(metric, tags);
  }

  /**
   * @param {string} metric
   * @param {Record<string, string>} tags
   */
  request(metric, { url = '', status = '', scenario, ...tags }) {
    this.requests++;
    this.last = url;
    const at = { url, ...(status ? { status } : {}) };
    const address = hostOf(url);
    if (address && scenario !== undefined) this.addresses.add(address);
    const isHttp = metric === 'http_req_duration';
    const isCall = metric === 'grpc_req_duration';
    const isLost = isHttp ? status === '0' : isCall ? status === '14' : status !== '101';
    if (!isCall) this.told++;
    if (!isLost) this.answers++;
    if (isLost && tags.error_code !== '1020') this.lost ??= at;
    if (isHttp && Number(status) >= 500 && tags.expected_response === 'false') this.refused ??= at;
  }

  /** @returns {string} what the script itself is at */
  now() {
    if (this.requests + this.messages === 0) return 'nothing was answered yet';
    const at = this.last ? ` (last: ${placeOf(this.last)})` : '';
    return `${this.answers} of ${this.requests} requests and connections were answered, ${this.messages} messages came${at}`;
  }
}

/**
 * @typedef {object} Rehearsal
 * @property {Set<string>} addresses `host:port` that its requests went to, as far as k6 tells
 * @property {boolean} receives bytes came, and no metric of k6 tells whether what was asked was answered
 * @property {boolean} isSeen the endpoint can be connected to from here, without a proxy
 */

/**
 * @param {{k6: string, script: ScriptOptions, url?: string, say?: (line: string) => void}} call
 *   `say`: what is waited for, and what the script says
 * @returns {Promise<Rehearsal>}
 * @throws {BenchError} with one line, of k6's or of what the first thing was that did not come
 */
export async function rehearse(call) {
  const { script, url = '', say = () => {} } = call;
  const name = basename(script.path);
  const observed = new Observed();
  const { code, how } = await performOnce(call, observed, say);
  const own = observed.lines.filter((l) => l.source === 'console' && /^(error|warning)$/.test(l.level ?? ''));
  for (const { msg } of own.slice(0, MOST_SAID)) say(`  ${name} says: ${plainLine(msg)}`);

  const failure = await failureOf(observed, { code, how, url });
  if (failure) throw failureError(name, failure, url);
  return {
    isSeen: url !== '' && portOf(url) !== null && (await connectProblem(url)) === null,
    addresses: observed.addresses,
    receives: observed.bytes > 0 && observed.told === 0,
  };
}

/**
 * @param {Parameters<typeof rehearse>[0]} call
 * @param {Observed} observed
 * @param {(line: string) => void} say
 * @param {Promise<unknown>} [enough] whose end ends it
 * @returns {Promise<{code: number | null, how: 'ended' | 'long' | 'silent'}>}
 */
async function performOnce({ k6, script, url = '' }, observed, say, enough) {
  const once = ['--summary-mode', 'disabled', '--no-thresholds'];
  const file = archiveWith(script, url, onceScenarios(scenariosFor(script, url)), {});
  const { ended, signal } = followTool(
    [
      ...[k6, ...K6_RUN, '--out', 'json', '--system-tags', TAGS],
      ...[...once, ...optionsBesideArchive(script), file],
    ],
    {
      env: { ...scriptEnvironment(url, script.k6Options), ...QUIET },
      out: (line) => observed.point(line),
      err: (line) => observed.lines.push(...linesOf(line)),
    },
  );
  const began = performance.now();
  const tookMs = () => performance.now() - began;
  const isOver = () => tookMs() > (observed.answers + observed.messages > 0 ? LONG_MS : SILENT_MS);
  const over = ended.then(() => /** @type {const} */ ('ended'));
  const given = (enough ?? new Promise(() => {})).then(() => /** @type {const} */ ('long'));
  let how = await within(PATIENCE_MS, over, given);
  while (!how && !isOver()) {
    say(`  it goes on after ${Math.round(tookMs() / 1000)} s: ${observed.now()}`);
    how = await within(PATIENCE_MS, over, given);
  }
  if (how === 'ended') return { code: await ended, how };
  // k6 ends the iteration, and teardown() with it.
  signal(how === 'long' ? 'SIGKILL' : 'SIGINT');
  if (how === null) say('  it is a long iteration, which is not waited for');
  if ((await within(8000, ended)) === null) signal('SIGKILL');
  await ended;
  return { code: null, how: observed.answers + observed.messages > 0 ? 'long' : 'silent' };
}

/**
 * @typedef {object} Failure
 * @property {string} what
 * @property {string} [where] the first transport error and the server's own failure have one; a fault of the script has none
 * @property {string} [hint]
 * @property {string[]} [detail]
 * @property {number} [exit] code of ours, where k6's own one says more
 */

/**
 * The first thing that did not come decides, not what the script made of it.
 * @param {Observed} observed
 * @param {{code: number | null, how: 'ended' | 'long' | 'silent', url: string}} end
 * @returns {Promise<Failure | null>}
 */
async function failureOf({ lines, lost, refused, requests, bytes }, { code, how, url }) {
  const others = lines.filter((l) => l.source !== 'console' && !/^(info|debug)$/.test(l.level ?? ''));
  const isBad = how === 'ended' && code !== 0 && code !== MARKED_AS_FAILED;
  const thrown = others.filter(
    (l) => l.executor !== undefined || (isBad && (l.level ?? 'error') === 'error'),
  );
  const detail = thrown.slice(-1).map(firstLine);
  const addressless = others.find((l) => NO_ADDRESS.test(l.error ?? l.msg));
  if (addressless)
    return {
      what: `${firstLine(addressless)}`,
      hint: url
        ? `the script makes no address of __ENV.BASE_URL, which is ${url}`
        : 'write scheme://host:port',
    };
  const texts = others.map((l) => l.error ?? l.msg).filter((text) => !OWN_ERROR.test(text));
  const text = texts.find(causeIn) ?? (lost && others.find((l) => l.msg === 'Request Failed')?.error);
  if (text)
    return {
      what: causeIn(text) ?? plainLine(text),
      where: hostIn(text) ?? placeOf(lost?.url ?? url),
      detail,
    };
  if (lost)
    return {
      what: await causeOfLost(lost),
      where: placeOf(lost.url),
      detail,
    };
  if (refused && (thrown.length > 0 || isBad))
    return { what: `HTTP ${refused.status}`, where: pathOf(refused.url), detail };
  if (how === 'silent') return { what: `nothing was answered in ${SILENT_MS / 1000} s`, where: placeOf(url) };
  if (thrown.length > 0 || isBad) {
    const why = detail[0] ?? 'k6 did not say why';
    return isBad ? { what: k6Text(code, why), exit: exitOf(code) } : { what: why };
  }
  // The script may have caught what was thrown.
  if (requests > 0 || bytes > 0 || !url || portOf(url) === null) return null;
  const problem = await connectProblem(url);
  return problem ? { what: causeIn(problem) ?? plainLine(problem), where: placeOf(url) } : null;
}

/**
 * @param {string} name of the script
 * @param {Failure} failure
 * @param {string} url that was given
 */
function failureError(name, { what, where, hint, detail = [], exit }, url) {
  if (where === undefined)
    return new BenchError(`${name}: ${what}`, {
      hint:
        hint ?? 'one iteration by one user was tried before the load: mend the script, or what follows "--"',
      exitCode: exit,
    });
  const start = url
    ? 'start what --endpoint names'
    : 'start what the script addresses, or give --endpoint name=URL';
  const certificate = '"-- --insecure-skip-tls-verify" at the end takes any certificate';
  return new BenchError(`${name}: ${what}${where ? `: ${where}` : ''}`, {
    hint: /certificate/.test(what) ? certificate : start,
    detail: detail.filter((line) => !line.includes(what)).map((line) => `then the script: ${line}`),
    exitCode: EXIT.systemFailed,
  });
}

/**
 * @param {string} text
 * @returns {string | null} why nothing came, where it says so
 */
function causeIn(text) {
  for (const [pattern, meaning] of CAUSES) {
    const found = pattern.exec(text);
    if (found) return plainLine(meaning.replace('$1', found[1] ?? ''));
  }
  return null;
}

/**
 * @param {string} text of an error of Go's
 * @returns {string | null} `host:port` in it
 */
function hostIn(text) {
  const url = /"(\w+:\/\/[^"\s]+)"/.exec(text)?.[1];
  return (url && placeOf(url)) || (/(?:dial \w+ |->)(\S+:\d+)/.exec(text)?.[1] ?? null);
}

/** @param {string} url @returns {string} its host and port, without what may be secret in it */
function placeOf(url) {
  return URL.canParse(url) ? new URL(url).host || url : url.split('/')[0];
}

/** @param {string} url @returns {string} without what may be secret in it */
function pathOf(url) {
  return `${placeOf(url)}${URL.canParse(url) ? new URL(url).pathname : ''}`;
}

/** k6 gives no reason for a WebSocket that did not open: whoever asks there sees it. @param {Unanswered} lost */
async function causeOfLost({ url, status = '0' }) {
  if (status === '14') return 'gRPC Unavailable';
  if (status !== '0') return `HTTP ${status} in place of a WebSocket`;
  if (!URL.canParse(url)) return 'no answer';
  const problem = await connectProblem(url, { secure: url.startsWith('wss:') });
  return problem ? (causeIn(problem) ?? plainLine(problem)) : 'no WebSocket was opened';
}

/**
 * @param {string} url as k6 has it in its tags: gRPC's are without a scheme
 * @returns {string | null} `host:port`; null where it is a name
 */
function hostOf(url) {
  const whole = /^[^\s/:]+:\d+(\/|$)/.test(url) ? `grpc://${url}` : url;
  if (!/^\w+:\/\//.test(whole) || !URL.canParse(whole)) return null;
  const { hostname } = new URL(whole);
  const host = /^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname)
    ? '127.0.0.1'
    : hostname.toLowerCase();
  return `${host}:${portOf(whole) ?? ''}`;
}

/**
 * A figure stands under the name of an endpoint: the script must ask it. Where k6 does not tell whom it asked (requests
 * with names of their own, other protocols), or it asked somebody else, a server of ours that answers nobody takes the place of the
 * endpoint: whoever reads the address comes there.
 * @param {Parameters<typeof rehearse>[0]} call
 * @param {{id: string, url?: string, addresses: Set<string>}[]} rehearsed all systems; one without a URL is what the script
 *   knows itself
 * @throws {BenchError} one of them is not asked
 */
export async function demandAddressed(call, rehearsed) {
  const all = new Set(rehearsed.flatMap(({ addresses }) => [...addresses]));
  if (rehearsed.some(({ addresses }) => addresses.size < all.size)) return;
  for (const { id, url, addresses } of rehearsed) {
    if (!url || addresses.has(hostOf(url) ?? '')) continue;
    if (await readsItsAddress(call, url, addresses)) continue;
    const to =
      addresses.size > 0
        ? `its requests went to ${[...addresses].join(', ')}`
        : 'another address in its place changes nothing';
    throw new BenchError(`${basename(call.script.path)} did not address ${id} (${url}): ${to}`, {
      hint: 'read the address in the script as __ENV.BASE_URL, or leave out --endpoint',
    });
  }
}

/**
 * @param {Parameters<typeof rehearse>[0]} call
 * @param {string} url
 * @param {Set<string>} addresses that were asked by the url as it is
 * @returns {Promise<boolean>} whether another url changes whom the script asks
 */
async function readsItsAddress(call, url, addresses) {
  const trap = createServer((socket) => socket.destroy());
  await new Promise((resolve) => trap.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (trap.address());
  const instead = new URL(url);
  instead.hostname = '127.0.0.1';
  instead.port = String(port);
  const observed = new Observed();
  const asked = new Promise((resolve) => trap.once('connection', () => resolve(true)));
  const timer = new Promise((resolve) => setTimeout(resolve, TRAP_MS).unref());
  await performOnce({ ...call, url: instead.href }, observed, () => {}, Promise.race([asked, timer]));
  trap.close();
  return (await within(1, asked)) === true || [...observed.addresses].some((a) => !addresses.has(a));
}
