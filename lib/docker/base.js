import { osRelease } from '../setup/debian.js';
import { isPresent } from './images.js';

/** What our own images stand on where a registry answers. */
export const UPSTREAM_BASE = 'debian:13.1-slim';

/** The same release as this machine, so that what was built here finds the C library that it was built with. */
export const SUITE = osRelease().ID === 'debian' ? (osRelease().VERSION_CODENAME ?? 'bookworm') : 'bookworm';
export const OFFLINE_BASE = `ladderbench/base:${SUITE}`;

/** @returns {Promise<string | null>} a base image that the engine has: named by BASE_IMAGE, made here, or upstream's */
export async function findBase() {
  for (const ref of [process.env.BASE_IMAGE, OFFLINE_BASE, UPSTREAM_BASE]) {
    if (ref && (await isPresent(ref))) return ref;
  }
  return null;
}
