import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { which } from '../process/tool.js';

/** A real Chromium without a window, driven by its own protocol over a pipe. */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const ANSWER_MS = 60_000;

/** Why a test of a page is skipped; undefined where there is a browser. */
export const NO_BROWSER = chromium()
  ? undefined
  : 'no Chromium: apt-get install chromium, or name one with CHROMIUM';

/**
 * Why a test of what a reader on GitHub sees is skipped: its page asks for Helvetica or Arial where it has no better, and
 * another font breaks lines elsewhere. Undefined where there is one as wide.
 */
export const NO_GITHUB = NO_BROWSER ?? unlikeFont();

/** @returns {string | undefined} */
function unlikeFont() {
  const { status, stdout } = spawnSync('fc-match', ['--format', '%{family}', 'Arial'], { encoding: 'utf8' });
  return status !== 0 || /Arial|Helvetica|Liberation Sans|Arimo|Nimbus Sans/.test(stdout)
    ? undefined
    : `no font as wide as Arial (${stdout} stands in): apt-get install fonts-liberation`;
}

/** @returns {string | null} its path: the one that CHROMIUM names, or from PATH */
function chromium() {
  const named = process.env.CHROMIUM;
  return named ? which(named) : (NAMES.map((n) => which(n)).find((p) => p !== null) ?? null);
}

/**
 * @typedef {object} Page
 * @property {(method: string, params?: object) => Promise<any>} send a command of the protocol
 * @property {(url: string) => Promise<void>} open waits for its load event
 * @property {(code: string) => Promise<any>} ask the value of an expression there
 * @property {(key: string) => Promise<void>} press a key by its name
 * @property {string[]} errors of the console, exceptions, and what was refused or asked of a network
 */

/**
 * @param {(page: Page) => Promise<void>} use
 * @param {{width?: number, height?: number}} [window]
 * @throws {Error} when the browser does not answer
 */
export async function withPage(use, { width = 1280, height = 900 } = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'lb-browser-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage'];
  const child = spawn(
    String(chromium()),
    [...flags, `--user-data-dir=${profile}`, `--window-size=${width},${height}`, '--remote-debugging-pipe'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: profile },
      detached: true,
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const { send, onEvent } = protocolOf(child);
  try {
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    /** @type {Page['send']} */
    const inPage = (method, params) => send(method, params, sessionId);
    /** @type {string[]} */
    const errors = [];
    /** @type {() => void} */
    let loaded = () => {};
    onEvent((method, params) => {
      if (method === 'Page.loadEventFired') loaded();
      if (method === 'Runtime.exceptionThrown')
        errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type))
        errors.push(params.args.map((/** @type {any} */ a) => a.value ?? a.description).join(' '));
      if (method === 'Log.entryAdded' && params.entry.level === 'error') errors.push(params.entry.text);
      if (method === 'Network.requestWillBeSent' && /^(?:https?|wss?):/.test(params.request.url))
        errors.push(`asked for ${params.request.url}`);
    });
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await inPage(`${domain}.enable`);
    await inPage('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await use({
      send: inPage,
      errors,
      async open(url) {
        const done = new Promise((resolve) => {
          loaded = () => resolve(undefined);
        });
        await inPage('Page.navigate', { url });
        await done;
      },
      async ask(code) {
        const answer = await inPage('Runtime.evaluate', {
          expression: code,
          returnByValue: true,
          awaitPromise: true,
        });
        if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? code);
        return answer.result.value;
      },
      async press(key) {
        for (const type of ['rawKeyDown', 'keyUp'])
          await inPage('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode: KEYS[key] });
      },
    });
  } finally {
    // With all its children, which would go on writing into its folder; it ends itself when its pipe does.
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** @type {Record<string, number>} */
const KEYS = { Tab: 9, Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

/**
 * @param {import('node:child_process').ChildProcess} child messages on its third and fourth pipe end with a zero
 */
function protocolOf(child) {
  const [, , , out, back] = /** @type {any[]} */ (child.stdio);
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  /** @type {(method: string, params: any) => void} */
  let tell = () => {};
  let last = 0;
  /** @type {Buffer[]} */
  let parts = [];
  back.on('data', (/** @type {Buffer} */ chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const message = JSON.parse(Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8'));
      parts = [];
      rest = rest.subarray(end + 1);
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (!asked) tell(message.method, message.params);
      else if (message.error) asked.reject(new Error(message.error.message));
      else asked.resolve(message.result);
    }
    if (rest.length > 0) parts.push(rest);
  });
  const fail = (/** @type {string} */ why) => {
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  child.once('error', (error) => fail(error.message));
  child.once('exit', () => fail('the browser ended'));
  out.on('error', () => fail('the browser ended'));
  return {
    /** @param {string} method @param {object} [params] @param {string} [sessionId] @returns {Promise<any>} */
    send(method, params = {}, sessionId) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`the browser did not answer ${method}`));
        }, ANSWER_MS);
        const done = (/** @type {() => void} */ settle) => {
          clearTimeout(timer);
          settle();
        };
        waiting.set(id, {
          resolve: (value) => done(() => resolve(value)),
          reject: (error) => done(() => reject(error)),
        });
        out.write(`${JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) })}\0`);
      });
    },
    onEvent(/** @type {(method: string, params: any) => void} */ listener) {
      tell = listener;
    },
  };
}
