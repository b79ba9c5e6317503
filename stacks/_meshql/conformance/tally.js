/** Thrown by a check that the server may fail by its kind: not every implementation has all. */
export class Tolerated extends Error {}

/**
 * Runs checks one after another and counts.
 */
export class Tally {
  /** @param {boolean} strict what is tolerated fails as well */
  constructor(strict) {
    this.strict = strict;
    this.passed = 0;
    /** @type {{check: string, reason: string}[]} */
    this.failures = [];
    /** @type {{check: string, reason: string}[]} */
    this.tolerated = [];
  }

  /**
   * @param {string} name
   * @param {() => unknown} run throws when the server is wrong
   */
  async check(name, run) {
    try {
      await run();
      this.passed += 1;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const list = error instanceof Tolerated && !this.strict ? this.tolerated : this.failures;
      list.push({ check: name, reason });
    }
  }

  report() {
    return {
      passed: this.passed,
      failed: this.failures.length,
      tolerated: this.tolerated,
      total: this.passed + this.failures.length + this.tolerated.length,
      failures: this.failures,
    };
  }
}

/**
 * The expected members, by value; null and missing are the same.
 * @param {any} actual
 * @param {any} wanted
 * @param {string} [where]
 */
export function expectMembers(actual, wanted, where = 'answer') {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length) {
      throw new Error(`${where}: expected ${wanted.length} items, got ${JSON.stringify(actual)}`);
    }
    wanted.forEach((item, i) => {
      expectMembers(actual[i], item, `${where}[${i}]`);
    });
  } else if (wanted !== null && typeof wanted === 'object') {
    if (actual === null || typeof actual !== 'object') {
      throw new Error(`${where}: expected an object, got ${JSON.stringify(actual)}`);
    }
    for (const [key, value] of Object.entries(wanted)) expectMembers(actual[key], value, `${where}.${key}`);
  } else if ((actual ?? null) !== (wanted ?? null)) {
    throw new Error(`${where}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(actual)}`);
  }
}

/**
 * @param {number} actual
 * @param {number[]} wanted
 * @param {string} what
 */
export function expectStatus(actual, wanted, what) {
  if (!wanted.includes(actual)) throw new Error(`${what}: status ${actual}, expected ${wanted.join(' or ')}`);
}
