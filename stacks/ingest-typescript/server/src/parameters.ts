import { isId, isName } from './event.js';
import { PAGE_DEFAULT, PAGE_EVENTS, STATS_MINUTES, STATS_MINUTES_DEFAULT } from './limits.js';
import { Problem } from './problem.js';
import { parseCursor, type Query } from './reader.js';
import { parseTimestamp } from './timestamp.js';

const CURSOR = /^[0-9a-f]{32}$/;
const COUNT = /^[1-9][0-9]{0,3}$/;
const SEQUENCE = /^[0-9]{1,16}$/;

function refuse(name: string, what: string): Problem {
  return new Problem('invalid-parameter', `${name} ${what}`);
}

/** @returns each parameter once */
function taken(search: string, names: string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!names.includes(name)) throw refuse(name, 'is no parameter of the contract');
    if (found.has(name)) throw refuse(name, 'is given twice');
    found.set(name, value);
  }
  return found;
}

function nameOf(found: Map<string, string>, parameter: string): string | undefined {
  const value = found.get(parameter);
  if (value !== undefined && !isName(value))
    throw refuse(parameter, 'must be 1 to 128 letters, digits or . _ : / @ -');
  return value;
}

function timeOf(found: Map<string, string>, parameter: string): number | undefined {
  const value = found.get(parameter);
  if (value === undefined) return undefined;
  const time = parseTimestamp(value);
  if (Number.isNaN(time)) throw refuse(parameter, 'must be an RFC 3339 date and time');
  return time;
}

function countOf(found: Map<string, string>, parameter: string, most: number, otherwise: number): number {
  const value = found.get(parameter);
  if (value === undefined) return otherwise;
  if (!COUNT.test(value) || Number(value) > most) throw refuse(parameter, `must be 1 to ${most}`);
  return Number(value);
}

/** @throws {Problem} invalid-parameter */
export function pageQuery(search: string): Query {
  const found = taken(search, ['source', 'type', 'session', 'since', 'until', 'limit', 'cursor']);
  const cursor = found.get('cursor');
  if (cursor !== undefined && !CURSOR.test(cursor))
    throw refuse('cursor', 'must be the nextCursor of a page');
  return {
    source: nameOf(found, 'source'),
    type: nameOf(found, 'type'),
    session: nameOf(found, 'session'),
    since: timeOf(found, 'since'),
    until: timeOf(found, 'until'),
    cursor: cursor === undefined ? undefined : parseCursor(cursor),
    limit: countOf(found, 'limit', PAGE_EVENTS, PAGE_DEFAULT),
  };
}

/** @throws {Problem} invalid-parameter */
export function statsMinutes(search: string): number {
  return countOf(taken(search, ['minutes']), 'minutes', STATS_MINUTES, STATS_MINUTES_DEFAULT);
}

/** @throws {Problem} invalid-parameter */
export function noParameters(search: string): void {
  taken(search, []);
}

/**
 * @param segment of the path, still percent-encoded
 * @throws {Problem} invalid-parameter
 */
export function idOf(segment: string): string {
  let id = '';
  try {
    id = decodeURIComponent(segment);
  } catch {
    // Not percent-encoded UTF-8, so no UUID either.
  }
  if (!isId(id)) throw refuse('id', 'must be a UUID');
  return id;
}

/** @throws {Problem} invalid-parameter */
export function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const sequence = SEQUENCE.test(header) ? Number(header) : Number.NaN;
  if (!Number.isSafeInteger(sequence)) throw refuse('Last-Event-ID', 'must be the sequence of an event');
  return sequence;
}
