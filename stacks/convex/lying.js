/**
 * What requests and messages of the backend's API mean to a store that lies, for tests of the checks; see
 * `lib/e2e/live-server.js`. Numbers are doubles, as the backend has them.
 */

/** An increment is answered with the counter's new value. */
export const tells = true;

/** @param {number} n @returns {string} */
const double = (n) => `${n}.0`;

/** @type {Record<string, (args: any, store: any) => string>} functions by name; the result as JSON */
const FUNCTIONS = {
  increment: ({ name, by }, store) => double(store.increment(Number(name.slice(1)), by)),
  createMessage: ({ author, body }, store) => JSON.stringify(store.createMessage(author, body)),
  counters: (_, store) =>
    page(store.counters().map((/** @type {any} */ c) => `{"name":"c${c.key}","value":${double(c.value)}}`)),
  newestMessage: (_, store) => double(store.messages().length),
  messagesAfter: ({ moment }, store) =>
    page(
      store
        .messages()
        .filter((/** @type {any} */ m) => m.id > moment)
        .map((/** @type {any} */ m) => `{"author":${double(m.author)},"body":${JSON.stringify(m.body)}}`),
    ),
};

/** @param {string[]} rows */
const page = (rows) => `{"continueCursor":"end","isDone":true,"rows":[${rows.join(',')}]}`;

/** @param {string} path `workload:NAME` @param {any} args @param {any} store */
const call = (path, args, store) => FUNCTIONS[path.split(':')[1]](args, store);

/** @param {string} _url @param {string} body @param {any} store */
export function answer(_url, body, store) {
  const { path, args } = JSON.parse(body);
  try {
    return { status: 200, text: `{"status":"success","value":${call(path, args, store)},"logLines":[]}` };
  } catch (error) {
    return { status: 200, text: JSON.stringify({ status: 'error', errorMessage: String(error) }) };
  }
}

/**
 * @param {any} store
 * @param {(text: string) => void} send
 * @param {{follow: (push: () => void) => void, tell: (oneself: boolean) => void}} others
 */
export function session(store, send, { follow, tell }) {
  const transition = (/** @type {string} */ modifications) =>
    send(`{"type":"Transition","modifications":[${modifications}]}`);
  const push = () => {
    const { value, at } = store.news(0);
    const counter = `{"name":"c0","updatedAt":${double(at)},"value":${double(value)}}`;
    transition(`{"type":"QueryUpdated","queryId":0,"value":${counter},"logLines":[]}`);
  };
  return {
    take(/** @type {string} */ text) {
      const message = JSON.parse(text);
      if (message.type === 'ModifyQuerySet') {
        transition('');
        if (message.modifications.length > 0) follow(push);
      }
      if (message.type !== 'Mutation') return;
      const { requestId, udfPath, args } = message;
      const reply = (/** @type {boolean} */ success, /** @type {string} */ result) =>
        send(
          `{"type":"MutationResponse","requestId":${requestId},"success":${success},"result":${result},"ts":"AAAAAAAAAAA=","logLines":[]}`,
        );
      try {
        reply(true, call(udfPath, args[0], store));
        if (args[0].name === 'c0') tell(true);
      } catch (error) {
        reply(false, JSON.stringify(String(error)));
      }
    },
  };
}
