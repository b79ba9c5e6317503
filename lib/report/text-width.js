/** How wide words are in the fonts that GitHub's page asks for: by the metrics of Arial, in thousandths of their size. */

const SIZE_PX = 16;
/** Of a character of code, and what stands before and after a span of it. */
const CODE_PX = 8.2;
const CODE_PADDING_PX = 5.5;
/** Characters of one width: plain, bold. Others are as wide as a small letter, or a capital one. */
const WIDTHS = /** @type {const} */ ([
  ['\u202f', 200, 200],
  ['ijl', 222, 278],
  [" .,:;/'|It[]f", 278, 310],
  ['()-r', 333, 360],
  ['ckszvxyJ', 500, 556],
  ['0123456789', 556, 556],
  ['×±+<>≥≤=', 584, 584],
  ['w', 722, 778],
  ['GOQ', 778, 778],
  ['mM', 833, 880],
  ['W%@', 944, 944],
]);
const SMALL = /** @type {const} */ ([556, 600]);
const CAPITAL = /** @type {const} */ ([667, 715]);
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
 * @param {number} widthPx of its column
 * @returns {number} lines that it takes, broken between words
 */
export function linesOfText(markdown, widthPx) {
  const shown = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/(?<!\*)\*(?!\*)/g, '');
  const space = textWidth(' ');
  let lines = 1;
  let used = 0;
  let bold = false;
  let code = false;
  for (const word of shown.split(' ')) {
    let px = 0;
    for (const part of word.split(/(\*\*|`)/)) {
      if (part === '**') bold = !bold;
      else if (part === '`') {
        code = !code;
        px += CODE_PADDING_PX;
      } else px += code ? part.length * CODE_PX : textWidth(part, bold) * SPARE;
    }
    if (used > 0 && used + space + px > widthPx) {
      lines += 1;
      used = 0;
    }
    used += px + (used > 0 ? space : 0);
    // A word that no line holds is broken.
    lines += Math.floor(used / widthPx);
    used %= widthPx;
  }
  return lines;
}
