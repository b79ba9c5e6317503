import { LineCounter, parseDocument } from 'yaml';

/**
 * Where the parts of a JSON text stand, so that an error can name a line. JSON is YAML, too, whose parser tells it.
 * @param {string} text valid JSON
 * @returns {Map<string, number>} line of each part by its path, names with dots between
 */
export function linesOf(text) {
  const lineCounter = new LineCounter();
  /** @type {Map<string, number>} */
  const lines = new Map();
  /** @param {any} node @param {string[]} path */
  const add = (node, path) => {
    for (const [i, item] of (node.items ?? []).entries()) {
      const own = [...path, item.key?.value ?? i];
      const [start] = (item.key ?? item).range;
      lines.set(own.join('.'), lineCounter.linePos(start).line);
      add(item.key ? item.value : item, own);
    }
  };
  add(parseDocument(text, { lineCounter }).contents, []);
  return lines;
}
