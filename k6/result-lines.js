/**
 * A runner's result on its standard output, where it shares no disk with anybody: in pieces, because logs of containers cut
 * long lines; numbered, so that one that is missing is seen; plain ASCII, so that no piece ends within a character.
 * Imports nothing of k6: Node's tests read it.
 */

/** Before each piece, on a line of its own. */
export const MARK = 'ladderbench-result';
/** Container runtimes cut lines at 16 KiB. */
const PIECE = 8000;

/**
 * @param {string} json one document without line breaks between its tokens
 * @returns {string} `ladderbench-result 1/12 …` and so on
 */
export function resultLines(json) {
  const ascii = json.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const pieces = Math.max(1, Math.ceil(ascii.length / PIECE));
  let lines = '';
  for (let n = 1; n <= pieces; n++)
    lines += `${MARK} ${n}/${pieces} ${ascii.slice((n - 1) * PIECE, n * PIECE)}\n`;
  return lines;
}
