//! The part of JSON Schema (draft 7) that the entities use; anything else in a schema is refused at the start.

use serde_json::{Map, Number, Value};

/// The rules of one entity's payload.
#[derive(Debug)]
pub struct Schema {
    required: Vec<String>,
    properties: Vec<(String, Rule)>,
}

#[derive(Debug)]
enum Rule {
    Text {
        format: Format,
        allowed: Vec<String>,
    },
    Integer {
        minimum: Option<i64>,
    },
    Number {
        minimum: Option<f64>,
        maximum: Option<f64>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Any,
    Uuid,
    Date,
}

impl Schema {
    /// # Errors
    /// Names the keyword or type that this file does not know.
    pub fn parse(schema: &Value) -> Result<Schema, String> {
        let known = [
            "$schema",
            "type",
            "additionalProperties",
            "properties",
            "required",
        ];
        only_known(schema, &known)?;
        if schema["type"] != "object" || schema["additionalProperties"] != false {
            return Err("must be a closed object".into());
        }
        let properties = schema["properties"]
            .as_object()
            .ok_or("has no properties")?;
        Ok(Schema {
            required: strings(&schema["required"]),
            properties: properties
                .iter()
                .map(|(name, rule)| Rule::parse(rule).map(|parsed| (name.clone(), parsed)))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Checks a payload; whole numbers written as `5.0` become `5` on the way.
    ///
    /// # Errors
    /// The first violation, for people.
    pub fn check(&self, payload: &mut Map<String, Value>) -> Result<(), String> {
        for name in &self.required {
            if !payload.contains_key(name) {
                return Err(format!("\"{name}\" is missing"));
            }
        }
        for (name, value) in payload.iter_mut() {
            let rule = self.properties.iter().find(|(known, _)| known == name);
            let (_, rule) = rule.ok_or_else(|| format!("\"{name}\" is not a field"))?;
            rule.check(value)
                .map_err(|problem| format!("\"{name}\" {problem}"))?;
        }
        Ok(())
    }
}

impl Rule {
    fn parse(rule: &Value) -> Result<Rule, String> {
        only_known(rule, &["type", "format", "enum", "minimum", "maximum"])?;
        match rule["type"].as_str() {
            Some("string") => Ok(Rule::Text {
                format: Format::parse(&rule["format"])?,
                allowed: strings(&rule["enum"]),
            }),
            Some("integer") => Ok(Rule::Integer {
                minimum: rule["minimum"].as_i64(),
            }),
            Some("number") => Ok(Rule::Number {
                minimum: rule["minimum"].as_f64(),
                maximum: rule["maximum"].as_f64(),
            }),
            other => Err(format!("unknown type {other:?}")),
        }
    }

    fn check(&self, value: &mut Value) -> Result<(), String> {
        match self {
            Rule::Text { format, allowed } => check_text(value, *format, allowed),
            Rule::Integer { minimum } => check_integer(value, *minimum),
            Rule::Number { minimum, maximum } => {
                let number = value.as_f64().ok_or("must be a number")?;
                let low = minimum.is_some_and(|least| number < least);
                let high = maximum.is_some_and(|most| number > most);
                if low || high {
                    Err("is out of range".into())
                } else {
                    Ok(())
                }
            }
        }
    }
}

impl Format {
    fn parse(format: &Value) -> Result<Format, String> {
        match format.as_str() {
            None => Ok(Format::Any),
            Some("uuid") => Ok(Format::Uuid),
            Some("date") => Ok(Format::Date),
            Some(other) => Err(format!("unknown format \"{other}\"")),
        }
    }

    fn holds(self, text: &str) -> bool {
        match self {
            Format::Any => true,
            Format::Uuid => text.len() == 36 && uuid::Uuid::try_parse(text).is_ok(),
            Format::Date => is_date(text.as_bytes()),
        }
    }
}

fn check_text(value: &Value, format: Format, allowed: &[String]) -> Result<(), String> {
    let text = value.as_str().ok_or("must be a string")?;
    if !allowed.is_empty() && !allowed.iter().any(|one| one == text) {
        return Err(format!("must be one of {}", allowed.join(", ")));
    }
    if !format.holds(text) {
        return Err(format!(
            "must be a {}",
            if format == Format::Uuid {
                "uuid"
            } else {
                "date"
            }
        ));
    }
    Ok(())
}

fn check_integer(value: &mut Value, minimum: Option<i64>) -> Result<(), String> {
    let number = whole(value).ok_or("must be an integer")?;
    if minimum.is_some_and(|least| number < least) {
        return Err("is too small".into());
    }
    *value = Value::Number(Number::from(number));
    Ok(())
}

/// An integer, also when it is written with a decimal point.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        // Beyond 2^53 a float no longer tells neighbouring integers apart.
        let number = value
            .as_f64()
            .filter(|n| n.fract() == 0.0 && n.abs() < 9_007_199_254_740_992.0);
        number.map(|n| n as i64)
    })
}

/// `YYYY-MM-DD` of a day that exists.
fn is_date(text: &[u8]) -> bool {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| {
            digits
                .iter()
                .fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
        })
    };
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn only_known(object: &Value, known: &[&str]) -> Result<(), String> {
    let fields = object.as_object().ok_or("must be an object")?;
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown keyword \"{key}\"")),
        None => Ok(()),
    }
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| item.as_str().map(String::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Schema {
        let text = include_str!("../entities/hen_productivity.json");
        let entity: Value = serde_json::from_str(text).expect("JSON");
        Schema::parse(&entity["schema"]).expect("a schema")
    }

    fn check(payload: Value) -> Result<Value, String> {
        let mut payload = payload.as_object().expect("an object").clone();
        schema().check(&mut payload)?;
        Ok(Value::Object(payload))
    }

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    #[test]
    fn whole_numbers_may_be_written_with_a_decimal_point() {
        let stored = check(json!({"hen_id": ID, "farm_id": ID, "total_eggs": 5.0})).expect("valid");
        assert_eq!(stored["total_eggs"].to_string(), "5");
    }

    #[test]
    fn refuses_what_the_schema_does_not_allow() {
        for (change, reason) in [
            (
                json!({"total_eggs": 5.5}),
                "\"total_eggs\" must be an integer",
            ),
            (json!({"total_eggs": -1}), "\"total_eggs\" is too small"),
            (
                json!({"quality_rate": 1.01}),
                "\"quality_rate\" is out of range",
            ),
            (json!({"hen_id": "no"}), "\"hen_id\" must be a uuid"),
            (json!({"hen_id": 7}), "\"hen_id\" must be a string"),
            (json!({"legs": 2}), "\"legs\" is not a field"),
        ] {
            let mut payload = json!({"hen_id": ID, "farm_id": ID});
            let fields = change.as_object().expect("an object").clone();
            payload.as_object_mut().expect("an object").extend(fields);
            assert_eq!(check(payload), Err(reason.to_string()));
        }
        assert_eq!(
            check(json!({"hen_id": ID})),
            Err("\"farm_id\" is missing".into())
        );
    }

    #[test]
    fn dates_must_exist() {
        for good in ["2024-02-29", "2026-12-31"] {
            assert!(is_date(good.as_bytes()), "{good}");
        }
        for bad in [
            "2023-02-29",
            "2026-13-01",
            "2026-1-1",
            "20260101",
            "2026-00-10",
            "2026-01-32",
        ] {
            assert!(!is_date(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn unknown_keywords_are_refused() {
        let pattern = json!({"type": "object", "additionalProperties": false,
            "properties": {"a": {"type": "string", "pattern": "x"}}});
        assert_eq!(
            Schema::parse(&pattern).unwrap_err(),
            "unknown keyword \"pattern\""
        );
    }
}
