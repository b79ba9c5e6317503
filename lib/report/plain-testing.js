/** How plain a text is: its sentences, and words that stopped readers. */

/** Words and numbers that a sentence takes. */
export const [MOST_WORDS, MOST_NUMBERS] = [25, 2];

/**
 * Words of rules that no reader needs, in any text: private ones, outcomes under other names, codes, and ends that name nothing.
 * @type {readonly RegExp[]}
 */
export const BANNED = Object.freeze([
  /\bnobody is named\b|\bcompared with nobody\b|\band \d+ more\b|\bopen: /,
  /\b(?:clinging|null-responder)\b/i,
  /client may have set it|set-by-client|storage-stand-in|littles-law|generator-bound/,
  /\bunlike (?:promises|things|durability)\b|\bpromises? (?:something else|unlike)/,
  /\bthe details say\b|\bis below(?=[.)])/,
  /\b(?:undefined|NaN)\b|\[object/,
]);

/** A number that is no part of a name, a version or a date, with what belongs to it: its range, its interval, its sign. */
const NUMBER =
  /(?<![\w.-])[≥≤~+−]?\d[\d\u202f\u00a0]*(?: \d{3}(?!\d))*(?:[.,]\d+)*(?:\s?(?:–|±|to|in|of)\s?\d[\d\u202f.,]*(?: \d{3}(?!\d))*)?(?![\w-]*[A-Za-z]{3}|\.\d)/g;
const NO_NUMBER =
  /\b(?!(?:About|After|All|And|At|Between|But|By|For|From|In|It|Of|On|Only|Over|The|With)\b)\p{Lu}[\p{L}-]+\*{0,2} \d+(?:\.\d+)*(?![\d×%])|\d+ h \d+ (?=min)|\d+ min (?=\d+ s)|\b\d{4}-\d\d(?:-\d\d)?\b|\b\d\d-\d\d\b|\bv?\d+(?:\.\d+){2,}\b|95 % CI/gu;

/**
 * Figures of one kind, one after the other (`1, 20 and 100 users`), are a list and count once: nobody reads them one by one.
 */
const LIST =
  /(?:[≥≤]?\d[\d\u202f.]*(?:\s?(?:%|×|ms|s|µs|MiB|GiB|op\/s|min|users?|connections?))?\s?(?:,| and| or|, then)\s|\d+\/)+[≥≤]?\d[\d\u202f.]*/g;

/**
 * @param {string} markdown
 * @returns {string[]} its sentences, without code, targets of links, tables, headings and lines of facts (`a · b · c`). What
 *   stands in brackets is read by itself, and is a sentence of its own
 */
export function sentencesIn(markdown) {
  const prose = markdown
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .filter((line) => !/^\s*(?:\||<|#|!\[|\[!\[)| · .* · /.test(line))
    .map((line) =>
      /^\s*(?:[-*>]|\d+\.)\s/.test(line) ? `\n${line.replace(/^\s*(?:[-*>]|\d+\.)\s+/, '')}` : line,
    )
    .join('\n');
  return prose
    .replace(/`[^`\n]*`/g, 'CODE')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/\n\s*\n|\n(?=\n)/)
    .flatMap((paragraph) => {
      const asides = [...paragraph.matchAll(/\(([^()]*)\)/g)].map((m) => m[1]);
      const text = paragraph.replace(/\s*\([^()]*\)/g, '');
      return [text, ...asides].flatMap((part) => part.split(/(?<=[.!?:;]\**)\s+|\s·\s/));
    })
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

/** @param {string} sentence @returns {number} */
export function wordsIn(sentence) {
  return sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
}

/** @param {string} sentence @returns {number} */
export function numbersIn(sentence) {
  return (sentence.replace(NO_NUMBER, '').replace(LIST, '1').match(NUMBER) ?? []).length;
}

/**
 * @param {string} markdown
 * @returns {string[]} each sentence that is too long or has too many numbers, and each banned word
 */
export function faultsIn(markdown) {
  const code = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [
    ...BANNED.flatMap((words) => (code.match(words) ? [`banned: ${code.match(words)?.[0]}`] : [])),
    ...sentencesIn(markdown).flatMap((sentence) => {
      const [words, numbers] = [wordsIn(sentence), numbersIn(sentence)];
      return words > MOST_WORDS || numbers > MOST_NUMBERS
        ? [`${words} words, ${numbers} numbers: ${sentence}`]
        : [];
    }),
  ];
}
