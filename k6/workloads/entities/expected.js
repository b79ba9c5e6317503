/**
 * What a right answer says, from what was sent: queries by hand over the rows that were created. Pure.
 * @import { EntityClient, Oracle } from '../../types.d.ts'
 * @import { Row, Rows } from './data.js'
 */

/** Where a relation leads: to all rows of an entity that name this one, or to the one that is named. */
const RELATIONS = Object.freeze(
  /** @type {Record<string, Record<string, {to: string, by: string, one?: true}>>} */ ({
    farm: {
      coops: { to: 'coop', by: 'farm_id' },
      farmOutput: { to: 'farm_output', by: 'farm_id' },
    },
    coop: { hens: { to: 'hen', by: 'coop_id' } },
    hen: {
      coop: { to: 'coop', by: 'coop_id', one: true },
      layReports: { to: 'lay_report', by: 'hen_id' },
      productivity: { to: 'hen_productivity', by: 'hen_id' },
    },
    container: { inventory: { to: 'container_inventory', by: 'container_id' } },
    consumer: { consumptionReports: { to: 'consumption_report', by: 'consumer_id' } },
  }),
);

/** A selection of GraphQL: fields, and below relations those of their own. @typedef {Map<string, Selection | null>} Selection */

/**
 * @param {string} text as in a query, `id name coops { id }`
 * @returns {Selection}
 */
function selectionOf(text) {
  /** @type {Selection} */
  const all = new Map();
  const open = [all];
  let last = '';
  for (const word of text.match(/[{}]|\w+/g) ?? []) {
    const here = open[open.length - 1];
    if (word === '{') {
      const below = new Map();
      here.set(last, below);
      open.push(below);
    } else if (word === '}') open.pop();
    else here.set(word, null);
    last = word;
  }
  return all;
}

/**
 * What each row of an entity answers.
 * @param {Rows} rows
 * @param {string} entity
 * @param {string} selection without projections whose rows are not known
 * @param {Row[]} [of] only of these
 * @returns {Row[]} in the order of the rows
 */
export function answers(rows, entity, selection, of = rows[entity]) {
  const asked = selectionOf(selection);
  /** @type {Map<string, Map<string, Row[]>>} */
  const indexes = new Map();
  const related = (/** @type {string} */ to, /** @type {string} */ by, /** @type {string} */ value) => {
    const name = `${to} ${by}`;
    let index = indexes.get(name);
    if (!index) {
      index = new Map();
      for (const row of rows[to] ?? []) index.set(row[by], [...(index.get(row[by]) ?? []), row]);
      indexes.set(name, index);
    }
    return index.get(value) ?? [];
  };
  /** @param {string} kind @param {Row} row @param {Selection} fields @returns {Row} */
  const answer = (kind, row, fields) =>
    Object.fromEntries(
      [...fields].map(([name, below]) => {
        if (below === null) return [name, row[name]];
        const { to, by, one } = RELATIONS[kind][name];
        // What is not known is not demanded.
        if (!rows[to]) return [name, undefined];
        const all = one ? related(to, 'id', row[by]) : related(to, by, row.id);
        const answered = all.map((r) => answer(to, r, below));
        return [name, one ? answered[0] : answered];
      }),
    );
  return of.map((row) => answer(entity, row, asked));
}

/** @param {Row[]} values @returns {string[]} each as a list of a turn has it */
export function texts(values) {
  return values.map((value) => JSON.stringify(value));
}

/**
 * @param {unknown} wanted
 * @param {unknown} found
 * @returns {boolean} whether all that is wanted is there: members of objects, and elements of lists in any order
 */
export function isSame(wanted, found) {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return false;
    const left = [...found];
    return wanted.every((one) => {
      const at = left.findIndex((other) => isSame(one, other));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  }
  if (wanted === null || typeof wanted !== 'object') return (found ?? null) === (wanted ?? null);
  if (found === null || typeof found !== 'object') return false;
  const said = /** @type {Row} */ (found);
  return Object.entries(wanted).every(([name, value]) => isSame(value, said[name]));
}

/**
 * What a query of many answers now, which is what it must go on to answer: others may have been there before. Ours must
 * be among them, as they were sent.
 * @param {EntityClient} client
 * @param {string} entity
 * @param {string} query a root field with its arguments, as the load asks it: `found: getByZone(…)`
 * @param {string} fields
 * @param {Row[]} own rows that it must list
 * @returns {Row[]}
 * @throws where one is missing or is not what was sent
 */
export function listed(client, entity, query, fields, own) {
  const [found] = Object.values(client.query(entity, `{ ${query} { ${fields} } }`) ?? {});
  if (!Array.isArray(found)) throw new Error(`${query} of ${entity} answers no list`);
  const byId = new Map(found.map((/** @type {Row | null} */ row) => [row?.id, row]));
  for (const row of answers({ [entity]: own }, entity, fields))
    if (!isSame(row, byId.get(row.id)))
      throw new Error(
        `${query} of ${entity}: ${row.id} was created as ${JSON.stringify(row)}, answered as ${JSON.stringify(byId.get(row.id))}`,
      );
  return found;
}

/**
 * After a load that only reads: each row is what it was sent as, and no answer was anything else.
 * @param {EntityClient} client
 * @param {Rows} rows
 * @param {Record<string, string>} fields by entity
 * @param {Record<string, {wrong?: number}>} totals
 * @returns {Oracle}
 */
export function unchanged(client, rows, fields, totals) {
  let acked = 0;
  let stored = 0;
  for (const [entity, selection] of Object.entries(fields)) {
    const found = client.query(entity, `{ getAll { ${selection} } }`).getAll ?? [];
    const byId = new Map(found.map((/** @type {Row | null} */ row) => [row?.id, row]));
    const sent = answers(rows, entity, selection);
    acked += sent.length;
    stored += sent.filter((row) => isSame(row, byId.get(row.id))).length;
  }
  const { wrong, told } = answeredWrong(totals);
  return {
    ...{ ok: acked === stored && wrong === 0, acked, stored, indeterminate: 0 },
    ...(wrong > 0 ? { wrong } : {}),
    detail: `entities before and after the queries, field by field${told}`,
  };
}

/** A projection, the name of what it is of, and the total that the eggs of some events go into, by the event's member. */
const TOTALS = /** @type {const} */ ([
  ['lay_report', 'hen_id', 'hen_productivity', 'hen_id', 'total_eggs'],
  ['storage_deposit', 'container_id', 'container_inventory', 'container_id', 'total_deposits'],
  ['storage_withdrawal', 'container_id', 'container_inventory', 'container_id', 'total_withdrawals'],
  ['container_transfer', 'dest_container_id', 'container_inventory', 'container_id', 'total_transfers_in'],
  ['container_transfer', 'source_container_id', 'container_inventory', 'container_id', 'total_transfers_out'],
]);

const PROJECTIONS = Object.freeze({
  farm_output: 'id farm_id eggs_today eggs_week eggs_month',
  hen_productivity: 'id hen_id total_eggs quality_rate',
  container_inventory:
    'id container_id current_eggs total_deposits total_withdrawals total_transfers_in total_transfers_out',
});

/** @param {EntityClient} client @returns {Rows} all projections that the server has now */
function projectionsOf(client) {
  return Object.fromEntries(
    Object.entries(PROJECTIONS).map(([entity, fields]) => [
      entity,
      client.query(entity, `{ getAll { ${fields} } }`).getAll,
    ]),
  );
}

/**
 * Waits until the projections of what was created are the sums of its events.
 * @param {EntityClient} client
 * @param {Rows} rows
 * @returns {Rows | null} all projections; null where the server tells no lag, and does not catch up soon
 * @throws where it says that it has caught up, and has not
 */
export function settledProjections(client, rows) {
  const own = new Set([...rows.hen, ...rows.container].map((row) => row.id));
  const off = () => {
    const projected = projectionsOf(client);
    return {
      projected,
      wrong: Object.keys(gaps(rows, projected)).filter((n) => own.has(n.split(' of ')[1])),
    };
  };
  if (!client.settle(() => off().wrong.length === 0)) return null;
  const { projected, wrong } = off();
  if (wrong.length > 0) throw new Error(`the projections are not the sums of the events: ${wrong[0]}`);
  return projected;
}

/**
 * What projections are away from the events, each total of each hen and container by itself: absent where they agree.
 * @param {Rows} events
 * @param {Rows} projected
 * @returns {Record<string, number>} by `total of id`
 */
function gaps(events, projected) {
  /** @type {Record<string, number>} */
  const sums = {};
  const put = (/** @type {string} */ name, /** @type {number} */ n) => {
    sums[name] = (sums[name] ?? 0) + n;
  };
  for (const [event, by, projection, of, total] of TOTALS) {
    for (const row of projected[projection]) put(`${total} of ${row[of]}`, row[total] ?? 0);
    for (const row of events[event] ?? []) put(`${total} of ${row[by]}`, -row.eggs);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, n]) => n !== 0));
}

/**
 * What they are away from all events that are stored now.
 * @param {EntityClient} client
 * @param {Rows} events
 */
export function gapsNow(client, events) {
  return gaps(events, projectionsOf(client));
}

/**
 * @param {Record<string, {wrong?: number}>} totals
 * @returns {{wrong: number, told: string}} answers under the load that were not what was sent, and words for them
 */
export function answeredWrong(totals) {
  const wrong = Object.values(totals).reduce((sum, total) => sum + (total.wrong ?? 0), 0);
  return { wrong, told: wrong === 0 ? '' : `; ${wrong} answers under the load were not what was sent` };
}
