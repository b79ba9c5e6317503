import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

/**
 * Who answers at an address of MongoDB's protocol: several products speak it, of unlike promises.
 *
 *   MONGO_URI=mongodb://host:port node database.js     prints {"product": …, "version": …}, or null
 */

const TIMEOUT_MS = 3000;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Largest answer that is read; that of MongoDB has 3 kB. */
const MAX_BYTES = 1 << 20;

/**
 * @typedef {object} Answerer
 * @property {string | null} product null: it does not say
 * @property {string | null} version of the product; of one that does not say what it is, the version of MongoDB that it claims
 */

/**
 * @param {string} uri `mongodb://host:port`; one that needs DNS records or TLS is not asked
 * @returns {Promise<Answerer | null>} null: no answer, or one that is not understood
 */
export async function askMongo(uri) {
  const where = addressIn(uri);
  if (!where) return null;
  try {
    return answererOf(await buildInfo(where));
  } catch {
    return null;
  }
}

/**
 * @param {string} uri
 * @returns {{host: string, port: number} | null} of the first server that it names
 */
export function addressIn(uri) {
  const found = /^mongodb:\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:,/?]+)(?::(\d+))?/.exec(uri);
  if (!found || /[?&](tls|ssl)=true/i.test(uri)) return null;
  return { host: found[1].replace(/^\[|\]$/g, ''), port: Number(found[2] ?? 27017) };
}

/**
 * @param {Record<string, unknown>} info answer to `buildInfo`
 * @returns {Answerer}
 */
export function answererOf(info) {
  const text = (/** @type {unknown} */ value) =>
    typeof value === 'string' && /^v?\d/.test(value) ? value.replace(/^v/, '') : null;
  if ('ferretdbVersion' in info || 'ferretdb' in info) {
    const own = /** @type {any} */ (info.ferretdb)?.version ?? info.ferretdbVersion;
    return { product: 'FerretDB', version: text(own) };
  }
  const isMongo = /^[0-9a-f]{40}$/.test(String(info.gitVersion)) && 'storageEngines' in info;
  return { product: isMongo ? 'MongoDB' : null, version: text(info.version) };
}

/**
 * @param {{host: string, port: number}} where
 * @returns {Promise<Record<string, unknown>>}
 */
function buildInfo(where) {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...where, timeout: TIMEOUT_MS });
    let got = Buffer.alloc(0);
    socket.once('connect', () => socket.write(question()));
    socket.on('data', (data) => {
      got = Buffer.concat([got, data]);
      const size = got.length >= 4 ? got.readInt32LE(0) : MAX_BYTES;
      if (got.length < Math.min(size, MAX_BYTES)) return;
      socket.destroy();
      try {
        // Behind the header: four bytes of flags, one that says that a document follows.
        resolve(fieldsOf(got.subarray(HEADER_BYTES + 5, size)));
      } catch (error) {
        reject(error);
      }
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}

/** @returns {Buffer} `{buildInfo: 1, $db: 'admin'}` as a message */
function question() {
  const fields = Buffer.from('\x10buildInfo\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0\0', 'latin1');
  const message = Buffer.alloc(HEADER_BYTES + 5 + 4);
  const size = message.length + fields.length;
  for (const [at, value] of [size, 1, 0, OP_MSG, 0].entries()) message.writeInt32LE(value, at * 4);
  message.writeInt32LE(fields.length + 4, HEADER_BYTES + 5);
  return Buffer.concat([message, fields]);
}

/** Bytes of the values of BSON whose size is fixed, by type. @type {Readonly<Record<number, number>>} */
const SIZES = Object.freeze({ 1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16 });
const [STRING, DOCUMENT, ARRAY, BINARY] = [2, 3, 4, 5];

/**
 * @param {Buffer} document BSON
 * @returns {Record<string, unknown>} its strings and the strings of documents in it; of other fields that they are there
 */
function fieldsOf(document) {
  /** @type {Record<string, unknown>} */
  const fields = {};
  const end = document.readInt32LE(0) - 1;
  let at = 4;
  while (at < end) {
    const type = document[at];
    const zero = document.indexOf(0, at + 1);
    const name = document.toString('utf8', at + 1, zero);
    at = zero + 1;
    const size = type in SIZES ? SIZES[type] : document.readInt32LE(at);
    if (type === STRING) fields[name] = document.toString('utf8', at + 4, at + 3 + size);
    else if (type === DOCUMENT) fields[name] = fieldsOf(document.subarray(at, at + size));
    else if (type === ARRAY || type === BINARY || type in SIZES) fields[name] = true;
    else throw new Error(`a field of type ${type}`);
    at += size + (type === STRING ? 4 : type === BINARY ? 5 : 0);
  }
  return fields;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(await askMongo(process.env.MONGO_URI ?? '')));
