import { helpText, readArguments, VERBS } from './args.js';
import { suggest } from './config/nearest.js';
import { demandNotRenamed, isProfilePath, profileIds } from './config/profiles.js';
import { BenchError, EXIT } from './errors.js';
import { createOutput } from './output.js';
import { leaveOnSignals } from './process/signals.js';
import { checkVerb } from './verbs/check.js';
import { cleanVerb } from './verbs/clean.js';
import { compareVerb } from './verbs/compare.js';
import { measureVerb } from './verbs/measure.js';
import { reportVerb } from './verbs/report.js';
import { systemsVerb } from './verbs/systems.js';

/** @import { Output } from './output.js' */

/** @type {Record<string, (words: string[], flags: Record<string, any>, output: Output) => Promise<number>>} */
const RUN_VERB = {
  systems: systemsVerb,
  check: checkVerb,
  report: reportVerb,
  compare: compareVerb,
  clean: cleanVerb,
};

/**
 * @param {string[]} argv
 * @param {Output} output
 * @returns {Promise<number>} the exit code
 */
async function main(argv, output) {
  const { words, flags } = readArguments(argv);
  if (flags.help || (words.length === 0 && flags.resume === undefined)) {
    output.result(helpText(profileIds()));
    return flags.help ? EXIT.ok : EXIT.usage;
  }
  const [first, ...rest] = words;
  if (first !== undefined && Object.hasOwn(RUN_VERB, first)) return RUN_VERB[first](rest, flags, output);
  if (rest.length > 0) {
    throw new BenchError(`too many words: "${rest.join(' ')}"`, {
      hint: 'one profile or one command at a time',
    });
  }
  const known = [...profileIds(), ...VERBS];
  if (first !== undefined && !known.includes(first) && !isProfilePath(first)) {
    demandNotRenamed(first);
    throw new BenchError(`unknown profile or command "${first}": ${suggest(first, known)}`, {
      hint: '`./run-all.sh --help` lists both',
    });
  }
  return measureVerb(first, flags, output);
}

leaveOnSignals();
const output = createOutput();
try {
  process.exitCode = await main(process.argv.slice(2), output);
} catch (error) {
  const label = output.paint('red', 'error:');
  if (error instanceof BenchError) {
    output.say(`${label} ${error.message}`);
    for (const line of error.detail) output.say(`    ${line}`);
    if (error.hint) output.say(`hint: ${error.hint}`);
    process.exitCode = error.exitCode;
  } else {
    output.say(`${label} ${error instanceof Error ? error.stack : error}`);
    process.exitCode = EXIT.internal;
  }
}
