/** A store that speaks SSDB's own protocol, in the process of a test: set, get, ping, version, and one lie. */
import { textServer } from '../../lib/e2e/text-server.js';

/**
 * @param {'none' | 'neighbour'} lie `neighbour`: answers one get in 100 with another key's value
 * @returns {Promise<{port: number, stop: () => void}>}
 */
export function lyingStore(lie) {
  /** @type {Map<string, string>} */
  const kept = new Map();
  let reads = 0;
  const answer = (/** @type {string[]} */ [command, key, value]) => {
    if (command === 'set') {
      kept.set(key, value);
      return ['ok', '1'];
    }
    if (command !== 'get') return command === 'ping' ? ['ok'] : ['client_error', 'Unknown Command'];
    const isLie = lie === 'neighbour' && ++reads % 100 === 0;
    const found = kept.get(isLie ? key.replace(/\d+$/, (n) => String(Number(n) ^ 1)) : key);
    return found === undefined ? ['not_found'] : ['ok', found];
  };
  return textServer((text) => {
    let [out, used] = ['', 0];
    for (let message = messageIn(text); message; message = messageIn(text.slice(used))) {
      used += message.used;
      out += `${answer(message.blocks)
        .map((block) => `${block.length}\n${block}\n`)
        .join('')}\n`;
    }
    return { out, used };
  });
}

/** @param {string} text @returns {{blocks: string[], used: number} | null} the whole message that it begins with */
function messageIn(text) {
  /** @type {string[]} */
  const blocks = [];
  for (let at = 0; ; ) {
    const end = text.indexOf('\n', at);
    if (end < 0) return null;
    if (end === at) return { blocks, used: at + 1 };
    const length = Number(text.slice(at, end));
    if (!(text.length >= end + 1 + length + 1)) return null;
    blocks.push(text.slice(end + 1, end + 1 + length));
    at = end + 1 + length + 1;
  }
}
