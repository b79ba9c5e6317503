const ZERO = 48;
const MIN_MS = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const MAX_MS = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** @returns the number that `count` digits from `at` stand for; NaN where one is none */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Days since 1970-01-01, proleptic Gregorian: http://howardhinnant.github.io/date_algorithms.html */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** @returns minutes that the offset at `at` (`Z` or `+hh:mm`, to the end of the text) is ahead of UTC; else NaN */
function offsetMinutes(text: string, at: number): number {
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : Number.NaN;
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text[at + 3] !== ':') return Number.NaN;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * RFC 3339. `Date.parse` takes much that is none, and the 30th of February.
 * @returns ms since 1970-01-01T00:00:00Z, digits below the millisecond cut off; NaN where the text is not valid
 */
export function parseTimestamp(text: string): number {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  const t = text[10];
  if (text[4] !== '-' || text[7] !== '-' || (t !== 'T' && t !== 't')) return Number.NaN;
  if (text[13] !== ':' || text[16] !== ':') return Number.NaN;
  if (!(day >= 1 && day <= daysInMonth(year, month) && hour <= 23 && minute <= 59 && second <= 59))
    return Number.NaN;

  let at = 19;
  let ms = 0;
  if (text[at] === '.') {
    let scale = 100;
    for (at++; ; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      ms += digit * scale;
      scale = scale >= 10 ? scale / 10 : 0;
    }
    if (at === 20) return Number.NaN;
  }
  const ahead = offsetMinutes(text, at);
  const minutes = (daysFromCivil(year, month, day) * 24 + hour) * 60 + minute - ahead;
  const time = minutes * 60_000 + second * 1000 + ms;
  return time >= MIN_MS && time <= MAX_MS ? time : Number.NaN;
}

/** @returns RFC 3339 in UTC with three digits */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
