/**
 * The least server that the workloads on entities can be run against, honest or not: entities in memory, projections at
 * once. Its lies are told to the load alone, which is known by having no name (User-Agent): whoever checks gets the truth.
 * For tests of the workloads' checks only.
 *
 *   node entities-server.js <port> <lie, or none>
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { every } from './every.js';

/** @typedef {Record<string, any>} Row */
/** What a lie may change: each gets how many of its kind there were under the load, itself included. */
/**
 * @typedef {object} Lie
 * @property {(found: any, asked: Asked) => any} [answer] to a root field of GraphQL
 * @property {(row: Row, n: number) => Row} [read] by REST
 * @property {(n: number, entity: string, row: Row) => Row[]} [create] what is stored in place of what was sent
 * @property {(n: number, id: string) => string | null} [update] whose row is replaced; null: nobody's
 * @property {(n: number, id: string) => string | null} [remove] who is deleted
 * @property {(n: number, eggs: number, by: string) => [number, string]} [project] what goes into whose projection
 */
/** @typedef {{entity: string, root: string, argument: string, n: number}} Asked */

const [port, lie] = process.argv.slice(2);
/** For an answer to the load: it asks for no speed, and leaves the machine to what is tested beside. */
const ANSWER_MS = 2;

/** @type {Map<string, Map<string, Row>>} */
const stored = new Map();
const PROJECTIONS = ['farm_output', 'hen_productivity', 'container_inventory'];
/** @type {Record<string, [string, string, boolean?]>} by relation: entity, the member that names the other, one only */
const RELATIONS = {
  coops: ['coop', 'farm_id'],
  hens: ['hen', 'coop_id'],
  coop: ['coop', 'coop_id', true],
  layReports: ['lay_report', 'hen_id'],
  consumptionReports: ['consumption_report', 'consumer_id'],
  farmOutput: ['farm_output', 'farm_id'],
  productivity: ['hen_productivity', 'hen_id'],
  inventory: ['container_inventory', 'container_id'],
};
const FILTERS = /** @type {Record<string, string>} */ ({
  getByZone: 'zone',
  getByFarm: 'farm_id',
  getByCoop: 'coop_id',
});

/** @param {string} entity */
function rowsOf(entity) {
  const rows = stored.get(entity) ?? new Map();
  stored.set(entity, rows);
  return rows;
}

/** @param {string} entity @param {string} id @returns {Row} the next one after it, or the first */
function neighbour(entity, id) {
  const all = [...rowsOf(entity).values()];
  return all[(all.findIndex((row) => row.id === id) + 1) % all.length];
}

const mapped = (/** @type {any} */ found, /** @type {(row: Row, i: number) => any} */ change) =>
  Array.isArray(found) ? found.map(change) : found && change(found, 0);

/**
 * Changes the values of members wherever they are.
 * @param {any} value
 * @param {(name: string, value: any) => any} change
 * @returns {any}
 */
function deep(value, change) {
  if (Array.isArray(value)) return value.map((/** @type {any} */ one) => deep(one, change));
  if (value === null || typeof value !== 'object') return value;
  /** @type {Row} */
  const all = {};
  for (const [name, own] of Object.entries(value)) all[name] = deep(change(name, own), change);
  return all;
}
const only =
  (/** @type {RegExp} */ root, /** @type {(found: any, asked: Asked) => any} */ change) =>
  (/** @type {any} */ found, /** @type {Asked} */ asked) =>
    root.test(asked.root) ? change(found, asked) : found;
const isProjected = (/** @type {string} */ name) =>
  ['farmOutput', 'productivity', 'inventory'].includes(name);
const isRelation = (/** @type {string} */ name) => name in RELATIONS && !isProjected(name);
const isTotal = (/** @type {string} */ name) => /^(total_|eggs_)/.test(name);

/** @type {any} */
let earlier = null;
/** @type {Row | null} */
let held = null;

/** @type {Record<string, Lie>} */
const LIES = {
  none: {},
  // By value.
  'filter-empty': { answer: only(/^getBy(?!Id)/, () => []) },
  'filter-first': { answer: only(/^getBy(?!Id)/, (found) => found.slice(0, 1)) },
  'filter-others': {
    answer: only(/^getBy(?!Id)/, (found, { entity }) =>
      mapped(found, (row) => ({ ...row, ...neighbour(entity, row.id) })),
    ),
  },
  'id-name': {
    answer: only(/^getById$/, (found, { entity, argument }) => ({
      ...found,
      ...('name' in found
        ? { name: neighbour(entity, argument).name }
        : { id: neighbour(entity, argument).id }),
    })),
  },
  'id-nulls': {
    answer: only(/^getById$/, (found) =>
      Object.fromEntries(Object.entries(found).map(([name, value]) => [name, name === 'id' ? value : null])),
    ),
  },
  'id-null': { answer: only(/^getById$/, () => null) },
  'id-rare': {
    answer: only(/^getById$/, (found, { n }) =>
      every(n, 40) ? deep(found, (name, v) => (name === 'name' ? `${v}x` : v)) : found,
    ),
  },
  'all-first': { answer: only(/^getAll$/, (found) => mapped(found, () => found[0])) },
  'all-nulls': { answer: only(/^getAll$/, (found) => mapped(found, () => null)) },
  'all-empty': { answer: only(/^getAll$/, () => []) },
  'all-lacks-one': { answer: only(/^getAll$/, (found) => [...found.slice(1), found[1]]) },
  'all-one-more': { answer: only(/^getAll$/, (found) => [...found, { ...found[0], id: randomUUID() }]) },
  numbers: {
    answer: (found) =>
      deep(found, (name, v) => (/^(capacity|eggs|quality_rate)$/.test(name) ? Number(v) + 1 : v)),
  },
  texts: { answer: (found) => deep(found, (name, v) => (/^(owner|breed|purpose)$/.test(name) ? 'x' : v)) },
  'coops-others': {
    answer: only(/^getById$/, (found, { entity, argument }) =>
      found.coops
        ? {
            ...found,
            coops: mapped(found.coops, (coop, i) => ({
              ...coop,
              ...relatedTo(neighbour(entity, argument), 'coops')[i],
            })),
          }
        : found,
    ),
  },
  'hens-blank': {
    answer: (found) => deep(found, (name, v) => (name === 'hens' ? mapped(v, () => ({})) : v)),
  },
  'relations-empty': { answer: (found) => deep(found, (name, v) => (isRelation(name) ? [] : v)) },
  'relations-first': {
    answer: (found) =>
      deep(found, (name, v) => (isRelation(name) && Array.isArray(v) ? v.map(() => v[0]) : v)),
  },
  'projections-null': { answer: (found) => deep(found, (name, v) => (isProjected(name) ? null : v)) },
  'projections-empty': { answer: (found) => deep(found, (name, v) => (isProjected(name) ? [] : v)) },
  'projections-zero': { answer: (found) => deep(found, (name, v) => (isTotal(name) ? 0 : v)) },
  'projections-others': {
    answer: (found) =>
      deep(found, (name, v) =>
        /^(hen|farm|container)_id$/.test(name) ? '00000000-0000-4000-8000-00000000dead' : v,
      ),
  },
  'read-name': { read: (row) => ({ ...row, name: `${row.name}x` }) },
  'read-fields': { read: (row) => deep(row, (n, v) => (/_type$|_id$|^zone$/.test(n) ? `${v}x` : v)) },
  'read-rare': { read: (row, n) => (every(n, 40) ? { ...row, name: 'x' } : row) },
  // By order and time.
  'one-late': {
    answer: (found) => {
      const last = earlier ?? found;
      earlier = found;
      return last;
    },
    read: (row) => {
      const last = earlier ?? row;
      earlier = row;
      return last;
    },
  },
  'stale-read': { read: (row) => row.was ?? row },
  // By loss.
  'loses-some': { create: (n, _, row) => (every(n, 40) ? [] : [row]) },
  'loses-last': {
    create: (_, entity, row) => {
      const before = held;
      held = { ...row, entity };
      return before ? [before] : [];
    },
  },
  replaces: {
    create: (n, _, row) =>
      every(n, 40)
        ? [{ ...row, ...(row.name ? { name: `invented ${n}` } : { eggs: (row.eggs % 12) + 1 }) }]
        : [row],
  },
  doubles: { create: (n, _, row) => (every(n, 40) ? [row, { ...row, id: randomUUID() }] : [row]) },
  'loses-update': { update: (n, id) => (every(n, 20) ? null : id) },
  'keeps-deleted': { remove: (n, id) => (every(n, 20) ? null : id) },
  // One that its user has no business with any more: nobody is refused.
  'deletes-another': {
    remove: (n, id) =>
      every(n, 20)
        ? ([...rowsOf('consumer').values()].find((row) => !row.name.includes('-spare-'))?.id ?? id)
        : id,
  },
  'projects-half': { project: (n, eggs, by) => [every(n, 10) ? 0 : eggs, by] },
  'projects-to-another': { project: (n, eggs, by) => [eggs, every(n, 10) ? anotherOf(by) : by] },
};

/** @param {string} id of a hen or a container */
function anotherOf(id) {
  const kind = rowsOf('hen').has(id) ? 'hen' : 'container';
  return neighbour(kind, id).id;
}

const told = LIES[lie];
if (!told) throw new Error(`no lie "${lie}"`);
/** @type {Record<string, number>} */
const counts = {};
const counted = (/** @type {string} */ kind) => {
  counts[kind] = (counts[kind] ?? 0) + 1;
  return counts[kind];
};

/** @param {string} entity @param {string} of @param {string} id @returns {Row} */
function projectionOf(entity, of, id) {
  const known = [...rowsOf(entity).values()].find((row) => row[of] === id);
  if (known) return known;
  const made = { id: randomUUID(), [of]: id };
  rowsOf(entity).set(made.id, made);
  return made;
}

/** @param {Row} projection @param {Record<string, number>} more */
function grow(projection, more) {
  for (const [name, n] of Object.entries(more)) projection[name] = (projection[name] ?? 0) + n;
}

/** @param {string} entity @param {Row} row @param {boolean} underLoad */
function project(entity, row, underLoad) {
  const put = (/** @type {string} */ by) =>
    (underLoad && told.project?.(counted('project'), row.eggs, by)) || [row.eggs, by];
  const inventory = (/** @type {string} */ of, /** @type {string} */ total, /** @type {number} */ sign) => {
    const [eggs, id] = put(of);
    const one = projectionOf('container_inventory', 'container_id', id);
    for (const name of ['deposits', 'withdrawals', 'transfers_in', 'transfers_out'])
      grow(one, { [`total_${name}`]: 0 });
    grow(one, { [total]: eggs, current_eggs: sign * eggs });
  };
  if (entity === 'lay_report') {
    const [eggs, hen] = put(row.hen_id);
    grow(projectionOf('hen_productivity', 'hen_id', hen), { total_eggs: eggs });
    projectionOf('hen_productivity', 'hen_id', hen).quality_rate = 1;
    grow(projectionOf('farm_output', 'farm_id', row.farm_id), {
      ...{ eggs_today: row.eggs, eggs_week: row.eggs, eggs_month: row.eggs },
    });
  } else if (entity === 'storage_deposit') inventory(row.container_id, 'total_deposits', 1);
  else if (entity === 'storage_withdrawal') inventory(row.container_id, 'total_withdrawals', -1);
  else if (entity === 'container_transfer') {
    inventory(row.source_container_id, 'total_transfers_out', -1);
    inventory(row.dest_container_id, 'total_transfers_in', 1);
  }
}

/** @param {string} entity @param {Row} payload @param {boolean} underLoad @returns {string} its id */
function create(entity, payload, underLoad) {
  /** @type {Row} */
  const row = { ...payload, id: randomUUID() };
  const kept = underLoad && told.create ? told.create(counted('create'), entity, row) : [row];
  for (const { entity: into = entity, ...one } of kept) {
    rowsOf(into).set(one.id, one);
    project(into, one, underLoad);
  }
  return row.id;
}

/** @param {Row} row @param {string} name @returns {Row[]} */
function relatedTo(row, name) {
  const [entity, by, one] = RELATIONS[name];
  return [...rowsOf(entity).values()].filter((other) => (one ? other.id === row[by] : other[by] === row.id));
}

/** @param {Row} row @param {string[]} words of a selection, from behind its brace; taken away up to its end @returns {Row} */
function select(row, words) {
  /** @type {Row} */
  const all = {};
  for (let word = words.shift(); word !== '}'; word = words.shift()) {
    if (word === undefined) throw new Error('a selection without an end');
    if (words[0] !== '{') {
      all[word] = row[word] ?? null;
      continue;
    }
    words.shift();
    const below = words.slice(0, endOf(words));
    const found = relatedTo(row, word).map((other) => select(other, [...below]));
    words.splice(0, below.length);
    all[word] = RELATIONS[word][2] ? (found[0] ?? null) : found;
  }
  return all;
}

/** @param {string[]} words @returns {number} how many of them end the selection that has begun */
function endOf(words) {
  let depth = 1;
  for (const [n, word] of words.entries()) {
    if (word === '{') depth++;
    if (word === '}') depth--;
    if (depth === 0) return n + 1;
  }
  return words.length;
}

/** @param {string} entity @param {string} query @param {boolean} underLoad */
function graph(entity, query, underLoad) {
  const asked = /^\{ (?:(\w+): )?(\w+)(?:\(\w+: "([^"]*)"\))? (\{.*\}) \}$/.exec(query);
  if (!asked) return { errors: [{ message: `what is ${query}?` }] };
  const [, alias, root, argument = '', selection] = asked;
  const words = (selection.match(/[{}]|\w+/g) ?? []).slice(1);
  const answer = (/** @type {Row} */ row) => select(row, [...words]);
  const all = [...rowsOf(entity).values()];
  let found;
  if (root === 'getById') {
    const row = rowsOf(entity).get(argument);
    found = row ? answer(row) : null;
  } else found = all.filter((row) => root === 'getAll' || row[FILTERS[root]] === argument).map(answer);
  if (underLoad && told.answer) found = told.answer(found, { entity, root, argument, n: counted(root) });
  return { data: { [alias ?? root]: found } };
}

/** @param {string} method @param {string[]} path @param {any} body @param {boolean} underLoad @returns {[number, any]} */
function serve(method, [entity, kind, id], body, underLoad) {
  if (entity === 'ready' || entity === 'health') return [200, { status: 'ok', processor: { lag: 0 } }];
  if (kind === 'graph') return [200, graph(entity, body.query, underLoad)];
  const rows = rowsOf(entity);
  if (method === 'POST' && id === 'bulk')
    return [201, body.map((/** @type {Row} */ one) => ({ ...one, id: create(entity, one, underLoad) }))];
  if (method === 'POST') return [201, { ...body, id: create(entity, body, underLoad) }];
  if (!id) return [200, [...rows.values()]];
  const row = rows.get(id);
  if (!row) return [404, {}];
  if (method === 'DELETE') {
    const whom = underLoad && told.remove ? told.remove(counted('remove'), id) : id;
    if (whom) rows.delete(whom);
    return [200, { id }];
  }
  if (method === 'PUT') {
    const whom = underLoad && told.update ? told.update(counted('update'), id) : id;
    const { was: _, ...old } = row;
    if (whom) rows.set(whom, { ...body, id: whom, ...(lie === 'stale-read' ? { was: old } : {}) });
    return [200, { ...body, id }];
  }
  return [200, underLoad && told.read ? told.read(row, counted('read')) : row];
}

for (const entity of PROJECTIONS) rowsOf(entity);

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  const path = String(request.url).split('/').slice(1);
  const underLoad = request.headers['user-agent'] === undefined;
  const [status, body] = serve(
    String(request.method),
    path,
    text === '' ? null : JSON.parse(text),
    underLoad,
  );
  const said = JSON.stringify(body);
  const send = () =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(said) })
      .end(said);
  if (underLoad) setTimeout(send, ANSWER_MS);
  else send();
}).listen(Number(port), '127.0.0.1');
