/**
 * The only module that writes to a stream or knows colour.
 * Results go to stdout; talk and progress go to stderr, redrawn only on a terminal.
 * A reader that goes away (a closed terminal, `| head -1`) never ends what is being measured.
 */
import { causeOf, EXIT } from './errors.js';

const CODES = Object.freeze({ dim: 2, bold: 1, green: 32, yellow: 33, red: 31 });

/** How often a line is written that cannot be drawn again, at most. */
const TELL_MS = 10_000;

/** What a write says when nobody reads any more: a pipe without a reader, a terminal that was closed. */
const UNREAD = new Set(['EPIPE', 'EIO', 'ENXIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/**
 * @typedef {object} Output
 * @property {boolean} redraws whether a line may be drawn again (stderr is a terminal)
 * @property {(line?: string) => void} say one line on stderr
 * @property {(text: string) => void} result text on stdout
 * @property {(line: string) => void} draw a line on stderr that the next one replaces; without a terminal one of them where
 *   nothing was said for a while
 * @property {(name: string, what: string | (() => string)) => (end: string) => void} task a line for something slow, drawn again
 *   and again; call to end it
 * @property {(style: keyof typeof CODES, text: string) => string} paint
 */

/**
 * @param {{stdout?: NodeJS.WritableStream, stderr?: NodeJS.WritableStream & {isTTY?: boolean, columns?: number},
 *   env?: Record<string, string | undefined>}} [options]
 * @returns {Output}
 */
export function createOutput({ stdout = process.stdout, stderr = process.stderr, env = process.env } = {}) {
  const redraws = stderr.isTTY === true && env.TERM !== 'dumb';
  const colours = redraws && !env.NO_COLOR;
  let [drawn, saidMs] = [false, Date.now()];
  const talk = writerTo(stderr, () => {});
  const clear = () => {
    if (drawn) talk('\r\u001b[2K');
    drawn = false;
  };
  const say = (line = '') => {
    clear();
    talk(`${line}\n`);
    saidMs = Date.now();
  };
  const result = writerTo(stdout, (error) => {
    say(`error: cannot write to stdout: ${causeOf(error)}`);
    process.exitCode = EXIT.usage;
  });
  const draw = (/** @type {string} */ line) => {
    if (!redraws) {
      if (Date.now() - saidMs >= TELL_MS) say(line);
      return;
    }
    clear();
    talk(line.slice(0, (stderr.columns ?? 80) - 1));
    drawn = true;
  };
  let tasks = 0;
  return {
    redraws,
    say,
    result,
    draw,
    task: (name, what) => {
      if (tasks++ === 0) say('Setting up (once)');
      const started = Date.now();
      const line = () => `  ${name.padEnd(22)} ${typeof what === 'string' ? what : what()}`;
      if (!redraws) say(line());
      const timer = setInterval(() => draw(`${line()}  ${seconds(started)}`), 500).unref();
      return (end) => {
        clearInterval(timer);
        say(`  ${name.padEnd(22)} ${end} (${seconds(started)})`);
      };
    },
    paint: (style, text) => (colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text),
  };
}

/**
 * @param {NodeJS.WritableStream} stream
 * @param {(error: Error) => void} refused called once when a write fails although somebody reads
 * @returns {(text: string) => void} never throws: after a failed write the stream is left alone
 */
function writerTo(stream, refused) {
  let open = true;
  const close = (/** @type {NodeJS.ErrnoException} */ error) => {
    if (!open) return;
    open = false;
    if (!UNREAD.has(error.code ?? '')) refused(error);
  };
  stream.on('error', close);
  return (text) => {
    if (!open) return;
    try {
      stream.write(text);
    } catch (error) {
      close(/** @type {Error} */ (error));
    }
  };
}

/** @param {number} since */
function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(0)} s`;
}
