import { findNeed } from './needs.js';

/**
 * On Linux a child can ask the kernel to be killed when its parent dies, even by SIGKILL.
 * @param {string[]} command
 * @returns {string[]}
 */
export function dieWithUs(command) {
  const setpriv = findNeed({ binary: 'setpriv' });
  return process.platform === 'linux' && setpriv
    ? [setpriv.path, '--pdeathsig', 'KILL', '--', ...command]
    : command;
}
