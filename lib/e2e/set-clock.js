/**
 * Loaded before a program (`node --import`): when a file is there, the program's clock is set by so many seconds, as if
 * somebody had set that of the machine; timers go on, as they do then. `CLOCK_FILE`, `CLOCK_SHIFT_SEC`
 */
import { existsSync } from 'node:fs';

const { CLOCK_FILE = '', CLOCK_SHIFT_SEC = '0' } = process.env;
const RealDate = Date;

/** @returns {number} epoch ms */
function now() {
  return RealDate.now() + (existsSync(CLOCK_FILE) ? Number(CLOCK_SHIFT_SEC) * 1000 : 0);
}

globalThis.Date = /** @type {any} */ (
  class extends RealDate {
    /** @param {any[]} given */
    constructor(...given) {
      // @ts-expect-error its overloads have no common form
      super(...(given.length > 0 ? given : [now()]));
    }

    static now() {
      return now();
    }
  }
);
