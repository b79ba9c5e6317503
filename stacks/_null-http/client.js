import { templates as ingestTemplates } from '../_ingest/client.js';

export { burst, open } from '../_ingest/client.js';

/**
 * The same requests, byte for byte; any 2xx is right, because nothing is stored.
 * @param {import('../../k6/types.d.ts').Target} target
 * @param {Parameters<typeof ingestTemplates>[1]} workload
 * @param {Record<string, number>} dataset
 */
export function templates(target, workload, dataset) {
  return Object.fromEntries(
    Object.entries(ingestTemplates(target, workload, dataset)).map(
      ([op, { status, contains, ...request }]) => [op, request],
    ),
  );
}
