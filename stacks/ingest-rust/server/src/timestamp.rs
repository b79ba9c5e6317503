//! RFC 3339 to milliseconds since 1970-01-01T00:00:00Z and back.

const MIN_MS: i64 = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const MAX_MS: i64 = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
const DAYS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn digits(text: &[u8], at: usize, count: usize) -> Option<i64> {
    text.get(at..at + count)?.iter().try_fold(0, |value, c| {
        c.is_ascii_digit().then(|| value * 10 + i64::from(c - b'0'))
    })
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        1..=12 => DAYS[month as usize - 1],
        _ => 0,
    }
}

/// Days since 1970-01-01, proleptic Gregorian: <http://howardhinnant.github.io/date_algorithms.html>
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The reverse of `days_from_civil`: year, month, day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Minutes that an offset (`Z` or `+hh:mm`, to the end of the text) is ahead of UTC.
fn offset_minutes(text: &[u8]) -> Option<i64> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (digits(text, 1, 2)?, digits(text, 4, 2)?);
            let ahead = hours * 60 + minutes;
            (hours <= 23 && minutes <= 59).then_some(if *sign == b'-' { -ahead } else { ahead })
        }
        _ => None,
    }
}

/// Digits below the millisecond are cut off. `None` where the text is not a date and time between the years 1 and
/// 9999, or names a leap second.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.as_bytes();
    let (year, month, day) = (
        digits(text, 0, 4)?,
        digits(text, 5, 2)?,
        digits(text, 8, 2)?,
    );
    let (hour, minute) = (digits(text, 11, 2)?, digits(text, 14, 2)?);
    let second = digits(text, 17, 2)?;
    let separated = text[4] == b'-'
        && text[7] == b'-'
        && matches!(text[10], b'T' | b't')
        && text[13] == b':'
        && text[16] == b':';
    let in_range = (1..=days_in_month(year, month)).contains(&day)
        && hour <= 23
        && minute <= 59
        && second <= 59;
    if !separated || !in_range {
        return None;
    }
    let mut rest = &text[19..];
    let mut ms = 0;
    if let [b'.', fraction @ ..] = rest {
        let length = fraction.iter().take_while(|c| c.is_ascii_digit()).count();
        if length == 0 {
            return None;
        }
        for (digit, scale) in fraction[..length].iter().zip([100, 10, 1]) {
            ms += i64::from(digit - b'0') * scale;
        }
        rest = &fraction[length..];
    }
    let minutes =
        (days_from_civil(year, month, day) * 24 + hour) * 60 + minute - offset_minutes(rest)?;
    let time = minutes * 60_000 + second * 1000 + ms;
    (MIN_MS..=MAX_MS).contains(&time).then_some(time)
}

/// Appends RFC 3339 in UTC with three digits.
pub fn write(out: &mut String, time_ms: i64) {
    let (year, month, day) = civil_from_days(time_ms.div_euclid(86_400_000));
    let ms = time_ms.rem_euclid(86_400_000);
    let parts = [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (ms / 3_600_000, 2, ':'),
        (ms / 60_000 % 60, 2, ':'),
        (ms / 1000 % 60, 2, '.'),
        (ms % 1000, 3, 'Z'),
    ];
    for (value, width, end) in parts {
        let mut scale = 10_i64.pow(width - 1);
        while scale > 0 {
            out.push(char::from(b'0' + (value / scale % 10) as u8));
            scale /= 10;
        }
        out.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> Option<String> {
        let mut out = String::new();
        write(&mut out, parse(text)?);
        Some(out)
    }

    #[test]
    fn offsets_and_fractions_become_utc_milliseconds() {
        for (given, kept) in [
            ("2026-01-31T23:30:00-01:00", "2026-02-01T00:30:00.000Z"),
            ("2024-02-29t12:00:00.98765z", "2024-02-29T12:00:00.987Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(round_trip(given).as_deref(), Some(kept), "{given}");
        }
        assert_eq!(parse("1970-01-01T00:00:01.5Z"), Some(1500));
    }

    #[test]
    fn what_is_no_date_and_time_is_refused() {
        for text in [
            "",
            "2026",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00Zx",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "２026-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        for days in -146_097..146_097 {
            let (year, month, day) = civil_from_days(days);
            assert!((1..=days_in_month(year, month)).contains(&day));
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }
}
