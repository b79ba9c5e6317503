export * from '../_shared/resp-counters-singly.js';

/** @typedef {import('../../k6/types.d.ts').CheckedClient<typeof import('./client.js')>} Client */
