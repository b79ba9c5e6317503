import { templates as ingestTemplates } from '../_ingest/client.js';

export { burst, open } from '../_ingest/client.js';

/**
 * The same requests, byte for byte; any 2xx is right, because nothing is stored.
 * @param {Parameters<typeof ingestTemplates>[0]} workload
 * @param {Record<string, number>} dataset
 */
export function templates(workload, dataset) {
  return Object.fromEntries(
    Object.entries(ingestTemplates(workload, dataset)).map(([op, { status, contains, ...request }]) => [
      op,
      request,
    ]),
  );
}
