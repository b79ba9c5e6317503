/**
 * The workload `events` for every server of `openapi.yaml`.
 * @import { EventsClient, IngestEvent, Target } from '../../k6/types.d.ts'
 */
import http from 'k6/http';

const JSON_BODY = { headers: { 'Content-Type': 'application/json' }, timeout: '10s' };

/** Answers that k6 holds in memory at the same time. */
const IDS_AT_ONCE = 500;

/** @param {Target} target */
export function burst(target) {
  return {
    protocol: 'http',
    address: `${target.host}:${target.port}`,
    headers: { 'Content-Type': 'application/json' },
    timeoutMs: 10_000,
  };
}

/** @param {Target} target */
export function listening(target) {
  return {
    address: `${target.host}:${target.port}`,
    path: '/api/stream',
    sentAfter: '"timestamp":"',
    idAfter: '"id":"',
  };
}

/**
 * @param {Target} _target
 * @param {{eventTemplate(place: number): IngestEvent, QUERY: Record<string, string | number>}} workload
 * @param {Record<string, number>} dataset
 * @returns {Record<string, {method?: string, path: string, body?: string, status: number, contains?: string, sample?: boolean}>}
 */
export function templates(_target, workload, dataset) {
  const size = dataset.batchSize;
  const events = Array.from({ length: size }, (_, place) => workload.eventTemplate(place));
  const batch = {
    method: 'POST',
    path: '/api/events/batch',
    body: JSON.stringify({ events }),
    status: 200,
    // A duplicate would make it fewer: ids never repeat, so a server that finds one is wrong.
    contains: `"stored":${size}`,
  };
  const single = {
    method: 'POST',
    path: '/api/events',
    body: JSON.stringify(workload.eventTemplate(0)),
    status: 201,
    contains: '"stored"',
  };
  const query = {
    path: `/api/events?${queryText(workload.QUERY)}`,
    status: 200,
    contains: '"events":[{',
    sample: true,
  };
  return { batch, single, 'mixed-batch': batch, 'mixed-query': query };
}

/**
 * @param {Target} target
 * @returns {EventsClient}
 */
export function open(target) {
  const base = `http://${target.host}:${target.port}`;
  const get = (/** @type {string} */ path) => http.get(`${base}${path}`, { timeout: '10s' });
  const post = (/** @type {string} */ path, /** @type {unknown} */ body) =>
    http.post(`${base}${path}`, JSON.stringify(body), JSON_BODY);
  const asked = (/** @type {string[]} */ ids) => {
    const answers = [];
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
      for (const answer of http.batch(
        ids
          .slice(from, from + IDS_AT_ONCE)
          .map((id) => ({ method: 'GET', url: `${base}/api/events/${id}`, params: { timeout: '10s' } })),
      ))
        answers.push(right(answer, [200, 404]));
    return answers;
  };
  return {
    single: (event) => /** @type {any} */ (right(post('/api/events', event), [200, 201]).json()).status,
    batch: (events) => /** @type {any} */ (right(post('/api/events/batch', { events }), [200]).json()),
    event: (id) => {
      const answer = right(get(`/api/events/${id}`), [200, 404]);
      return answer.status === 404 ? null : /** @type {any} */ (answer.json());
    },
    events: (ids) =>
      asked(ids).map((answer) => (answer.status === 404 ? null : /** @type {any} */ (answer.json()))),
    countStored: (ids) => asked(ids).filter(({ status }) => status === 200).length,
    page: (query) => /** @type {any} */ (right(get(`/api/events?${queryText(query)}`), [200]).json()),
    total: () => /** @type {any} */ (right(get('/api/stats'), [200]).json()).events,
    close: () => {},
  };
}

/**
 * @param {Record<string, string | number>} query
 * @returns {string}
 */
function queryText(query) {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

/**
 * @param {import('k6/http').Response} answer
 * @param {number[]} statuses
 */
function right(answer, statuses) {
  if (statuses.includes(answer.status)) return answer;
  if (answer.status === 0) throw new Error(`${answer.error}`);
  throw new Error(`answered ${answer.status}: ${String(answer.body).slice(0, 200)}`);
}

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
