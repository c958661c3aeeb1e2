//! One level of a JSON document at a time.
//!
//! serde_json checks the whole syntax and hands out each value as the text that it came in. That keeps what a typed
//! reader loses and the contract needs: repeated members, the order of members, and integers as they were written
//! (`1e3` and `81.0` are none, and 2^64 is one).

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// Text that is no JSON, with serde_json's reason.
#[derive(Debug)]
pub struct Malformed(pub String);

impl From<serde_json::Error> for Malformed {
    fn from(error: serde_json::Error) -> Malformed {
        Malformed(error.to_string())
    }
}

/// A value, read one level deep.
#[derive(Debug)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number without fraction and exponent, as it was written.
    Integer(&'a str),
    /// Any other number.
    Number,
    /// A string.
    String(Cow<'a, str>),
    /// The elements of an array.
    Array(Vec<&'a RawValue>),
    /// The members of an object, in order, repeated ones included.
    Object(Vec<(Cow<'a, str>, &'a RawValue)>),
}

impl<'a> Value<'a> {
    /// Reads a whole document.
    pub fn document(text: &'a str) -> Result<Value<'a>, Malformed> {
        Value::of(serde_json::from_str(text)?)
    }

    /// Reads one value. Its syntax is known to be right, so all that can fail is a string that has no characters: a
    /// lone surrogate.
    pub fn of(raw: &'a RawValue) -> Result<Value<'a>, Malformed> {
        let text = raw.get();
        Ok(match text.as_bytes().first() {
            Some(b'n') => Value::Null,
            Some(b't' | b'f') => Value::Boolean,
            Some(b'"') => Value::String(string(text)?),
            Some(b'[') => Value::Array(serde_json::from_str(text)?),
            Some(b'{') => Value::Object(serde_json::from_str::<Members>(text)?.0),
            _ if text.contains(['.', 'e', 'E']) => Value::Number,
            _ => Value::Integer(text),
        })
    }

    /// What kind of value it is, for a person.
    pub const fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Number => "a number that is not written as an integer",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// The value of an integer as it was written; `None` where it is negative or beyond 64 bits.
pub fn natural(written: &str) -> Option<u64> {
    if written == "-0" { Some(0) } else { written.parse().ok() }
}

/// The characters of a string. Nearly all have no escapes and are borrowed.
fn string(text: &str) -> Result<Cow<'_, str>, Malformed> {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str(text).map(Cow::Owned).map_err(|_| {
            // Its own place would be that within the string.
            Malformed(String::from("an escape in a string stands for no character"))
        }),
    }
}

struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

/// A member's name; borrowed where it can be, which serde does for a `Cow` only when told.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_is_read() {
        let Ok(Value::Object(members)) = Value::document(r#" {"a": [1, "x"], "a": 1e3, "b\u0062": -0} "#) else {
            panic!("an object")
        };
        let names: Vec<_> = members.iter().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(names, ["a", "a", "bb"]);
        assert!(matches!(Value::of(members[0].1), Ok(Value::Array(elements)) if elements.len() == 2));
        assert!(matches!(Value::of(members[1].1), Ok(Value::Number)));
        assert!(matches!(Value::of(members[2].1), Ok(Value::Integer("-0"))));
    }

    #[test]
    fn what_is_no_json_is_told() {
        for text in ["", " ", "{", "[1,]", "{}x", "\u{feff}{}", "nul", "01", "{\"a\":1,}", "\"\\ud800\"", "\"a\nb\""] {
            assert!(Value::document(text).is_err(), "{text:?}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(matches!(Value::document(&deep), Ok(Value::Array(elements)) if elements.len() == 1));
    }

    #[test]
    fn integers_of_any_length() {
        assert_eq!(natural("18446744073709551615"), Some(u64::MAX));
        assert_eq!(natural("18446744073709551616"), None);
        assert_eq!(natural("-1"), None);
        assert_eq!(natural("-0"), Some(0));
    }
}
