import { jsonOf, runTool } from '../process/tool.js';
import { programsOf, versionOf } from './native.js';

/** @import { Stack, StackManifest } from '../types.d.ts' */

const ASK_MS = 10_000;

/**
 * Databases that a user gives are asked who they are: what a manifest says of its own holds for that product alone. Ours
 * are asked for their version.
 * @param {Stack[]} stacks
 * @param {Record<string, string>} [endpoints] by id: such a system has its database elsewhere
 * @returns {Promise<Stack[]>} those on given databases called what they run on
 */
export function namedByGiven(stacks, endpoints = {}) {
  return Promise.all(stacks.map(async (s) => (endpoints[s.id] ? s : { ...s, manifest: await onGiven(s) })));
}

/**
 * @param {Stack} stack its manifest resolved
 * @returns {Promise<StackManifest>}
 */
async function onGiven(stack) {
  const { manifest } = stack;
  const companion = manifest.native?.companions?.find((c) => !c.start && c.given?.product);
  if (!companion?.given?.product || !companion.url)
    return { ...manifest, traits: { ...manifest.traits, ...(await versionsBeside(stack)) } };
  const { env, product: expected } = companion.given;
  const own = programsOf(stack);
  // With the address, which may hold a password.
  const variables = { ...own.env, [env]: companion.url };
  const answer = await runTool(expected.ask.map(own.fill), { env: variables, timeoutMs: ASK_MS });
  /** @type {{product?: string | null, version?: string | null}} neither: no answer, or one that is not understood */
  const { product, version } = jsonOf(answer) ?? {};
  const called = [product ?? 'an unidentified database', version].filter(Boolean).join(' ');
  const database = `${called}, given by ${env}`;
  if (product === expected.name)
    return { ...manifest, settings: {}, traits: { ...manifest.traits, database } };
  return {
    ...manifest,
    title: `${manifest.title} contract, on ${called}`,
    settings: {},
    traits: { database },
    durability: {
      policy: 'unknown',
      meaning: `unknown: ${called} was given by ${env}, and does not report its durability`,
    },
    promises: undefined,
  };
}

/**
 * @param {Stack} stack
 * @returns {Promise<Record<string, string>>} versions of what it starts beside itself, as far as they are told, by name
 */
async function versionsBeside(stack) {
  const all = stack.manifest.native?.companions ?? [];
  const told = await Promise.all(all.map((c) => versionOf(c.version, programsOf(stack))));
  return Object.fromEntries(all.flatMap(({ name }, i) => (told[i] ? [[name, told[i]]] : [])));
}
