import { spawn } from 'node:child_process';

/**
 * Starts a watcher of its own process group that waits for our end (its standard input closes even when we are killed
 * outright) and then removes what a run has elsewhere.
 * @param {string[]} command
 * @returns {() => Promise<void>} has it begin now, and waits until it has ended
 */
export function tearDownAtEnd([program, ...args]) {
  const watcher = spawn(program, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise((resolve) => watcher.once('close', () => resolve(undefined)));
  watcher.unref();
  return () => {
    watcher.ref();
    watcher.stdin.end();
    return ended;
  };
}
