import { escaped } from './charts/draw.js';
import { compiledBeside } from './template.js';

/** JUnit's XML as continuous integration reads it: suites of cases, each passed, failed or skipped. */

/** What a case has of it is there or not, and XML has helpers of its own. */
const OPTIONS = { strict: false, knownHelpersOnly: false };
const DOCUMENT = compiledBeside(import.meta.url, 'templates/junit.hbs', OPTIONS);

/**
 * @typedef {object} JunitCase
 * @property {string} classname
 * @property {string} name
 * @property {{message: string, text?: string}} [failure]
 * @property {string} [skipped] why
 * @property {string} [out] figures, as text
 */

/**
 * @param {string} name of the suite
 * @param {JunitCase[]} cases
 * @param {Record<string, string>} [properties]
 * @returns {string} a whole document
 */
export function junitXml(name, cases, properties = {}) {
  const failures = cases.filter((c) => c.failure).length;
  const skipped = cases.filter((c) => c.skipped !== undefined && !c.failure).length;
  return DOCUMENT({ name, cases, properties, failures, skipped }, { helpers: { attribute, content } });
}

/** What XML 1.0 cannot hold, not even escaped: controls, lone surrogates and two characters that are none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

/** @param {string | undefined} text @returns {string} */
function content(text = '') {
  return escaped(text.replace(NO_XML, ''));
}

/** @param {string} text */
function attribute(text) {
  return content(text).replace(/[\n\r\t]+/g, ' ');
}
