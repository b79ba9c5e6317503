import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonFile } from './config/declared.js';
import { suggest } from './config/nearest.js';
import { profileIds } from './config/profiles.js';
import { plainLine } from './controls.js';
import { BenchError, EXIT, furtherLines, refusalOf } from './errors.js';
import { demandFew, helpOf, helpText, MEASURE, readOptions, VERBS } from './options.js';
import { createOutput } from './output.js';
import { ROOT } from './paths.js';
import { shellWord } from './process/shell.js';
import { leaveOnSignals } from './process/signals.js';
import { readJson } from './store.js';
import { profilesVerb, profileTitles } from './verbs/profiles.js';

/**
 * @import { Options } from './options.js'
 * @import { Output } from './output.js'
 */

/** @typedef {(words: string[], options: Options, output: Output) => Promise<number>} Verb */

/**
 * What carries each command out is read when it is asked for: to read all of it takes longer than most commands do.
 * @type {Record<string, Verb>}
 */
const RUN_VERB = {
  systems: async (...call) => (await import('./verbs/systems.js')).systemsVerb(...call),
  profiles: profilesVerb,
  new: async (...call) => (await import('./verbs/new.js')).newVerb(...call),
  'new-workload': async (...call) => (await import('./verbs/new-workload.js')).newWorkloadVerb(...call),
  check: async (...call) => (await withPackages(() => import('./verbs/check.js'))).checkVerb(...call),
  report: async (...call) => (await withPackages(() => import('./verbs/report.js'))).reportVerb(...call),
  compare: async (...call) => (await withPackages(() => import('./verbs/compare.js'))).compareVerb(...call),
  clean: async (...call) => (await withPackages(() => import('./verbs/clean.js'))).cleanVerb(...call),
  completion: async (...call) => (await import('./verbs/completion.js')).completionVerb(...call),
  help: helpVerb,
};

/**
 * @param {string[]} argv
 * @param {Output} output
 * @returns {Promise<number>} the exit code
 */
async function main(argv, output) {
  const { command, words, options } = readOptions(argv);
  if (options.version) {
    output.result(`ladderbench ${readJson(join(ROOT, 'package.json')).version}\n`);
    return EXIT.ok;
  }
  if (options.help) {
    const profile = words.find((w) => profileIds().includes(w));
    return helpVerb([command === MEASURE ? profile : command], options, output);
  }
  if (command !== MEASURE) {
    demandFew(words, command);
    return RUN_VERB[command](words, options, output);
  }
  if (options.given.length === 0 && words.length === 0) {
    output.result(helpText(profileTitles()));
    return EXIT.usage;
  }
  const [first, ...rest] = words;
  if (first === 'run' || /\.[jt]s$/.test(first ?? ''))
    throw new BenchError(`"${words.join(' ')}" is k6's way: here it is --script`, {
      hint: `./run-all.sh --script ${shellWord(words.at(-1) ?? '')} --steps 1,20,100 --step-duration 10s`,
    });
  if (rest.length > 0) {
    throw new BenchError(`too many words: "${rest.join(' ')}"`, {
      hint: asSystem(rest[0], first) ?? 'one profile or one command at a time',
    });
  }
  const known = [...profileIds(), ...VERBS];
  if (first !== undefined && !known.includes(first) && !isJsonFile(first)) {
    throw new BenchError(`unknown profile or command "${first}": ${suggest(first, known)}`, {
      hint: asSystem(first, 'smoke') ?? '`./run-all.sh help` lists both',
    });
  }
  const { measureVerb } = await withPackages(() => import('./verbs/measure.js'));
  return measureVerb(first, options, output);
}

/**
 * @param {string} word that stands where a profile does
 * @param {string} profile
 * @returns {string | undefined} what to type instead, where it is the name of a system
 */
function asSystem(word, profile) {
  const isSystem = /^[a-z]/.test(word) && existsSync(join(ROOT, 'stacks', word.split('@')[0], 'stack.json'));
  return isSystem ? `to measure ${word}: ./run-all.sh ${profile} --systems ${word}` : undefined;
}

/**
 * @template T
 * @param {() => Promise<T>} module what reads or writes reports, or compose files, and needs npm packages for it; nothing else does
 * @returns {Promise<T>}
 */
async function withPackages(module) {
  await (await import('./setup/packages.js')).ensurePackages(output);
  return module();
}

/**
 * `help`, `help NAME` of a command or a profile.
 * @param {(string | undefined)[]} words
 * @param {Options} _options
 * @param {Output} output
 */
async function helpVerb([name], _options, output) {
  if (name === undefined) output.result(helpText(profileTitles()));
  else output.result(helpOf(name, (await import('./verbs/profile-help.js')).profilesAtLength()));
  return EXIT.ok;
}

/** Most of a message, which may quote what somebody else wrote. */
const MOST_SIGNS = 2000;

leaveOnSignals();
const output = createOutput();
try {
  process.exitCode = await main(process.argv.slice(2), output);
} catch (thrown) {
  const label = output.paint('red', 'error:');
  const error = thrown instanceof BenchError ? thrown : (refusalOf(thrown) ?? thrown);
  if (error instanceof BenchError) {
    output.say(`${label} ${plainLine(error.message, MOST_SIGNS)}`);
    for (const line of furtherLines(error)) output.say(`    ${plainLine(line, MOST_SIGNS)}`);
    if (error.hint) output.say(`hint: ${error.hint}`);
    process.exitCode = error.exitCode;
  } else {
    output.say(`${label} ${error instanceof Error ? error.stack : error}`);
    process.exitCode = EXIT.internal;
  }
}
