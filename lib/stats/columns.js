import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { addCounts, addTo, encodeCounts, noCounts } from './counts.js';

/** @import { Counts } from './counts.js' */

/**
 * Many files of few kinds as columns: what stands at one place of all files of a kind lies side by side, numbers as
 * whole numbers or the differences of these, histograms as the counts of their buckets, all in one stream of Brotli. Every
 * file comes back byte for byte; one that is not JSON as `JSON.stringify` writes it is kept as it is.
 */

const MAGIC = Buffer.from('columns1');
/** What it may expand to, times its size: ours to about thirty. */
const MAX_EXPANSION = 400;
const MAX_DEPTH = 64;
/** Each place of an array up to this length is a column of its own. */
const TUPLE = 4;
/** What the text of every histogram begins with. */
const HISTOGRAM_HEAD = 'HISTFA';
const MAX_DIGITS = 9;
/** Twice that is still exact. */
const MAX_WHOLE = 2 ** 51;
const DOUBLES = 255;

const [NULL, FALSE, TRUE, NUMBER, TEXT, BYTES, HISTOGRAM, ARRAY, OBJECT] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const PLAIN = new Map([
  [null, NULL],
  [false, FALSE],
  [true, TRUE],
]);

/** How the value of a file is written. @type {((value: any) => string)[]} */
const FORMATS = [
  (value) => JSON.stringify(value),
  (value) => `${JSON.stringify(value, null, 2)}\n`,
  (values) => values.map((/** @type {any} */ v) => `${JSON.stringify(v)}\n`).join(''),
];
const LINES = 2;
const AS_IT_IS = FORMATS.length;

/**
 * One place in the files of a kind, and all that stands there in their order.
 * @typedef {object} Place
 * @property {number[]} tags what each value is
 * @property {number[]} numbers
 * @property {string[]} texts
 * @property {Buffer[]} bytes whole files that are kept as they are
 * @property {Counts[]} histograms
 * @property {number[]} lengths of arrays
 * @property {number[]} shapes of objects: which of `names` each has
 * @property {string[]} names the lists of names that objects have, as JSON
 * @property {Map<string, Place>} fields
 * @property {Map<number, Place>} items by place in a tuple; those of longer arrays together
 */

/** @returns {Place} */
function newPlace() {
  return {
    ...{ tags: [], numbers: [], texts: [], bytes: [], histograms: [], lengths: [], shapes: [] },
    names: [],
    ...{ fields: new Map(), items: new Map() },
  };
}

/**
 * @param {Map<string, Buffer>} files content by name
 * @returns {Buffer} the same for the same files
 */
export function packColumns(files) {
  /** @type {Map<string, string[]>} */
  const kinds = new Map();
  for (const name of [...files.keys()].sort()) {
    const kind = kindOf(name);
    kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
  }
  const stream = createWriter();
  for (const [, names] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const root = newPlace();
    const formats = names.map((name) => addFile(root, /** @type {Buffer} */ (files.get(name))));
    const part = createWriter();
    part.block(Buffer.from(JSON.stringify(names.map((name, i) => [name, formats[i]]))));
    writePlace(part, root);
    stream.block(part.end());
  }
  const plain = stream.end();
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    // Small blocks: what stands in a column differs from what stands in the next one.
    [constants.BROTLI_PARAM_LGBLOCK]: 17,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  };
  return Buffer.concat([MAGIC, brotliCompressSync(plain, { params })]);
}

/**
 * @param {Buffer} packed from a file, which may come from elsewhere
 * @param {(name: string) => boolean} [wanted] only these
 * @returns {{name: string, content: Buffer}[]} names may be anything
 * @throws {Error} when it is nothing that was packed here, or expands to more than that ever would
 */
export function unpackColumns(packed, wanted = () => true) {
  if (!packed.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('it does not begin as one of ours');
  const most = Math.max(1 << 20, packed.length * MAX_EXPANSION);
  const budget = { left: most };
  const stream = createReader(brotliDecompressSync(packed.subarray(MAGIC.length), { maxOutputLength: most }));
  const files = [];
  while (!stream.isAtEnd()) {
    const part = createReader(stream.block());
    const names = namesIn(part.block());
    if (!names.some(([name]) => wanted(name))) continue;
    const values = readPlace(part, 0, budget);
    for (const [name, format] of names) {
      const value = values();
      if (wanted(name)) files.push({ name, content: contentOf(value, format) });
    }
  }
  return files;
}

/**
 * @param {Buffer} text
 * @returns {[string, number][]} name and format of each file of a kind
 */
function namesIn(text) {
  const names = JSON.parse(String(text));
  const isName = (/** @type {any} */ n) =>
    Array.isArray(n) && typeof n[0] === 'string' && Number.isInteger(n[1]);
  if (!Array.isArray(names) || !names.every(isName)) throw new Error('it has no names');
  return names;
}

/**
 * @param {string} name
 * @returns {string} files of a kind have the same folder and the same last words, numbers of repeats apart
 */
function kindOf(name) {
  const at = name.lastIndexOf('/') + 1;
  const [, words = ''] = /(?:^|\.)((?:[a-z-]+\.)?[a-z]+)$/i.exec(name.slice(at)) ?? [];
  return `${name.slice(0, at)} ${words}`;
}

/**
 * @param {Place} root
 * @param {Buffer} content
 * @returns {number} the format that it comes back in
 */
function addFile(root, content) {
  const text = content.toString();
  const isText = Buffer.from(text).equals(content);
  const format = isText ? FORMATS.findIndex((_, i) => isWrittenSo(text, i)) : -1;
  if (format >= 0) addValue(root, valueIn(text, format));
  else {
    root.tags.push(BYTES);
    root.bytes.push(content);
  }
  return format >= 0 ? format : AS_IT_IS;
}

/** @param {string} text @param {number} format */
function valueIn(text, format) {
  if (format !== LINES) return JSON.parse(text);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** @param {string} text @param {number} format */
function isWrittenSo(text, format) {
  try {
    const value = valueIn(text, format);
    // No object that is put together again has a field of that name.
    return FORMATS[format](value) === text && !text.includes('"__proto__"') && depthOf(value) < MAX_DEPTH;
  } catch {
    return false;
  }
}

/** @param {any} value @returns {number} */
function depthOf(value) {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((most, inner) => Math.max(most, depthOf(inner)), 0);
}

/** @param {any} value @param {number} format */
function contentOf(value, format) {
  if (format === AS_IT_IS && Buffer.isBuffer(value)) return value;
  if (!FORMATS[format] || (format === LINES && !Array.isArray(value))) throw new Error('a file of no format');
  return Buffer.from(FORMATS[format](value));
}

/**
 * @param {Place} place
 * @param {any} value
 */
function addValue(place, value) {
  const plain = PLAIN.get(value);
  if (plain !== undefined) place.tags.push(plain);
  else if (typeof value === 'number') {
    place.tags.push(NUMBER);
    place.numbers.push(value);
  } else if (typeof value === 'string') {
    const histogram = value.startsWith(HISTOGRAM_HEAD) ? histogramIn(value) : null;
    place.tags.push(histogram ? HISTOGRAM : TEXT);
    if (histogram) place.histograms.push(histogram);
    else place.texts.push(value);
  } else if (Array.isArray(value)) {
    place.tags.push(ARRAY);
    place.lengths.push(value.length);
    value.forEach((item, i) => {
      addValue(inner(place.items, itemOf(value.length, i)), item);
    });
  } else {
    const names = JSON.stringify(Object.keys(value));
    place.tags.push(OBJECT);
    let shape = place.names.indexOf(names);
    if (shape < 0) shape = place.names.push(names) - 1;
    place.shapes.push(shape);
    for (const [name, field] of Object.entries(value)) addValue(inner(place.fields, name), field);
  }
}

/**
 * @param {string} data
 * @returns {Counts | null} null where the same text does not come of them
 */
function histogramIn(data) {
  const counts = noCounts();
  try {
    addCounts(counts, { encoding: '', unit: '', data });
  } catch {
    return null;
  }
  return encodeCounts(counts).data === data ? counts : null;
}

/** @param {number} length @param {number} i */
function itemOf(length, i) {
  return length <= TUPLE ? i : TUPLE;
}

/**
 * @template K
 * @param {Map<K, Place>} places
 * @param {K} key
 */
function inner(places, key) {
  let place = places.get(key);
  if (!place) {
    place = newPlace();
    places.set(key, place);
  }
  return place;
}

/**
 * @param {ReturnType<typeof createWriter>} to
 * @param {Place} place
 */
function writePlace(to, place) {
  to.block(Buffer.from(place.tags));
  if (place.numbers.length > 0) to.block(packNumbers(place.numbers));
  if (place.texts.length > 0) {
    const texts = [...new Set(place.texts)];
    const at = new Map(texts.map((text, i) => [text, i]));
    to.block(Buffer.from(JSON.stringify(texts)));
    to.block(packNumbers(place.texts.map((text) => /** @type {number} */ (at.get(text)))));
  }
  for (const bytes of place.bytes) to.block(bytes);
  if (place.histograms.length > 0) {
    const full = place.histograms.map(({ counts }) => [...counts.keys()].filter((i) => counts[i] > 0));
    to.block(packNumbers(place.histograms.map((h) => Number(h.highest))));
    to.block(packNumbers(full.map((buckets) => buckets.length)));
    to.block(
      packNumbers(full.flatMap((buckets) => buckets.map((at, i) => at - (i > 0 ? buckets[i - 1] : 0)))),
    );
    to.block(packNumbers(place.histograms.flatMap(({ counts }, i) => full[i].map((at) => counts[at]))));
  }
  if (place.lengths.length > 0) {
    to.block(packNumbers(place.lengths));
    to.block(Buffer.from([...place.items.keys()]));
    for (const item of place.items.values()) writePlace(to, item);
  }
  if (place.shapes.length > 0) {
    to.block(Buffer.from(`[${place.names.join()}]`));
    to.block(packNumbers(place.shapes));
    for (const field of place.fields.values()) writePlace(to, field);
  }
}

/**
 * @param {ReturnType<typeof createReader>} from
 * @param {number} depth
 * @param {{left: number}} budget bytes that all values together may have as text
 * @returns {() => any} gives one value after the other
 */
function readPlace(from, depth, budget) {
  if (depth > MAX_DEPTH) throw new Error('it is nested too deep');
  const spend = (/** @type {number} */ size) => {
    budget.left -= size;
    if (budget.left < 0) throw new Error(`it expands to more than ${MAX_EXPANSION} times its size`);
  };
  const tags = from.block();
  const counts = new Array(9).fill(0);
  for (const tag of tags) counts[tag]++;
  const numbers = counts[NUMBER] > 0 ? nextOf(unpackNumbers(from.block(), counts[NUMBER])) : none;
  const texts = counts[TEXT] > 0 ? JSON.parse(String(from.block())) : [];
  const text = counts[TEXT] > 0 ? nextOf(sizesIn(from.block(), counts[TEXT])) : none;
  const whole = Array.from({ length: counts[BYTES] }, () => from.block()).values();
  const histograms = counts[HISTOGRAM] > 0 ? readHistograms(from, counts[HISTOGRAM], spend) : none;
  const lengths = counts[ARRAY] > 0 ? nextOf(sizesIn(from.block(), counts[ARRAY])) : none;
  /** @type {Map<number, () => any>} */
  const items = new Map();
  for (const key of counts[ARRAY] > 0 ? from.block() : []) items.set(key, readPlace(from, depth + 1, budget));
  /** @type {string[][]} */
  const names = counts[OBJECT] > 0 ? JSON.parse(String(from.block())) : [];
  const shape = counts[OBJECT] > 0 ? nextOf(sizesIn(from.block(), counts[OBJECT])) : none;
  /** @type {Map<string, () => any>} */
  const fields = new Map();
  for (const name of new Set(names.flat())) fields.set(name, readPlace(from, depth + 1, budget));
  const next = nextOf(tags);
  const made = [
    () => null,
    () => false,
    () => true,
    numbers,
    () => {
      const value = String(texts[text()]);
      spend(value.length);
      return value;
    },
    () => whole.next().value,
    histograms,
    () => {
      const length = lengths();
      spend(length);
      return Array.from({ length }, (_, i) => (items.get(itemOf(length, i)) ?? none)());
    },
    () => {
      /** @type {Record<string, any>} */
      const value = {};
      for (const name of names[shape()]) {
        spend(name.length + 4);
        value[name] = /** @type {() => any} */ (fields.get(name))();
      }
      return value;
    },
  ];
  return () => {
    spend(4);
    return (made[next()] ?? none)();
  };
}

/**
 * @param {ReturnType<typeof createReader>} from
 * @param {number} count
 * @param {(size: number) => void} spend
 * @returns {() => string}
 */
function readHistograms(from, count, spend) {
  const highest = nextOf(sizesIn(from.block(), count));
  const sizes = sizesIn(from.block(), count);
  const buckets = sizes.reduce((sum, n) => sum + n, 0);
  const [gaps, counts] = [nextOf(sizesIn(from.block(), buckets)), nextOf(sizesIn(from.block(), buckets))];
  const size = nextOf(sizes);
  return () => {
    const sum = noCounts();
    sum.highest = BigInt(highest());
    for (let n = size(), bucket = 0; n > 0; n--) {
      bucket += gaps();
      addTo(sum, bucket, counts());
    }
    spend(sum.length);
    return encodeCounts(sum).data;
  };
}

/** @returns {never} */
function none() {
  throw new Error('it was cut off');
}

/** @param {ArrayLike<number>} values @returns {() => number} */
function nextOf(values) {
  let at = 0;
  return () => (at < values.length ? values[at++] : none());
}

/**
 * @param {number[]} values
 * @returns {Buffer} how they are written, and their bytes
 */
function packNumbers(values) {
  for (let digits = 0; digits <= MAX_DIGITS; digits++) {
    const scale = 10 ** digits;
    const whole = values.map((v) => Math.round(v * scale));
    if (!whole.every((w, i) => w / scale === values[i] && Math.abs(w) <= MAX_WHOLE)) continue;
    const steps = whole.map((w, i) => w - (i > 0 ? whole[i - 1] : 0));
    const [plain, differences] = [whole, steps].map((all) =>
      planesOf(all.map((w) => (w < 0 ? -2 * w - 1 : 2 * w))),
    );
    const isSteady = differences.bits < plain.bits;
    return Buffer.concat([
      Buffer.from([2 * digits + Number(isSteady)]),
      ...(isSteady ? differences : plain).planes,
    ]);
  }
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((v, i) => void bytes.writeDoubleBE(v, 8 * i));
  const planes = Array.from({ length: 8 }, (_, k) => bytes.filter((_, at) => at % 8 === k));
  return Buffer.concat([Buffer.from([DOUBLES]), ...planes]);
}

/**
 * @param {Buffer} bytes
 * @param {number} count
 * @returns {Float64Array}
 */
function unpackNumbers(bytes, count) {
  const [how, width] = [bytes[0], (bytes.length - 1) / count];
  if (count === 0) return new Float64Array(0);
  if (!Number.isInteger(width) || width < 1 || width > 8) none();
  const values = new Float64Array(count);
  const one = Buffer.alloc(8);
  const [scale, isSteady] = [10 ** (how >> 1), (how & 1) === 1];
  for (let i = 0, whole = 0; i < count; i++) {
    let coded = 0;
    for (let k = 0; k < width; k++) {
      one[k] = bytes[1 + k * count + i];
      coded = coded * 256 + one[k];
    }
    const signed = coded % 2 === 1 ? -(coded + 1) / 2 : coded / 2;
    whole = isSteady ? whole + signed : signed;
    values[i] = how === DOUBLES ? one.readDoubleBE() : whole / scale;
  }
  return values;
}

/**
 * @param {Buffer} bytes
 * @param {number} count
 * @returns {Float64Array} whole numbers, none below 0
 */
function sizesIn(bytes, count) {
  const values = unpackNumbers(bytes, count);
  return values.every((v) => Number.isSafeInteger(v) && v >= 0) ? values : none();
}

/**
 * The highest bytes of all, then the next ones: bytes of a kind are alike.
 * @param {number[]} values at least 0
 */
function planesOf(values) {
  const planes = [];
  let bits = 0;
  for (let rest = values; planes.length === 0 || rest.some((v) => v > 0); ) {
    const plane = Buffer.from(rest.map((v) => v % 256));
    planes.unshift(plane);
    bits += bitsOf(plane);
    rest = rest.map((v) => Math.floor(v / 256));
  }
  return { planes, bits };
}

/** @param {Buffer} bytes @returns {number} what they take at least when each byte is coded by itself */
function bitsOf(bytes) {
  const counts = new Float64Array(256);
  for (const byte of bytes) counts[byte]++;
  return counts.reduce((bits, n) => (n > 0 ? bits - n * Math.log2(n / bytes.length) : bits), 0);
}

/** Writes numbers of seven bits a byte, and blocks that begin with their length. */
function createWriter() {
  let bytes = Buffer.alloc(1 << 10);
  let length = 0;
  const room = (/** @type {number} */ more) => {
    if (length + more <= bytes.length) return;
    bytes = Buffer.concat([bytes.subarray(0, length)], 2 * (length + more));
  };
  const number = (/** @type {number} */ value) => {
    room(8);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) | 0x80;
    bytes[length++] = rest;
  };
  return {
    number,
    block(/** @type {Buffer} */ content) {
      number(content.length);
      room(content.length);
      length += content.copy(bytes, length);
    },
    end: () => bytes.subarray(0, length),
  };
}

/** @param {Buffer} bytes */
function createReader(bytes) {
  let at = 0;
  const take = (/** @type {number} */ size) => {
    if (!(size >= 0 && at + size <= bytes.length)) none();
    at += size;
    return bytes.subarray(at - size, at);
  };
  const number = () => {
    let [value, scale, byte] = [0, 1, 0x80];
    for (; byte & 0x80; scale *= 128) {
      if (at === bytes.length || scale > 2 ** 49) none();
      byte = bytes[at++];
      value += (byte & 0x7f) * scale;
    }
    return value;
  };
  return { take, number, block: () => take(number()), isAtEnd: () => at === bytes.length };
}
