import { writeSync } from 'node:fs';

/**
 * Lines for whoever started the server. One that cannot be written is lost: standard output and error may lie on the disk that
 * is full, and the console's streams would end the process there.
 */
function write(descriptor: number, line: string): void {
  try {
    writeSync(descriptor, `${line}\n`);
  } catch {
    // Lost.
  }
}

/** To standard output. */
export function say(line: string): void {
  write(1, line);
}

/** To standard error. */
export function complain(line: string): void {
  write(2, line);
}
