import { loadProfile, profileIds } from '../config/profiles.js';
import { jsonText } from '../controls.js';
import { EXIT } from '../errors.js';

/** @returns {{id: string, title: string}[]} */
export function profileTitles() {
  return profileIds().map((id) => ({ id, title: loadProfile(id).title }));
}

/**
 * `profiles`: what there is to ask.
 * @param {string[]} _words
 * @param {import('../options.js').Options} options
 * @param {import('../output.js').Output} output
 * @returns {Promise<number>}
 */
export async function profilesVerb(_words, options, output) {
  const profiles = profileTitles();
  const width = Math.max(...profiles.map((p) => p.id.length));
  output.result(
    options.json
      ? jsonText({ schemaVersion: 1, profiles })
      : profiles.map(({ id, title }) => `${id.padEnd(width)}  ${title}\n`).join(''),
  );
  return EXIT.ok;
}
