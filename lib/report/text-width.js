/** How wide words are in the fonts that GitHub's page asks for: by the metrics of Arial, in thousandths of their size. */

const SIZE_PX = 16;
/** Of a character of code, and what stands before and after a span of it. */
const CODE_PX = 8.2;
const CODE_PADDING_PX = 5.5;
/** Characters of one width: plain, bold. Others are as wide as most small letters, or most capital ones. */
const WIDTHS = /** @type {const} */ ([
  ["'", 191, 238],
  ['ijl', 222, 278],
  ['I ,./\u202f', 278, 278],
  ['ft:;![]', 278, 333],
  ['()-·', 333, 333],
  ['r', 333, 389],
  ['*', 389, 389],
  ['z', 500, 500],
  ['cksvxyJ', 500, 556],
  ['ae0123456789_–', 556, 556],
  ['×±+<>≥≤=', 584, 584],
  ['FTZ', 611, 611],
  ['L?', 556, 611],
  ['EPSVXY', 667, 667],
  ['ABK&', 667, 722],
  ['w', 722, 778],
  ['GOQ', 778, 778],
  ['M', 833, 833],
  ['m', 833, 889],
  ['%', 889, 889],
  ['W', 944, 944],
  ['@…', 1015, 1000],
]);
const SMALL = /** @type {const} */ ([556, 611]);
const CAPITAL = /** @type {const} */ ([722, 722]);
const OF_CHARACTER = new Map(
  WIDTHS.flatMap(([characters, ...widths]) => [...characters].map((c) => [c, widths])),
);

/**
 * @param {string} text
 * @param {boolean} [bold]
 * @returns {number} px of one line of it
 */
export function textWidth(text, bold = false) {
  let sum = 0;
  for (const c of text)
    sum += (OF_CHARACTER.get(c) ?? (c >= 'A' && c <= 'Z' ? CAPITAL : SMALL))[bold ? 1 : 0];
  return (sum * SIZE_PX) / 1000;
}

/**
 * @param {string} markdown in which `**` is the only mark
 * @returns {number} px of one line of it
 */
export function markdownWidth(markdown) {
  return markdown.split('**').reduce((sum, part, i) => sum + textWidth(part, i % 2 === 1), 0);
}

/** Fonts beside Arial are a little wider, and so are its letters next to each other. */
const SPARE = 1.02;

/**
 * @param {string} markdown a paragraph: bold and code are marked, links have their addresses
 * @param {number | ((line: number) => number)} widthPx of its column, or of each line of it: the first one is 0
 * @returns {number} lines that it takes, broken between words
 */
export function linesOfText(markdown, widthPx) {
  const widthOf = typeof widthPx === 'number' ? () => widthPx : widthPx;
  const shown = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/(?<!\*)\*(?!\*)/g, '');
  const space = textWidth(' ');
  let lines = 1;
  let used = 0;
  let bold = false;
  let code = false;
  for (const word of shown.split(' ')) {
    const gap = code ? CODE_PX : space;
    let px = 0;
    for (const part of word.split(/(\*\*|`)/)) {
      if (part === '**') bold = !bold;
      else if (part === '`') {
        code = !code;
        px += CODE_PADDING_PX;
      } else px += code ? part.length * CODE_PX : textWidth(part, bold) * SPARE;
    }
    if (used > 0 && used + gap + px > widthOf(lines - 1)) {
      lines += 1;
      used = 0;
    }
    used += px + (used > 0 ? gap : 0);
    // A word that no line holds is broken.
    while (used > widthOf(lines - 1)) {
      used -= widthOf(lines - 1);
      lines += 1;
    }
  }
  return lines;
}
