import { askAll, DATABASES, dashboards } from './testing.js';

/**
 * Asks a Grafana as a browser without a login does: for tests only.
 * @import { Ask } from './testing.js'
 */

/** How long it may take to answer. */
const ANSWER_MS = 30_000;

/**
 * A query by way of Grafana's own API, which fills in the time by itself.
 * @type {Ask}
 */
async function askGrafana(origin, { where, uid, text }, values) {
  const filled = text.replace(/\$(\w+)/g, (whole, name) => values[name] ?? whole);
  const query = { refId: 'A', datasource: { type: 'influxdb', uid }, rawQuery: true, query: filled };
  const answer = await post(`${origin}/api/ds/query`, {
    queries: [{ ...query, resultFormat: 'table', intervalMs: 1000, maxDataPoints: 10_000 }],
    ...{ from: 'now-1h', to: 'now' },
  });
  const { frames = [], error = null } = answer.body?.results?.A ?? {};
  /** @type {any[][]} */
  const rows = frames.flatMap(rowsOf);
  return {
    ...{ where, text: filled, rows: rows.length },
    values: [...new Set(rows.map((row) => String(row[row.length - 1])))],
    error: error ?? (answer.ok ? null : `Grafana answers ${answer.status}`),
  };
}

/**
 * @param {any} frame of Grafana's: a list of values for each field
 * @returns {any[][]} its rows that tell something, without their time
 */
function rowsOf({ schema, data }) {
  const told = data.values.filter(
    (/** @type {any} */ _, /** @type {number} */ i) => !isTime(schema.fields[i]),
  );
  const rows = (told[0] ?? []).map((/** @type {any} */ _, /** @type {number} */ row) =>
    told.map((/** @type {any[]} */ values) => values[row]),
  );
  return rows.filter((/** @type {any[]} */ row) => row.some((cell) => cell !== null));
}

/** @param {{type: string}} field */
function isTime({ type }) {
  return type === 'time';
}

/**
 * @param {string} grafana `http://host:port`
 * @param {{chosen?: Record<string, string>, mayBeEmpty?: RegExp}} [options] `chosen`: values of single-valued variables, in
 *   place of the first one; `mayBeEmpty`: queries that the runs behind it have no answer to
 * @returns {Promise<string[]>} queries of the dashboards that find nothing, and writes that are not refused
 */
export async function grafanaFaults(grafana, { chosen, mayBeEmpty = /^$/ } = {}) {
  const empty = async () => {
    const answers = [];
    for (const { board } of dashboards()) answers.push(...(await askAll(grafana, board, chosen, askGrafana)));
    return answers
      .filter((a) => a.error || (a.rows === 0 && !mayBeEmpty.test(a.text)))
      .map((a) => `${a.where}: ${a.error ?? 'no rows'}`);
  };
  const faults = [...(await empty()), ...(await acceptedWrites(grafana)).map((what) => `accepted: ${what}`)];
  // What was refused has changed nothing.
  return [...new Set([...faults, ...(await empty())])];
}

/** What a viewer may not do. @type {{what: string, method?: string, path: string, body?: any, origin?: string}[]} */
export const WRITES = [
  { what: 'save a dashboard', path: '/api/dashboards/db', body: dashboard() },
  { what: 'import a dashboard', path: '/api/dashboards/import', body: dashboard() },
  { what: 'make a folder', path: '/api/folders', body: { title: 'mine' } },
  { what: 'make an annotation', path: '/api/annotations', body: { text: 'mine', time: 1 } },
  {
    what: 'make a data source',
    path: '/api/datasources',
    body: { name: 'mine', type: 'influxdb', access: 'proxy' },
  },
  { what: 'make a snapshot', path: '/api/snapshots', body: dashboard() },
  ...Object.entries(DATABASES).flatMap(([uid, database]) => [
    { what: `remove the data source ${uid}`, method: 'DELETE', path: `/api/datasources/uid/${uid}` },
    ...[`DROP DATABASE "${database}"`, 'DELETE FROM "run_result"', 'CREATE DATABASE mine'].flatMap((q) => [
      { what: `${q} by proxy`, path: `/api/datasources/proxy/uid/${uid}/query?q=${encodeURIComponent(q)}` },
      { what: `${q} as a query`, path: '/api/ds/query', body: queryOf(uid, q) },
    ]),
    {
      what: `write a point by proxy into ${database}`,
      path: `/api/datasources/proxy/uid/${uid}/write?db=${database}`,
      body: 'mine value=1',
    },
  ]),
  {
    what: 'ask from another page',
    path: '/api/ds/query',
    body: queryOf('ladderbench-k6', 'SHOW MEASUREMENTS'),
    origin: 'https://elsewhere.example',
  },
];

/** What Grafana takes for a dashboard of its own. */
function dashboard() {
  return { dashboard: { id: null, title: 'mine', panels: [] }, overwrite: true };
}

/** @param {string} uid @param {string} query */
function queryOf(uid, query) {
  const datasource = { type: 'influxdb', uid };
  const asked = { refId: 'A', datasource, rawQuery: true, query, resultFormat: 'table' };
  return { queries: [asked], from: 'now-1h', to: 'now' };
}

/**
 * @param {string} grafana `http://host:port`
 * @returns {Promise<string[]>} those of {@link WRITES} that it does not refuse
 */
async function acceptedWrites(grafana) {
  const accepted = [];
  for (const { what, path, ...request } of WRITES)
    if (isAccepted(await post(`${grafana}${path}`, request.body, request))) accepted.push(what);
  return accepted;
}

/**
 * InfluxDB and Grafana say of some queries in a sound answer that they were not carried out.
 * @param {{ok: boolean, body: any}} answer
 */
function isAccepted({ ok, body }) {
  const results = Object.values(body?.results ?? {});
  return ok && !results.some((/** @type {any} */ result) => result.error);
}

/**
 * @param {string} url
 * @param {any} body an object goes as JSON, text as it is
 * @param {{method?: string, origin?: string}} [options] `origin`: of the page that asks; absent: Grafana's own
 * @returns {Promise<{ok: boolean, status: number, body: any}>} `body`: null where it is no JSON
 */
async function post(url, body, { method = 'POST', origin = new URL(url).origin } = {}) {
  const answer = await fetch(url, {
    method,
    headers: { origin, ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}) },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await answer.text();
  return { ok: answer.ok, status: answer.status, body: parsed(text) };
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
