/**
 * `node arrived.js <url of the API> <scale>`: returns when every row of the seed has become an entity, and the
 * projections contain the events. Exit code 1, with what is missing, after two minutes.
 */

const PATIENCE_MS = 120_000;

/** Rows of `seed.sql` at scale 1, and the field that tells their entities from others. */
const SEEDED = [
  { entity: 'farm', key: 'legacy_werks', rows: 3 },
  { entity: 'coop', key: 'legacy_stall_nr', rows: 4 },
  { entity: 'hen', key: 'legacy_equnr', rows: 7 },
  { entity: 'container', key: 'legacy_behaelt_nr', rows: 4 },
  { entity: 'consumer', key: 'legacy_kunnr', rows: 3 },
  { entity: 'lay_report', key: 'legacy_aufnr', rows: 8 },
  { entity: 'storage_deposit', key: 'legacy_mblnr', rows: 4 },
  { entity: 'storage_withdrawal', key: 'legacy_mblnr', rows: 2 },
  { entity: 'container_transfer', key: 'legacy_mblnr', rows: 2 },
  { entity: 'consumption_report', key: 'legacy_mblnr', rows: 3 },
];

/**
 * @param {string} url
 * @param {{entity: string, key: string}} of
 * @returns {Promise<number>} entities that legacy rows became
 */
async function arrived(url, { entity, key }) {
  const response = await fetch(`${url}/${entity}/graph`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ getAll { ${key} } }` }),
    signal: AbortSignal.timeout(10_000),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${entity}: ${errors[0].message}`);
  return data.getAll.filter((/** @type {Record<string, unknown>} */ row) => row[key]).length;
}

/**
 * @param {string} url
 * @param {number} scale
 * @returns {Promise<string | null>} what is missing
 */
async function missing(url, scale) {
  for (const seeded of SEEDED) {
    const count = await arrived(url, seeded);
    const expected = seeded.rows * scale;
    if (count !== expected) return `${count} of ${expected} rows have become a ${seeded.entity}`;
  }
  const ready = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(10_000) });
  const { processor } = await ready.json();
  return processor.lag === 0 ? null : `the projections lack ${processor.lag} events`;
}

const [url, scale = '1'] = process.argv.slice(2);
const until = Date.now() + PATIENCE_MS;
let last = await missing(url, Number(scale));
while (last !== null && Date.now() < until) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  last = await missing(url, Number(scale));
}
if (last !== null) {
  console.error(last);
  process.exitCode = 1;
}
