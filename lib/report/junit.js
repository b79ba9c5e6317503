/** JUnit's XML as continuous integration reads it: suites of cases, each passed, failed or skipped. */

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
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  const given = Object.entries(properties);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ladderbench" ${counts}>`,
    `  <testsuite name="${attribute(name)}" ${counts} skipped="${skipped}">`,
    ...(given.length > 0
      ? [
          '    <properties>',
          ...given.map(([k, v]) => `      <property name="${attribute(k)}" value="${attribute(v)}"/>`),
          '    </properties>',
        ]
      : []),
    ...cases.flatMap(caseXml),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** @param {JunitCase} one @returns {string[]} */
function caseXml({ classname, name, failure, skipped, out }) {
  const head = `    <testcase classname="${attribute(classname)}" name="${attribute(name)}"`;
  const inside = [
    ...(failure
      ? [
          `      <failure type="limit" message="${attribute(failure.message)}">${content(failure.text ?? '')}</failure>`,
        ]
      : skipped !== undefined
        ? [`      <skipped message="${attribute(skipped)}"/>`]
        : []),
    ...(out ? [`      <system-out>${content(out)}</system-out>`] : []),
  ];
  return inside.length > 0 ? [`${head}>`, ...inside, '    </testcase>'] : [`${head}/>`];
}

/** What XML 1.0 cannot hold, not even escaped: controls, lone surrogates and two characters that are none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

/** @param {string} text */
function content(text) {
  return text.replace(NO_XML, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param {string} text */
function attribute(text) {
  return content(text)
    .replaceAll('"', '&quot;')
    .replace(/[\n\r\t]+/g, ' ');
}
