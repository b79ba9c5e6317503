import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import { EXIT } from '../errors.js';
import { endEverything } from './child.js';

const NAMES = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Nothing is being measured: there is nothing to write, only children to end. */
function leave() {
  endEverything();
  process.exit(EXIT.interrupted);
}

/**
 * Node.js sets a terminal back when it ends, and aborts where that was closed; of what is another file by then it lets go.
 * @param {readonly number[]} terminals descriptors that were terminals
 */
function forgetClosed(terminals) {
  for (const fd of terminals.filter((f) => !isatty(f)))
    try {
      closeSync(fd);
      // The lowest one that is free.
      openSync('/dev/null', 'r+');
    } catch {
      // The process that started us has closed it.
    }
}

/** From the start of the command: a signal ends it, its children and its temporary folders at once. */
export function leaveOnSignals() {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on('exit', () => forgetClosed(terminals));
  for (const name of NAMES) process.on(name, leave);
}

/**
 * While measuring. First Ctrl-C: end cleanly, write what was measured, tear down. Second: leave at once. A closed
 * terminal asks like the first one, however often it does: the shell and the kernel each send their own SIGHUP.
 * @param {(line: string) => void} say
 * @returns {{signal: AbortSignal, interrupted: Promise<void>, release: () => void}}
 */
export function watchSignals(say) {
  const controller = new AbortController();
  const onSignal = (/** @type {NodeJS.Signals} */ name) => {
    if (controller.signal.aborted) {
      if (name !== 'SIGHUP') leave();
      return;
    }
    say('stopping: the load ends and a partial report is written (interrupt again to leave at once)');
    controller.abort();
  };
  for (const name of NAMES) process.off(name, leave).on(name, onSignal);
  return {
    signal: controller.signal,
    interrupted: once(controller.signal, 'abort').then(() => undefined),
    release: () => {
      for (const name of NAMES) process.off(name, onSignal).on(name, leave);
    },
  };
}
