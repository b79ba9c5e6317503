import { loadProfile, profileIds } from '../config/profiles.js';
import { shapeOf, shapeText } from '../config/step-text.js';

/** @returns {{id: string, title: string, about: string[]}[]} each profile with what it measures, in lines */
export function profilesAtLength() {
  return profileIds().map((id) => {
    const profile = loadProfile(id);
    const { title, workloads, repeats, sideBySide, steps } = profile;
    const shapes = steps.map((step) => shapeText(shapeOf(/** @type {any} */ ({ profile }), step)));
    return {
      ...{ id, title },
      about: [
        `workloads: ${workloads?.join(', ') ?? 'all that the systems have'}`,
        `steps: ${[...new Set(shapes)].join('; ')}`,
        `repeats: ${repeats}${sideBySide ? `; starts side by side: at most ${sideBySide.maxStarts}` : ''}`,
      ],
    };
  });
}
