import http from 'k6/http';
import { burst, templates as ingestTemplates } from '../_ingest/client.js';
import { burst as burstEntities, requests } from '../_meshql/client.js';

/**
 * Sends what a client of the workload sends, and takes any answer for the right one.
 * @param {import('../../k6/types.d.ts').Target} target
 */
function open(target) {
  const base = `http://${target.host}:${target.port}/api/events`;
  const params = { headers: { 'Content-Type': 'application/json' } };
  const sent = (/** @type {{status: number, error: string}} */ answer) => {
    if (answer.status !== 200) throw new Error(answer.error || `answered ${answer.status}`);
  };
  return {
    single: (/** @type {unknown} */ event) => {
      sent(http.post(base, JSON.stringify(event), params));
      return 'stored';
    },
    batch: (/** @type {unknown[]} */ events) => {
      sent(http.post(`${base}/batch`, JSON.stringify({ events }), params));
      return { stored: events.length, duplicates: [] };
    },
    page: () => sent(http.get(`${base}?limit=20`)),
    close: () => {},
  };
}

/**
 * The same requests, byte for byte; any 2xx is right, because nothing is stored.
 * @param {Parameters<typeof ingestTemplates>[0]} target
 * @param {Parameters<typeof ingestTemplates>[1]} workload
 * @param {Record<string, number>} dataset
 */
function templates(target, workload, dataset) {
  return Object.fromEntries(
    Object.entries(ingestTemplates(target, workload, dataset)).map(
      ([op, { status, contains, sample, ...request }]) => [op, request],
    ),
  );
}

const entities = { open: () => ({ close: () => {} }), burst: burstEntities, requests };

/** By workload. */
export default {
  events: { open, burst, templates },
  'rest-crud': entities,
  'graphql-queries': entities,
  'federation-depth': entities,
  'mixed-workload': entities,
};

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
