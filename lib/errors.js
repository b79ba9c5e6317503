/** Exit codes of the command, as printed by `--help` and listed in the README. */
export const EXIT = Object.freeze({
  ok: 0,
  internal: 1,
  usage: 2,
  systemFailed: 3,
  thresholds: 4,
  interrupted: 130,
});

/** One line per code, in the order of the codes. */
export const EXIT_MEANINGS = Object.freeze([
  [EXIT.ok, 'every measurement is valid, or its figures are bounds'],
  [EXIT.internal, 'an internal error of ladderbench'],
  [EXIT.usage, 'wrong usage or configuration, or the report cannot be written'],
  [EXIT.systemFailed, 'a system failed; the report holds what was measured'],
  [
    EXIT.thresholds,
    'a threshold or limit was crossed, a measurement is INVALID, or files of a run were changed',
  ],
  [EXIT.interrupted, 'interrupted: the first Ctrl-C writes a partial report, the second stops at once'],
]);

/**
 * An error that the user can act on: what failed, where, and what to do about it.
 * Anything else that reaches the command line is a fault of ours.
 */
export class BenchError extends Error {
  /**
   * @param {string} message what failed and where, one line
   * @param {{hint?: string, exitCode?: number, detail?: string[], cause?: unknown}} [options]
   *   `hint`: what to do; `detail`: further lines (the last lines of a log), printed indented
   */
  constructor(message, { hint, exitCode = EXIT.usage, detail = [], cause } = {}) {
    super(message, { cause });
    this.name = 'BenchError';
    this.hint = hint;
    this.exitCode = exitCode;
    this.detail = detail;
  }
}

/**
 * @param {string[]} problems
 * @param {{prefix?: string, hint?: string, exitCode?: number}} [options] `prefix`: of the first one
 * @throws {BenchError} on the first one, with the others below it
 */
export function demandNone([first, ...detail], { prefix = '', ...options } = {}) {
  if (first !== undefined) throw new BenchError(`${prefix}${first}`, { ...options, detail });
}

/** Most further lines that a terminal is given of one error. */
const MOST_LINES = 20;

/**
 * @param {Pick<BenchError, 'detail'>} error
 * @returns {string[]} its further lines; of very many the first ones, and how many there are besides
 */
export function furtherLines({ detail }) {
  if (detail.length <= MOST_LINES) return detail;
  const shown = detail.slice(0, MOST_LINES - 1);
  return [...shown, `… and ${detail.length - shown.length} more`];
}

/**
 * @param {unknown} error
 * @returns {BenchError | null} one line of a file or folder that was refused; null for what is a fault of ours
 */
export function refusalOf(error) {
  const { code, syscall, path, dest } = /** @type {NodeJS.ErrnoException & {dest?: string}} */ (error ?? {});
  if (code === undefined || syscall === undefined || typeof path !== 'string') return null;
  const where = dest === undefined ? path : `${path} -> ${dest}`;
  return new BenchError(`cannot ${syscall} ${where}: ${causeOf(error)}`, { cause: error });
}

/**
 * @template T
 * @param {() => T} attempt
 * @returns {T | null} null where it throws, whatever that is
 */
export function orNull(attempt) {
  try {
    return attempt();
  } catch {
    return null;
  }
}

/** What can be done about a file that a run could not write. */
export const WRITABLE = 'free some space or make the folder writable, then run again with --resume';

/** @param {string} variable or flag by which another folder is named @returns {string} what can be done about a full one */
export function roomBy(variable) {
  return `free some space, or name another folder with ${variable}`;
}

/**
 * @template T
 * @param {string} what cannot be done where it throws, for the message
 * @param {string | undefined} hint
 * @param {() => T} act on the file system
 * @returns {T}
 * @throws {BenchError} one line, with the cause
 */
export function orCannot(what, hint, act) {
  try {
    return act();
  } catch (error) {
    throw new BenchError(`cannot ${what}: ${causeOf(error)}`, { hint, cause: error });
  }
}

/**
 * The system's own word for a failed file operation, without its stack.
 * @param {unknown} error
 * @returns {string}
 */
export function causeOf(error) {
  const code = /** @type {NodeJS.ErrnoException} */ (error)?.code;
  if (code === 'ENOSPC') return 'no space left on the device';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ELOOP') return 'its links lead in a circle';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'part of the path is a file';
  return error instanceof Error ? error.message : String(error);
}
