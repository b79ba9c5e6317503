export { burst, listening, open, templates } from '../_ingest/client.js';

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
