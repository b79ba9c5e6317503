/** How wide words are in the fonts that GitHub's page asks for: by the metrics of Arial, in thousandths of their size. */

const SIZE_PX = 16;
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
