import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';

/** Reading the committed dashboards as Grafana does: for tests only. */

export const GRAFANA = join(ROOT, 'stacks', '_shared', 'grafana');

/** Databases behind the data sources. */
export const DATABASES = Object.freeze({ 'ladderbench-k6': 'k6', 'ladderbench-cadvisor': 'cadvisor' });

/** The login of the data sources; an InfluxDB without logins ignores it. */
export const READER = 'u=grafana&p=read-only';

/** @returns {{file: string, board: any}[]} */
export function dashboards() {
  const folder = join(GRAFANA, 'dashboards');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, board: JSON.parse(readFileSync(join(folder, file), 'utf8')) }));
}

/**
 * @typedef {object} DashboardQuery
 * @property {string} where for messages
 * @property {string} uid of the data source
 * @property {string} text with Grafana's variables
 */

/**
 * @param {any} board
 * @returns {DashboardQuery[]} of its panels and annotations, and not of its variables
 */
export function queriesOf(board) {
  const panels = board.panels.flatMap((/** @type {any} */ panel) =>
    (panel.targets ?? []).map((/** @type {any} */ t) => ({
      where: `${board.title} / ${panel.title} / ${t.refId}`,
      uid: t.datasource.uid,
      text: t.query,
    })),
  );
  const annotations = board.annotations.list.map((/** @type {any} */ a) => ({
    where: `${board.title} / annotation ${a.name}`,
    uid: a.datasource.uid,
    text: a.target.query,
  }));
  return [...panels, ...annotations];
}

/**
 * @typedef {object} Answer
 * @property {string} where for messages
 * @property {string} text as it was asked
 * @property {number} rows that hold something
 * @property {string[]} values of their first column
 * @property {string | null} error
 */

/**
 * @typedef {(origin: string, query: DashboardQuery, values: Record<string, string>) => Promise<Answer>} Ask `values` of the
 *   board's variables
 */

/**
 * Grafana's own order: the variables one after another, then everything else with their values.
 * @param {string} origin of an InfluxDB, `http://host:port`
 * @param {any} board
 * @param {Record<string, string>} [chosen] values of single-valued variables, in place of the first one
 * @param {Ask} [ask] the server that is asked: InfluxDB itself, or Grafana for it
 * @returns {Promise<Answer[]>} one for each query
 */
export async function askAll(origin, board, chosen = {}, ask = askInflux) {
  /** @type {Record<string, string>} */
  const values = {};
  const answers = [];
  for (const variable of board.templating.list) {
    const query = {
      where: `${board.title} / variable $${variable.name}`,
      uid: variable.datasource.uid,
      text: variable.query,
    };
    const answer = await ask(origin, query, values);
    answers.push(answer);
    values[variable.name] = answerOf(variable, answer.values, chosen[variable.name]);
  }
  for (const query of queriesOf(board)) answers.push(await ask(origin, query, values));
  return answers;
}

/**
 * @param {any} variable
 * @param {string[]} options
 * @param {string} [chosen]
 * @returns {string} as Grafana puts it into a regular expression
 */
function answerOf(variable, options, chosen) {
  const literal = (/** @type {string} */ text) => text.replace(/[\\^$*+?.()|[\]{}/]/g, '\\$&');
  if (variable.includeAll) return `(${options.map(literal).join('|')})`;
  const sorted = [...options].sort();
  return literal(chosen ?? (variable.sort === 2 ? sorted.reverse() : sorted)[0] ?? '');
}

/**
 * @param {string} text
 * @param {Record<string, string>} values
 */
export function fillIn(text, values) {
  const known = { ...values, timeFilter: 'time >= now() - 1h and time <= now()', __interval: '1s' };
  return text.replace(/\$(\w+)/g, (whole, name) => known[/** @type {keyof typeof known} */ (name)] ?? whole);
}

/** @type {Ask} */
async function askInflux(origin, { where, uid, text }, values) {
  const filled = fillIn(text, values);
  const database = DATABASES[/** @type {keyof typeof DATABASES} */ (uid)];
  const url = `${origin}/query?${READER}&db=${database}&epoch=ms&q=${encodeURIComponent(filled)}`;
  const { results, error } = /** @type {any} */ (await (await fetch(url)).json());
  /** @type {any[][]} */
  const rows = (results?.[0]?.series ?? []).flatMap((/** @type {any} */ s) => s.values ?? []);
  const told = rows.filter((row) => row.slice(1).some((cell) => cell !== null));
  return {
    where,
    text: filled,
    rows: told.length,
    values: [...new Set(told.map((row) => String(row[1])))],
    error: error ?? results?.[0]?.error ?? null,
  };
}

/**
 * @param {string} origin of an InfluxDB, `http://host:port`
 * @param {string} workload
 * @returns {Promise<string>} an operation with a figure that may be shown: on a busy machine the window of another one may be
 *   INVALID, and the comparison leaves that out
 */
export async function shownOperation(origin, workload) {
  const query = `SELECT rate_per_sec, op FROM run_result WHERE "verdict" <> 'INVALID' AND "role" = 'system' AND "workload" = '${workload}'`;
  const answer = await fetch(`${origin}/query?${READER}&db=k6&q=${encodeURIComponent(query)}`);
  const { results } = /** @type {any} */ (await answer.json());
  return results[0].series?.[0].values[0][2] ?? 'increment';
}
