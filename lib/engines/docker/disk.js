import { callEngine } from '../../docker/api.js';

/**
 * What a system's named volumes hold. The engine walks them for each question.
 * @param {string} socket
 * @param {string} project
 * @param {string[]} volumes their names in the compose file
 * @returns {Promise<number | null>} bytes; null where the engine does not say
 */
export async function volumeBytes(socket, project, volumes) {
  const answer = await callEngine(socket, '/system/df?type=volume', { timeoutMs: 10_000 });
  const own = (answer?.Volumes ?? []).filter(
    (/** @type {any} */ v) =>
      v.Labels?.['com.docker.compose.project'] === project &&
      volumes.includes(v.Labels['com.docker.compose.volume']),
  );
  const sizes = own.map((/** @type {any} */ v) => v.UsageData?.Size ?? -1);
  if (sizes.length === 0 || sizes.some((/** @type {number} */ size) => size < 0)) return null;
  return sizes.reduce((/** @type {number} */ sum, /** @type {number} */ size) => sum + size, 0);
}
