/**
 * The only module that writes to a stream or knows colour.
 * Results go to stdout; talk and progress go to stderr, redrawn only on a terminal.
 */

const CODES = Object.freeze({ dim: 2, bold: 1, green: 32, yellow: 33, red: 31 });

/**
 * @typedef {object} Output
 * @property {boolean} redraws whether a line may be drawn again (stderr is a terminal)
 * @property {(line?: string) => void} say one line on stderr
 * @property {(text: string) => void} result text on stdout
 * @property {(line: string) => void} draw a line on stderr that the next one replaces; nothing without a terminal
 * @property {(name: string, what: string) => (end: string) => void} task a line for something slow; call to end it
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
  let drawn = false;
  const clear = () => {
    if (drawn) stderr.write('\r\u001b[2K');
    drawn = false;
  };
  const say = (line = '') => {
    clear();
    stderr.write(`${line}\n`);
  };
  const draw = (/** @type {string} */ line) => {
    if (!redraws) return;
    clear();
    stderr.write(line.slice(0, (stderr.columns ?? 80) - 1));
    drawn = true;
  };
  let tasks = 0;
  return {
    redraws,
    say,
    result: (text) => void stdout.write(text),
    draw,
    task: (name, what) => {
      if (tasks++ === 0) say('Setting up (once)');
      const started = Date.now();
      if (!redraws) say(`  ${name.padEnd(22)} ${what}`);
      const timer = setInterval(() => draw(`  ${name.padEnd(22)} ${what}  ${seconds(started)}`), 500);
      timer.unref();
      return (end) => {
        clearInterval(timer);
        say(`  ${name.padEnd(22)} ${end} (${seconds(started)})`);
      };
    },
    paint: (style, text) => (colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text),
  };
}

/** @param {number} since */
function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(0)} s`;
}
