/**
 * What the tools that know vulnerabilities found, in one form. Each reader throws where the text is no answer: what
 * could not be asked is never taken for "nothing found".
 */

/**
 * @typedef {{id: string, package: string, title: string}} Finding
 * @typedef {{id: string, package: string, why: string}} Explained
 */

/**
 * @param {string} text of `npm audit --json`
 * @returns {Finding[]} each advisory once
 */
export function npmFindings(text) {
  const { vulnerabilities, message, error } = JSON.parse(text);
  if (!vulnerabilities) throw new Error(message ?? error?.summary ?? 'npm gave no answer');
  /** @type {Map<string, Finding>} */
  const found = new Map();
  for (const { via } of Object.values(vulnerabilities))
    for (const advisory of via) {
      // A package that only depends on a vulnerable one names it; the advisory stands there.
      if (typeof advisory === 'string') continue;
      const id = advisory.url?.split('/').at(-1) ?? String(advisory.source);
      found.set(`${id} ${advisory.name}`, { id, package: advisory.name, title: advisory.title });
    }
  return [...found.values()];
}

/**
 * @param {string} text of `govulncheck -format json`: one JSON object after the other
 * @returns {Finding[]} what our code reaches; a vulnerable function that nobody calls is none
 */
export function goFindings(text) {
  const messages = text.trim() === '' ? [] : JSON.parse(`[${text.trim().replace(/\}\s*\n\{/g, '},\n{')}]`);
  if (!messages.some((/** @type {any} */ m) => m.config)) throw new Error('govulncheck gave no answer');
  const titles = new Map(
    messages.flatMap((/** @type {any} */ m) => (m.osv ? [[m.osv.id, m.osv.summary]] : [])),
  );
  /** @type {Map<string, Finding>} */
  const found = new Map();
  for (const { finding } of messages) {
    const [place] = finding?.trace ?? [];
    if (!place?.function) continue;
    found.set(`${finding.osv} ${place.module}`, {
      id: finding.osv,
      package: place.module,
      title: titles.get(finding.osv) ?? '',
    });
  }
  return [...found.values()];
}

/**
 * @param {string} text of `cargo audit --json`
 * @returns {Finding[]}
 */
export function cargoFindings(text) {
  const { vulnerabilities } = JSON.parse(text || 'null') ?? {};
  if (!Array.isArray(vulnerabilities?.list)) throw new Error('');
  return vulnerabilities.list.map((/** @type {any} */ v) => ({
    id: v.advisory.id,
    package: v.package.name,
    title: v.advisory.title,
  }));
}

/**
 * @param {Finding[]} findings
 * @param {Explained[]} explained
 * @returns {Finding[]} those without a reason
 */
export function unexplained(findings, explained) {
  return findings.filter(
    (f) => !explained.some((e) => e.id === f.id && e.package === f.package && e.why.trim() !== ''),
  );
}
