/**
 * Events by REST beside queries of the projections that follow from them, and of relations.
 *
 * This file knows no system and imports nothing of k6, so that Node reads its facts as well.
 * @import { EntityClient, EntityRequests, Oracle, Turn, TurnCheck, UserContext, WorkloadContext } from '../types.d.ts'
 * @import { Row, Rows, World } from './entities/data.js'
 */
import { add, NOWHERE, payloads, pick, populate, SUITE } from './entities/data.js';
import { answeredWrong, answers, gapsNow, settledProjections, texts } from './entities/expected.js';

export const facts = Object.freeze({
  title: 'Mixed writes and reads',
  operations: {
    event: { window: 'round', writes: true },
    projections: { window: 'round' },
    federation: { window: 'round' },
    'consumer-reports': { window: 'round' },
  },
  windows: {
    round: {
      order: 'turns',
      turns: [
        ...['event', 'event', 'event', 'event'],
        ...['projections', 'projections', 'projections'],
        ...['federation', 'consumer-reports'],
      ],
    },
  },
  drive: 'burst',
  shown: { suite: SUITE },
  pipelines: false,
  minOperations: 100,
  dataset: { keys: 10_000, thinkMs: 0, scale: 1 },
});

const SIZES = { farms: 2, coopsPerFarm: 2, hensPerCoop: 5, reportsPerHen: 1, containers: 4, consumers: 3 };

const EVENTS = /** @type {const} */ ([
  'lay_report',
  'storage_deposit',
  'storage_withdrawal',
  'container_transfer',
]);

/** What is selected of each projection, whose it is, and the total that only rises while events come. */
const PROJECTIONS = /** @type {const} */ ([
  ['container_inventory', 'id container_id current_eggs total_deposits', 'container', 'total_deposits'],
  ['hen_productivity', 'id hen_id total_eggs quality_rate', 'hen', 'total_eggs'],
  ['farm_output', 'id farm_id eggs_week', 'farm', 'eggs_week'],
]);

/** An answer with a projection in it is another one each time: each so-manieth is looked at, which costs as little as shapes. */
const SAMPLED = 8;

const FARM = 'id coops { name hens { name } }';
const CONSUMER = 'id name consumptionReports { eggs purpose }';

const EGGS = Array.from({ length: 12 }, (_, n) => String(n + 1));

/**
 * One user: an event of each kind, then what follows from events, and relations. Of projections, which lag behind and
 * change, each hen, container and farm must be there, and no total may fall; the rest is known whole.
 * @param {EntityRequests} requests
 * @param {UserContext} context
 * @returns {Turn}
 */
export function turn({ create, query }, { start, counters }) {
  const world = start?.world ?? NOWHERE;
  const least = start?.least;
  const list = (/** @type {typeof PROJECTIONS[number]} */ [entity, fields, of, total]) => {
    const own = `/data/getAll/${of}_id={of:${of}}`;
    return {
      op: 'projections',
      ...query(
        entity,
        `{ getAll { ${fields} } }`,
        least
          ? [
              { at: '/data/getAll', length: least[entity].count, every: SAMPLED },
              { at: `${own}/${total}`, least: `{of:${of}Least}`, every: SAMPLED },
            ]
          : [{ at: '/data/getAll', list: true }],
      ),
    };
  };
  const byId = (
    /** @type {string} */ op,
    /** @type {string} */ entity,
    /** @type {string} */ selection,
    /** @type {TurnCheck[]} */ ...more
  ) => ({
    op,
    ...query(entity, `{ getById(id: "{of:${entity}}") { ${selection} } }`, [
      { at: '/data/getById', same: `{of:${entity}Answer}`, ...(more.length > 0 ? { every: SAMPLED } : {}) },
      ...more,
    ]),
  });
  const output = '/data/getById/farmOutput';
  return {
    lists: { ...world, eggs: EGGS, ...start?.answers },
    steps: [
      ...EVENTS.map((kind, n) => ({
        op: 'event',
        ...create(kind, eventOf(kind)),
        ...(counters ? { tally: placeOf(n, counters) } : {}),
      })),
      ...PROJECTIONS.map(list),
      byId(
        'federation',
        'farm',
        `${FARM} farmOutput { eggs_week }`,
        ...(least
          ? [
              { at: output, length: 1, every: SAMPLED },
              { at: `${output}/0/eggs_week`, least: '{of:farmLeast}', every: SAMPLED },
            ]
          : [{ at: output, list: true }]),
      ),
      byId('consumer-reports', 'consumer', CONSUMER),
    ],
  };
}

/** @param {typeof EVENTS[number]} kind */
function eventOf(kind) {
  const eggs = '#{of:eggs}';
  const [hen, coop, farm, container] = ['{of:hen}', '{of:coop}', '{of:farm}', '{of:container}'];
  if (kind === 'lay_report') return payloads.lay_report({ hen, coop, farm }, eggs);
  if (kind === 'storage_deposit') return payloads.storage_deposit({ container, farm }, eggs);
  if (kind === 'storage_withdrawal') return payloads.storage_withdrawal({ container }, eggs);
  return payloads.container_transfer({ source: container, dest: '{of:container+1}' }, eggs);
}

/**
 * What an event says follows from its key's remainder by this: each kind has so many counters.
 * @param {Record<string, number>} dataset
 */
function variantsOf({ scale = 1 }) {
  const [farms, coops] = [SIZES.farms * scale, SIZES.farms * SIZES.coopsPerFarm * scale];
  return [farms, coops, coops * SIZES.hensPerCoop, SIZES.containers * scale, EGGS.length].reduce(
    (all, n) => (all / divisor(all, n)) * n,
  );
}

/** @param {number} a @param {number} b @returns {number} the greatest common one */
function divisor(a, b) {
  return b === 0 ? a : divisor(b, a % b);
}

/**
 * How many counters the tally of the load has.
 * @param {Record<string, number>} dataset
 */
export function tallied(dataset) {
  return EVENTS.length * variantsOf(dataset);
}

/**
 * @param {number} kind its place among the events
 * @param {{name: string, of: number}} counters
 */
function placeOf(kind, { name, of }) {
  const each = of / EVENTS.length;
  return { name, of, from: kind * each, each };
}

/**
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 */
export async function before(client, context) {
  const { world, rows } = populate(client, SIZES, context);
  for (const [n, container] of world.container.entries())
    add(
      client,
      rows,
      'storage_deposit',
      payloads.storage_deposit({ container, farm: pick(world.farm, n) }, 2),
    );
  for (const [n, consumer] of world.consumer.entries()) {
    const event = payloads.consumption_report({ consumer, container: pick(world.container, n) }, 2);
    add(client, rows, 'consumption_report', event);
  }
  const projected = settledProjections(client, rows);
  const stored = eventsNow(client);
  return {
    world,
    answers: {
      farmAnswer: texts(answers(rows, 'farm', FARM)),
      consumerAnswer: texts(answers(rows, 'consumer', CONSUMER)),
      ...(projected ? leastOf(world, projected) : {}),
    },
    least: projected
      ? Object.fromEntries(PROJECTIONS.map(([entity]) => [entity, { count: projected[entity].length }]))
      : null,
    events: countedByText(stored),
    gaps: projected ? gapsNow(client, stored) : null,
  };
}

/**
 * @param {World} world
 * @param {Rows} projected
 * @returns {Record<string, string[]>} what each projection's total is before the load, in the order of the world
 */
function leastOf(world, projected) {
  return Object.fromEntries(
    PROJECTIONS.map(([entity, , of, total]) => {
      const byId = new Map(projected[entity].map((row) => [row[`${of}_id`], row[total]]));
      return [`${of}Least`, world[of].map((id) => String(byId.get(id)))];
    }),
  );
}

/**
 * After load: each event is there as often as it was acknowledged, and no other; and where the server says that its
 * projections have caught up, each of them is the sum of its events.
 * @param {EntityClient} client
 * @param {WorkloadContext} context
 * @param {{world: World, events: Record<string, number>, gaps: Record<string, number> | null}} start
 * @param {Record<string, {acked: number, indeterminate: number, wrong: number}>} totals
 * @returns {Promise<Oracle>}
 */
export async function after(client, context, start, totals) {
  const { acked, indeterminate } = totals.event ?? { acked: 0, indeterminate: 0 };
  const events = eventsNow(client);
  const now = countedByText(events);
  const stored = sum(now) - sum(start.events);
  const strayed = strayedFrom(now, start, context);
  const settled = start.gaps !== null && client.settle(() => differences(client, events, start).length === 0);
  const off = settled ? differences(client, events, start) : [];
  const { wrong, told } = answeredWrong(totals);
  const exact = acked <= stored && stored <= acked + indeterminate;
  const { missing = 0, surplus = 0 } = strayed ?? {};
  const projections = settled
    ? off.slice(0, 3).join('; ') || 'projections are exact'
    : 'the server tells no lag';
  const byValue =
    strayed === null
      ? 'events stored against acknowledged'
      : missing + surplus === 0
        ? 'each event stored against acknowledged'
        : `${missing} events that were acknowledged are not there, and ${surplus} that were not sent are`;
  return {
    ok: exact && missing + surplus + wrong + off.length === 0,
    ...{ acked, stored, indeterminate },
    ...(wrong > 0 ? { wrong } : {}),
    ...(strayed ?? {}),
    detail: `${byValue}; ${projections}${told}`,
  };
}

/** @param {Record<string, number>} counts */
function sum(counts) {
  return Object.values(counts).reduce((all, n) => all + n, 0);
}

/** @param {EntityClient} client @returns {Rows} */
function eventsNow(client) {
  return Object.fromEntries(EVENTS.map((kind) => [kind, client.list(kind)]));
}

/** @param {typeof EVENTS[number]} kind @param {Row} row @returns {string} all that was sent of it */
function textOf(kind, row) {
  return [kind, ...Object.keys(eventOf(kind)).map((name) => row[name])].join(' ');
}

/** @param {Rows} events @returns {Record<string, number>} how often each is there */
function countedByText(events) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const kind of EVENTS)
    for (const row of events[kind]) {
      const text = textOf(kind, row);
      counts[text] = (counts[text] ?? 0) + 1;
    }
  return counts;
}

/**
 * @param {Record<string, number>} now how often each event is there
 * @param {{world: World, events: Record<string, number>}} start
 * @param {WorkloadContext} context
 * @returns {{missing: number, surplus: number} | null} null where nobody counted what was sent
 */
function strayedFrom(now, { world, events }, { tally, dataset }) {
  if (!tally) return null;
  const { sent, acked } = tally.counts();
  const each = variantsOf(dataset);
  /** @type {Record<string, {sent: number, acked: number}>} */
  const expected = {};
  const lists = /** @type {Record<string, string[]>} */ ({ ...world, eggs: EGGS });
  for (const [n, kind] of EVENTS.entries())
    for (let key = 0; key < each; key++) {
      const row = Object.fromEntries(
        Object.entries(eventOf(kind)).map(([name, text]) => [name, filled(String(text), lists, key)]),
      );
      const text = textOf(kind, row);
      expected[text] ??= { sent: 0, acked: 0 };
      const one = expected[text];
      one.sent += sent[n * each + key];
      one.acked += acked[n * each + key];
    }
  let missing = 0;
  let surplus = 0;
  for (const text of new Set([...Object.keys(expected), ...Object.keys(now)])) {
    const grown = (now[text] ?? 0) - (events[text] ?? 0);
    missing += Math.max(0, (expected[text]?.acked ?? 0) - grown);
    surplus += Math.max(0, grown - (expected[text]?.sent ?? 0));
  }
  return { missing, surplus };
}

/**
 * @param {string} text with placeholders of lists
 * @param {Record<string, string[]>} lists
 * @param {number} key
 */
function filled(text, lists, key) {
  return text.replace(/^#?\{of:(\w+?)(?:\+(\d+))?\}$/, (_, list, after = '0') =>
    pick(lists[list], key + Number(after)),
  );
}

/**
 * @param {EntityClient} client
 * @param {Rows} events
 * @param {{gaps: Record<string, number> | null}} start
 * @returns {string[]} totals that have not grown as the sum of their events
 */
function differences(client, events, { gaps: before }) {
  const gaps = gapsNow(client, events);
  return [...new Set([...Object.keys(gaps), ...Object.keys(before ?? {})])].flatMap((name) => {
    const off = (gaps[name] ?? 0) - (before?.[name] ?? 0);
    return off === 0 ? [] : [`${name} is off by ${off}`];
  });
}
