import { Problem } from './problem.js';

const MIB = 2 ** 20;

/** What bodies and answers may take in memory in all, however many clients there are. */
export class Memory {
  readonly #limitMib: number;
  #takenBytes = 0;

  constructor(limitMib: number) {
    this.#limitMib = limitMib;
  }

  /** @returns nothing of it yet */
  share(): Share {
    let bytes = 0;
    return {
      grow: (more) => {
        bytes += more;
        this.#takenBytes += more;
        if (this.#takenBytes <= this.#limitMib * MIB) return;
        throw new Problem('overloaded', `all bodies and answers together may take ${this.#limitMib} MiB`);
      },
      release: () => {
        this.#takenBytes -= bytes;
        bytes = 0;
      },
    };
  }
}

/** Bytes taken of the memory. */
export interface Share {
  /** @throws {Problem} overloaded, and they are taken all the same until the release */
  grow: (bytes: number) => void;
  /** Gives all back; more than once does no harm. */
  release: () => void;
}
