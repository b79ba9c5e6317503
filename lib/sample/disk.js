/** How often the size of the data is read: each reading asks for every file. */
const DISK_EVERY_MS = 250;

/**
 * Keeps the newest reading of a size.
 * @param {() => Promise<number | null>} diskBytes
 * @returns {{last: () => {t: number, bytes: number} | null, stop: () => void}} `t`: epoch ms at which it was asked for
 */
export function watchDisk(diskBytes) {
  /** @type {{t: number, bytes: number} | null} */
  let last = null;
  let reading = false;
  const read = async () => {
    if (reading) return; // a slow disk is not asked twice at once
    reading = true;
    const t = Date.now();
    const bytes = await diskBytes().catch(() => null);
    if (bytes !== null) last = { t, bytes };
    reading = false;
  };
  const timer = setInterval(read, DISK_EVERY_MS);
  return { last: () => last, stop: () => clearInterval(timer) };
}
