import { loadProfile, profileIds } from '../config/profiles.js';
import { shapeOf, shapeText } from '../config/step-text.js';

/** @returns {{id: string, title: string}[]} each profile; below its title what it measures */
export function profilesAtLength() {
  return profileIds().map((id) => {
    const profile = loadProfile(id);
    const { workloads = ['all that the systems have'], repeats, sideBySide, steps } = profile;
    const shapes = steps.map((step) => shapeText(shapeOf(/** @type {any} */ ({ profile }), step)));
    const starts = sideBySide ? `; starts side by side: at most ${sideBySide.maxStarts}` : '';
    const about = [
      `workloads: ${workloads.join(', ')}`,
      `steps: ${[...new Set(shapes)].join('; ')}`,
      `repeats: ${repeats}${starts}`,
    ];
    return { id, title: [profile.title, ...about].join('\n  ') };
  });
}
