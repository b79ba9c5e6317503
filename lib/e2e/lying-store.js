/**
 * A store that speaks RESP and tells one lie, in the process of a test: SET (with EX), GET, INCR, MGET, PING, INFO.
 */
import { textServer } from './text-server.js';

/**
 * @typedef {'none' | 'cuts' | 'neighbour' | 'expired' | 'evicts' | 'loses'} Lie `cuts`: values to 1 KB; `neighbour`: answers
 *   one GET in 1000 with another key's value; `expired`: serves a value for ever; `evicts`: drops a key for every 1000
 *   writes; `loses`: acknowledges one write in 10 000, and does not keep it
 */

/** @param {Lie} lie */
export function lyingStore(lie) {
  const store = new Store(lie);
  return textServer((text) => {
    const { commands, used } = commandsIn(text);
    return { out: commands.map((words) => store.answer(words)).join(''), used };
  });
}

/** @param {string} text @returns {{commands: string[][], used: number}} the whole ones that it begins with */
function commandsIn(text) {
  /** @type {string[][]} */
  const commands = [];
  let used = 0;
  for (let at = 0; ; used = at) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return { commands, used };
    // As somebody at a terminal writes it.
    if (text[at] !== '*') {
      commands.push(text.slice(at, end).split(' '));
      at = end + 2;
      continue;
    }
    const words = [];
    const count = Number(text.slice(at + 1, end));
    at = end + 2;
    for (let i = 0; i < count; i++) {
      const line = text.indexOf('\r\n', at);
      const bytes = Number(text.slice(at + 1, line));
      if (line < 0 || text.length < line + 2 + bytes + 2) return { commands, used };
      words.push(text.slice(line + 2, line + 2 + bytes));
      at = line + 2 + bytes + 2;
    }
    commands.push(words);
  }
}

class Store {
  /** @type {Map<string, {value: string, until: number}>} */
  kept = new Map();
  writes = 0;
  reads = 0;

  /** @param {Lie} lie */
  constructor(lie) {
    this.lie = lie;
  }

  /** @param {string[]} words @returns {string} */
  answer([command, ...args]) {
    const [key, value, , seconds] = args;
    switch (command.toUpperCase()) {
      case 'PING':
        return '+PONG\r\n';
      case 'SET':
        this.set(
          key,
          value,
          seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(seconds) * 1000,
        );
        return '+OK\r\n';
      case 'GET':
        return bulk(this.get(key));
      case 'MGET':
        return `*${args.length}\r\n${args.map((name) => bulk(this.get(name))).join('')}`;
      case 'INCR': {
        const sum = Number(this.kept.get(key)?.value ?? 0) + 1;
        this.kept.set(key, { value: String(sum), until: Number.POSITIVE_INFINITY });
        return `:${sum}\r\n`;
      }
      default:
        return `-ERR unknown command '${command}'\r\n`;
    }
  }

  /** @param {string} key @param {string} value @param {number} until */
  set(key, value, until) {
    this.writes++;
    if (this.lie === 'loses' && this.writes % 10_000 === 5000) return;
    this.kept.set(key, { value: this.lie === 'cuts' ? value.slice(0, 1024) : value, until });
    if (this.lie === 'evicts' && this.writes % 1000 === 0)
      this.kept.delete(key.replace(/\d+$/, (n) => String(Math.floor(Number(n) / 2))));
  }

  /** @param {string} key @returns {string | null} */
  get(key) {
    this.reads++;
    const name =
      this.lie === 'neighbour' && this.reads % 1000 === 0
        ? key.replace(/\d+$/, (n) => String(Number(n) ^ 1))
        : key;
    const one = this.kept.get(name);
    return one && (one.until > Date.now() || this.lie === 'expired') ? one.value : null;
  }
}

/** @param {string | null} value */
function bulk(value) {
  return value === null ? '$-1\r\n' : `$${value.length}\r\n${value}\r\n`;
}
