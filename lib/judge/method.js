/**
 * The method on one page: its version, and every number and word of it that a report states. Whatever prints figures
 * imports this module of the judge and no other.
 */
export { attributionText, FULL } from './attribution.js';
export * from './limits.js';
export { RULES } from './rules.js';
export { SOAK } from './soak.js';
export { durabilityText, gravestText, reasonText, whyText } from './why.js';
