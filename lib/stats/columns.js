import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { orNull } from '../errors.js';
import { groupBy } from '../group-by.js';
import { createReader, createWriter, cutOff } from './bytes.js';
import { addCounts, addTo as countIn, encodeCounts, noCounts } from './counts.js';
import { isDeeper } from './depth.js';

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

const TAGS = Object.freeze([0, 1, 2, 3, 4, 5, 6, 7, 8]);
const [NULL, FALSE, TRUE, NUMBER, TEXT, BYTES, HISTOGRAM, ARRAY, OBJECT] = TAGS;
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
 * @property {any[][]} columns by tag, what there is to say of the values that have it
 * @property {Map<string, Place>} fields of objects
 * @property {Map<number, Place>} items by place in a tuple; those of longer arrays together
 */

/** @returns {Place} */
function newPlace() {
  return { tags: [], columns: TAGS.map(() => []), fields: new Map(), items: new Map() };
}

/**
 * @param {Map<string, Buffer>} files content by name
 * @returns {Buffer} the same for the same files
 */
export function packColumns(files) {
  const kinds = groupBy([...files.keys()].sort(), kindOf);
  const stream = createWriter();
  for (const names of kinds.sort(([a], [b]) => (kindOf(a) < kindOf(b) ? -1 : 1))) {
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
  else addTo(root, BYTES, content);
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
    return (
      FORMATS[format](value) === text && !text.includes('"__proto__"') && !isDeeper(value, MAX_DEPTH - 1)
    );
  } catch {
    return false;
  }
}

/** @param {any} value @param {number} format */
function contentOf(value, format) {
  if (format === AS_IT_IS && Buffer.isBuffer(value)) return value;
  if (!FORMATS[format] || (format === LINES && !Array.isArray(value))) throw new Error('a file of no format');
  return Buffer.from(FORMATS[format](value));
}

/**
 * @param {Place} place
 * @param {number} tag
 * @param {any} what of a value that has it
 */
function addTo(place, tag, what) {
  place.tags.push(tag);
  place.columns[tag].push(what);
}

/**
 * @param {Place} place
 * @param {any} value
 */
function addValue(place, value) {
  const plain = PLAIN.get(value);
  if (plain !== undefined) place.tags.push(plain);
  else if (typeof value === 'number') addTo(place, NUMBER, value);
  else if (typeof value === 'string') {
    const histogram = value.startsWith(HISTOGRAM_HEAD) ? histogramIn(value) : null;
    if (histogram) addTo(place, HISTOGRAM, histogram);
    else addTo(place, TEXT, value);
  } else if (Array.isArray(value)) {
    addTo(place, ARRAY, value.length);
    value.forEach((item, i) => {
      addValue(inner(place.items, itemOf(value.length, i)), item);
    });
  } else {
    addTo(place, OBJECT, JSON.stringify(Object.keys(value)));
    for (const [name, field] of Object.entries(value)) addValue(inner(place.fields, name), field);
  }
}

/**
 * @param {string} data
 * @returns {Counts | null} null where the same text does not come of them
 */
function histogramIn(data) {
  const counts = noCounts();
  const isRead = orNull(() => addCounts(counts, { encoding: '', unit: '', data })) !== null;
  return isRead && encodeCounts(counts).data === data ? counts : null;
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
  const place = places.get(key) ?? newPlace();
  places.set(key, place);
  return place;
}

/**
 * @param {ReturnType<typeof createWriter>} to
 * @param {Place} place
 */
function writePlace(to, { tags, columns, fields, items }) {
  to.block(Buffer.from(tags));
  if (columns[NUMBER].length > 0) to.block(packNumbers(columns[NUMBER]));
  if (columns[TEXT].length > 0) writeWords(to, columns[TEXT], JSON.stringify);
  for (const bytes of columns[BYTES]) to.block(bytes);
  if (columns[HISTOGRAM].length > 0) writeHistograms(to, columns[HISTOGRAM]);
  if (columns[ARRAY].length > 0) {
    to.block(packNumbers(columns[ARRAY]));
    to.block(Buffer.from([...items.keys()]));
    for (const item of items.values()) writePlace(to, item);
  }
  if (columns[OBJECT].length > 0) {
    writeWords(to, columns[OBJECT], (lists) => `[${lists.join()}]`);
    for (const field of fields.values()) writePlace(to, field);
  }
}

/**
 * @param {ReturnType<typeof createWriter>} to
 * @param {string[]} values each is written once, and then which of them each one is
 * @param {(words: string[]) => string} textOf
 */
function writeWords(to, values, textOf) {
  const words = [...new Set(values)];
  const at = new Map(words.map((word, i) => [word, i]));
  to.block(Buffer.from(textOf(words)));
  to.block(packNumbers(values.map((word) => Number(at.get(word)))));
}

/**
 * @param {ReturnType<typeof createWriter>} to
 * @param {Counts[]} histograms
 */
function writeHistograms(to, histograms) {
  const full = histograms.map(({ counts }) => [...counts.keys()].filter((i) => counts[i] > 0));
  to.block(packNumbers(histograms.map((h) => Number(h.highest))));
  to.block(packNumbers(full.map((buckets) => buckets.length)));
  to.block(packNumbers(full.flatMap((buckets) => buckets.map((at, i) => at - (i > 0 ? buckets[i - 1] : 0)))));
  to.block(packNumbers(histograms.flatMap(({ counts }, i) => full[i].map((at) => counts[at]))));
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
  const counts = TAGS.map(() => 0);
  for (const tag of tags) counts[tag]++;
  /** @type {(() => any)[]} */
  const made = [() => null, () => false, () => true];
  const numbersOf = (/** @type {number} */ tag) => nextOf(sizesIn(from.block(), counts[tag]));
  const inside = () => readPlace(from, depth + 1, budget);
  if (counts[NUMBER] > 0) made[NUMBER] = nextOf(unpackNumbers(from.block(), counts[NUMBER]));
  if (counts[TEXT] > 0) {
    const texts = JSON.parse(String(from.block()));
    const text = numbersOf(TEXT);
    made[TEXT] = () => {
      const value = String(texts[text()]);
      spend(value.length);
      return value;
    };
  }
  const whole = Array.from({ length: counts[BYTES] }, () => from.block()).values();
  made[BYTES] = () => whole.next().value;
  if (counts[HISTOGRAM] > 0) made[HISTOGRAM] = readHistograms(from, counts[HISTOGRAM], spend);
  if (counts[ARRAY] > 0) {
    const lengths = numbersOf(ARRAY);
    const items = new Map(Array.from(from.block(), (key) => [key, inside()]));
    made[ARRAY] = () => {
      const length = lengths();
      spend(length);
      return Array.from({ length }, (_, i) => (items.get(itemOf(length, i)) ?? cutOff)());
    };
  }
  if (counts[OBJECT] > 0) {
    const names = JSON.parse(String(from.block()));
    const shape = numbersOf(OBJECT);
    const fields = new Map([...new Set(names.flat())].map((name) => [name, inside()]));
    made[OBJECT] = () => {
      /** @type {Record<string, any>} */
      const value = {};
      for (const name of names[shape()]) {
        spend(name.length + 4);
        value[name] = (fields.get(name) ?? cutOff)();
      }
      return value;
    };
  }
  const next = nextOf(tags);
  return () => {
    spend(4);
    return (made[next()] ?? cutOff)();
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
      countIn(sum, bucket, counts());
    }
    spend(sum.length);
    return encodeCounts(sum).data;
  };
}

/** @param {ArrayLike<number>} values @returns {() => number} */
function nextOf(values) {
  let at = 0;
  return () => (at < values.length ? values[at++] : cutOff());
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
  if (!Number.isInteger(width) || width < 1 || width > 8) cutOff();
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
  return values.every((v) => Number.isSafeInteger(v) && v >= 0) ? values : cutOff();
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
