export { burst, open, requests } from '../_meshql/client.js';

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
