import { askMongo } from './ask-mongo.js';

/** @import { Stack, StackManifest } from '../types.d.ts' */

/**
 * Databases that a user gives are asked who they are: what a manifest says of its own holds for that product alone.
 * @param {Stack[]} stacks
 * @param {Record<string, string>} [endpoints] by id: such a system has its database elsewhere
 * @returns {Promise<Stack[]>} those on given databases called what they run on
 */
export function namedByGiven(stacks, endpoints = {}) {
  return Promise.all(
    stacks.map(async (s) => (endpoints[s.id] ? s : { ...s, manifest: await onGiven(s.manifest) })),
  );
}

/**
 * @param {StackManifest} manifest resolved
 * @returns {Promise<StackManifest>}
 */
async function onGiven(manifest) {
  const companion = manifest.native?.companions?.find((c) => !c.start && c.given?.product);
  if (!companion?.given || !companion.url) return manifest;
  const { env, product: expected } = companion.given;
  const answerer = await askMongo(companion.url);
  const called = [answerer?.product ?? 'an unidentified database', answerer?.version]
    .filter(Boolean)
    .join(' ');
  const database = `${called}, given by ${env}`;
  if (answerer?.product === expected)
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
    limits: undefined,
  };
}
