/** Counters and messages in memory that lie to the load alone; whoever looks at the state afterwards is told what is stored. */

/** @typedef {{id: number, author: number, body: string}} Message */

/** So many operations of the load there are for each lie. */
const EVERY = 10;
/** Those of the checks before the load are beyond it, and shorter. */
const PROBES_FROM = 4_000_000;
const BODY = 100;

/**
 * @param {string} lie `none` for a store that does not lie
 * @returns the operations of a store, and what the load is told by them
 */
export function lyingLive(lie) {
  /** @type {Map<number, {value: number, at: number}>} */
  const counters = new Map();
  /** @type {Message[]} */
  const messages = [];
  let operations = 0;
  let pushes = 0;
  /** @type {(() => void) | null} what is done when the next operation comes */
  let held = null;
  /** @type {{author: number, body: string} | null} */
  let before = null;

  const turn = () => ++operations % EVERY === 0;
  const stored = (/** @type {number} */ key) => counters.get(key)?.value ?? 0;
  const add = (/** @type {number} */ key, /** @type {number} */ by) =>
    counters.set(key, { value: stored(key) + by, at: Date.now() });
  const store = (/** @type {number} */ author, /** @type {string} */ body) =>
    messages.push({ id: messages.length + 1, author, body });
  const next = (/** @type {number} */ key) => key ^ 1;

  /** Lies about what is stored of an increment. @type {Record<string, (key: number) => void>} */
  const increments = {
    'increment-lost': () => {},
    'increment-to-another': (key) => add(next(key), 1),
    'increment-doubled': (key) => add(key, 2),
  };
  /** Lies about what is stored of a message. @type {Record<string, (author: number, body: string) => void>} */
  const writes = {
    'message-lost': () => {},
    'message-replaced': (author, body) => store(author, invented(body)),
    'message-another-twice'(author, body) {
      store(before?.author ?? author, before?.body ?? body);
    },
    'message-cut': (author, body) => store(author, body.slice(0, -7)),
    'message-text': (author, body) => store(author, `${body.slice(0, -1)}${body.endsWith('x') ? 'y' : 'x'}`),
    'message-author': (author, body) => store(author + 1, body),
    'message-authors-swapped'(author, body) {
      const last = messages[messages.length - 1];
      store(last.author === author ? author + 1 : last.author, body);
      last.author = author;
    },
    'message-texts-swapped'(author, body) {
      const last = messages[messages.length - 1];
      store(author, `${body.slice(0, 36)}${last.body.slice(36)}`);
      last.body = `${last.body.slice(0, 36)}${body.slice(36)}`;
    },
  };
  /** Lies in replies to increments. @type {Record<string, (key: number, value: number) => number>} */
  const told = {
    'told-constant': () => 0,
    'told-another': (key) => stored(next(key)),
    'told-before': (_, value) => value - 20,
    'told-more': (_, value) => value + 1000,
  };
  /** Lies in pushes. @type {Record<string, (value: number) => number>} */
  const pushed = {
    'pushed-more': (value) => value + 100_000,
    'pushed-again': (value) => Math.max(0, value - 500),
  };

  return {
    /** @param {number} key @param {number} by @returns {number} what the caller is told */
    increment(key, by) {
      if (!Number.isInteger(by) || by < 1) throw new Error('by must be at least 1');
      if (key >= PROBES_FROM) {
        add(key, by);
        return stored(key);
      }
      if (lie === 'increment-last') {
        held?.();
        held = () => add(key, by);
        return stored(key) + by;
      }
      const isTurn = turn();
      if (isTurn && increments[lie]) increments[lie](key);
      else add(key, by);
      const value = stored(key);
      return isTurn && told[lie] ? told[lie](key, value) : value;
    },
    /** @param {number} author @param {string} body @returns {string} a name of its own */
    createMessage(author, body) {
      if (body === '') throw new Error('body must not be empty');
      if (body.length < BODY) store(author, body);
      else if (lie === 'message-last') {
        held?.();
        held = () => store(author, body);
      } else if (turn() && writes[lie]) writes[lie](author, body);
      else store(author, body);
      before = { author, body };
      return `m${messages.length}`;
    },
    /** @param {number} key @returns {{value: number, at: number}} what a subscriber is told, and since when, epoch ms */
    news(key) {
      const { value, at } = counters.get(key) ?? { value: 0, at: Date.now() };
      return { value: pushed[lie] && ++pushes % EVERY === 0 ? pushed[lie](value) : value, at };
    },
    counters: () => [...counters].map(([key, { value }]) => ({ key, value })),
    messages: () => messages,
  };
}

/** @param {string} body @returns {string} one of that length that nobody sent */
function invented(body) {
  const digits = (/** @type {number} */ n) => Math.random().toString(16).slice(2).padEnd(n, '0').slice(0, n);
  return `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}${body.slice(36)}`;
}
