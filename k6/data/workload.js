/**
 * A workload as data, in the place of a module of `k6/workloads`, and its client, in the place of a system's own: it speaks
 * the protocol, and knows no system.
 * @import { DataWorkload } from '../../lib/types.d.ts'
 * @import { Oracle, Target, WorkloadContext } from '../types.d.ts'
 */
import { connectionTo, factsOf, operationsOf, protocolOf } from './definition.js';

/** @param {string} file @returns {boolean} whether it is a workload as data, not a module */
export function isData(file) {
  return file.endsWith('.json');
}

/** @param {string} text of the file */
export function dataWorkload(text) {
  /** @type {DataWorkload} */
  const data = JSON.parse(text);
  return {
    facts: factsOf(data, 'workload'),
    /** @param {unknown} _client @param {WorkloadContext} context */
    before(_client, context) {
      context.stored?.().begin();
      return null;
    },
    /** @param {unknown} _client @param {WorkloadContext} context @returns {Oracle | undefined} */
    after: (_client, context) => context.stored?.().end(),
  };
}

/** @param {DataWorkload} data */
export function dataClient(data) {
  return {
    open: () => ({ close() {} }),
    burst: (/** @type {Target} */ target) => connectionTo(target, protocolOf(data)),
    templates: Object.fromEntries(operationsOf(data).map(({ name, template }) => [name, template])),
  };
}
