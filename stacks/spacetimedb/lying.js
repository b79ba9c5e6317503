/**
 * What requests and messages of the server's API mean to a store that lies, for tests of the checks; see
 * `lib/e2e/live-server.js`.
 */

/** A reducer returns nothing. */
export const tells = false;

/** @type {Record<string, (args: any, store: any) => unknown>} */
const REDUCERS = {
  increment: ([key, by], store) => store.increment(key, by),
  create_message: ([author, body], store) => store.createMessage(author, body),
};

/** @type {[RegExp, (found: RegExpExecArray, store: any) => unknown[][]][]} the queries that the client asks */
const QUERIES = [
  [
    /^SELECT id, value FROM counter$/,
    (_, store) => store.counters().map((/** @type {any} */ c) => [c.key, c.value]),
  ],
  [
    /^SELECT id FROM message WHERE body = '(.*)'$/,
    ([, body], store) =>
      store
        .messages()
        .filter((/** @type {any} */ m) => m.body === body)
        .map((/** @type {any} */ m) => [m.id]),
  ],
  [
    /^SELECT COUNT\(\*\) AS n FROM message WHERE id > (\d+)$/,
    ([, from], store) => [[store.messages().filter((/** @type {any} */ m) => m.id > Number(from)).length]],
  ],
  [
    /^SELECT author, body FROM message WHERE id > (\d+) AND id <= (\d+)$/,
    ([, from, to], store) =>
      store
        .messages()
        .filter((/** @type {any} */ m) => m.id > Number(from) && m.id <= Number(to))
        .map((/** @type {any} */ m) => [m.author, m.body]),
  ],
];

/** @param {string} url @param {string} body @param {any} store */
export function answer(url, body, store) {
  if (url === '/v1/identity') return { status: 200, text: '{"identity":"0","token":"t"}' };
  const reducer = url.split('/call/')[1];
  try {
    if (reducer) {
      REDUCERS[reducer](JSON.parse(body), store);
      return { status: 200, text: '' };
    }
    for (const [query, rows] of QUERIES) {
      const found = query.exec(body);
      if (found) return { status: 200, text: JSON.stringify([{ schema: {}, rows: rows(found, store) }]) };
    }
    return { status: 400, text: `no such query: ${body}` };
  } catch (error) {
    return { status: 530, text: String(error) };
  }
}

/**
 * @param {any} store
 * @param {(text: string) => void} send
 * @param {{follow: (push: () => void) => void, tell: (oneself: boolean) => void}} others
 */
export function session(store, send, { follow, tell }) {
  send('{"IdentityToken":{"identity":"0","token":"t","connection_id":"0"}}');
  const push = () => {
    const { value, at } = store.news(0);
    send(
      `{"TransactionUpdateLight":{"request_id":0,"update":{"tables":[{"table_id":4096,"table_name":"counter","num_rows":1,"updates":[{"deletes":[],"inserts":["[0,${at * 1000},${value}]"]}]}]}}}`,
    );
  };
  return {
    take(/** @type {string} */ text) {
      const { Subscribe, CallReducer } = JSON.parse(text);
      if (Subscribe) {
        send('{"InitialSubscription":{"database_update":{"tables":[]},"request_id":0}}');
        follow(push);
      }
      if (!CallReducer) return;
      const { reducer, args, request_id } = CallReducer;
      let status = '{"Committed":{"tables":[]}}';
      try {
        REDUCERS[reducer](JSON.parse(args), store);
      } catch (error) {
        status = JSON.stringify({ Failed: String(error) });
      }
      send(
        `{"TransactionUpdate":{"status":${status},"timestamp":{"__timestamp_micros_since_unix_epoch__":1},"caller_identity":{"__identity__":"0x0"},"caller_connection_id":{"__connection_id__":0},"reducer_call":{"reducer_name":"${reducer}","reducer_id":1,"args":${JSON.stringify(args)},"request_id":${request_id}},"energy_quanta_used":{"quanta":0},"total_host_execution_duration":{"__time_duration_micros__":1}}}`,
      );
      if (reducer === 'increment' && JSON.parse(args)[0] === 0) tell(false);
    },
  };
}
