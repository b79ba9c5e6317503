import { BATCH_EVENTS, PAYLOAD_DEPTH } from './limits.js';
import { Problem } from './problem.js';
import { formatTimestamp, parseTimestamp } from './timestamp.js';

/** A valid event in the form in which it is stored. */
export interface Row {
  /** In lower case, with hyphens. */
  id: string;
  /** ms since 1970-01-01T00:00:00Z. */
  timestamp: number;
  source: string;
  session: string;
  type: string;
  /** Index in LEVELS. */
  level: number;
  /** JSON on one line. */
  payload: string;
}

export interface StoredRow extends Row {
  sequence: number;
}

export const LEVELS = ['debug', 'info', 'warning', 'error'];
const FIELDS = ['id', 'timestamp', 'source', 'session', 'type', 'level', 'payload'] as const;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NAME = /^[A-Za-z0-9._:/@-]{1,128}$/;
const LONE_SURROGATE = 'holds a lone surrogate';

export function isId(text: string): boolean {
  return ID.test(text);
}

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** @returns one segment of a JSON Pointer */
function segment(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns what is wrong with a value of a payload, null where nothing is; `depth` counts the value's own level */
function payloadFault(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : LONE_SURROGATE;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number out of range';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > PAYLOAD_DEPTH) return `is deeper than ${PAYLOAD_DEPTH} levels`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = payloadFault(item, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const key in value) {
    if (!key.isWellFormed()) return LONE_SURROGATE;
    const fault = payloadFault((value as Record<string, unknown>)[key], depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** @returns what is wrong with one field, null where nothing is */
function faultOf(field: string, value: unknown): string | null {
  switch (field) {
    case 'id':
      return typeof value === 'string' && ID.test(value) ? null : 'must be a UUID';
    case 'timestamp':
      return typeof value === 'string' && !Number.isNaN(parseTimestamp(value))
        ? null
        : 'must be an RFC 3339 date and time';
    case 'source':
    case 'session':
    case 'type':
      return typeof value === 'string' && NAME.test(value)
        ? null
        : 'must be 1 to 128 letters, digits or . _ : / @ -';
    case 'level':
      return LEVELS.includes(value as string) ? null : `must be one of ${LEVELS.join(', ')}`;
    case 'payload':
      return isObject(value) ? payloadFault(value, 1) : 'must be an object';
    default:
      return 'is no field of the contract';
  }
}

/** @returns the first fault of an event, as a problem */
function problemIn(value: unknown, pointer: string): Problem {
  if (!isObject(value)) return new Problem('invalid-event', 'an event must be an object', pointer);
  for (const [field, content] of Object.entries(value)) {
    const fault = faultOf(field, content);
    if (fault !== null) return new Problem('invalid-event', `${field} ${fault}`, pointer + segment(field));
  }
  const missing = FIELDS.find((field) => !Object.hasOwn(value, field));
  return new Problem('invalid-event', `${missing} is missing`, pointer + segment(missing ?? ''));
}

/**
 * Straight line for what is valid; only what is not goes through `problemIn`, which finds out where and why.
 * @param pointer JSON Pointer of the event
 * @throws {Problem} invalid-event
 */
export function rowOf(value: unknown, pointer = ''): Row {
  if (isObject(value)) {
    const { id, timestamp, source, session, type, level, payload } = value;
    let fields = 0;
    for (const _ in value) fields++;
    if (
      fields === FIELDS.length &&
      typeof id === 'string' &&
      ID.test(id) &&
      typeof timestamp === 'string' &&
      typeof source === 'string' &&
      NAME.test(source) &&
      typeof session === 'string' &&
      NAME.test(session) &&
      typeof type === 'string' &&
      NAME.test(type) &&
      isObject(payload) &&
      payloadFault(payload, 1) === null
    ) {
      const ms = parseTimestamp(timestamp);
      const rank = LEVELS.indexOf(level as string);
      if (!Number.isNaN(ms) && rank >= 0) {
        return {
          id: id.toLowerCase(),
          timestamp: ms,
          source,
          session,
          type,
          level: rank,
          payload: JSON.stringify(payload),
        };
      }
    }
  }
  throw problemIn(value, pointer);
}

/** @throws {Problem} invalid-event, at the first event that is not valid */
export function rowsOf(body: unknown): Row[] {
  if (!isObject(body)) throw new Problem('invalid-event', 'a batch must be an object', '');
  const unknown = Object.keys(body).find((key) => key !== 'events');
  if (unknown !== undefined)
    throw new Problem('invalid-event', `${unknown} is no field of the contract`, segment(unknown));
  const { events } = body;
  if (events === undefined) throw new Problem('invalid-event', 'events is missing', '/events');
  if (!Array.isArray(events)) throw new Problem('invalid-event', 'events must be an array', '/events');
  if (events.length < 1 || events.length > BATCH_EVENTS)
    throw new Problem('invalid-event', `a batch holds 1 to ${BATCH_EVENTS} events`, '/events');
  const rows = new Array<Row>(events.length);
  for (let i = 0; i < events.length; i++) {
    rows[i] = rowOf(events[i], `/events/${i}`);
  }
  return rows;
}

/** @returns a stored event as JSON. Names and ids need no escapes, and the payload is JSON already. */
export function eventJson(row: Row, sequence: number): string {
  return `{"sequence":${sequence},"id":"${row.id}","timestamp":"${formatTimestamp(row.timestamp)}","source":"${row.source}","session":"${row.session}","type":"${row.type}","level":"${LEVELS[row.level]}","payload":${row.payload}}`;
}
