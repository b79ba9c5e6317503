import { findNeed } from './needs.js';

/**
 * On Linux a child can ask the kernel to be killed when its parent dies, even by SIGKILL.
 * @param {string[]} command
 * @param {'KILL' | 'TERM'} [signal] TERM: what has something to put away first
 * @returns {string[]}
 */
export function dieWithUs(command, signal = 'KILL') {
  const setpriv = findNeed({ binary: 'setpriv' });
  return process.platform === 'linux' && setpriv
    ? [setpriv.path, '--pdeathsig', signal, '--', ...command]
    : command;
}
