/**
 * Where the parts of a JSON text stand, so that an error can name a line.
 * @param {string} text valid JSON
 * @returns {Map<string, number>} line of each part by its path, names with dots between
 */
export function linesOf(text) {
  /** @type {Map<string, number>} */
  const lines = new Map();
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g)];
  let at = 0;
  let [line, counted] = [1, 0];
  const lineOf = (/** @type {number} */ index) => {
    for (; counted < index; counted++) if (text[counted] === '\n') line++;
    return line;
  };
  const next = () => tokens[at++];
  /** @param {string} path */
  const value = (path) => {
    const [word] = next();
    if (word === '{' || word === '[') members(path, word === '{');
  };
  /** @param {string} path @param {boolean} named */
  const members = (path, named) => {
    const close = named ? '}' : ']';
    for (let i = 0; tokens[at][0] !== close; i++) {
      if (tokens[at][0] === ',') next();
      const { 0: word, index } = tokens[at];
      const name = named ? JSON.parse(word) : String(i);
      const own = path === '' ? name : `${path}.${name}`;
      lines.set(own, lineOf(index));
      if (named) at += 2;
      value(own);
    }
    next();
  };
  value('');
  return lines;
}
