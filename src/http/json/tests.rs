//! serde_json is the judge: what it takes for JSON our reader takes, and as the same.

use proptest::prelude::*;
use serde_json::Map;

use super::*;

/// Skips the whole document.
fn skip(text: &str) -> Result<(), Malformed> {
    document(text.as_bytes(), Reader::skip)
}

/// Reads the whole document value by value.
fn tree(text: &str) -> Result<serde_json::Value, Malformed> {
    document(text.as_bytes(), branch)
}

fn branch(json: &mut Reader) -> Result<serde_json::Value, Broken> {
    let (mut elements, mut members) = (Vec::new(), Map::new());
    let count = json.array(|json, index| {
        assert_eq!(index, elements.len());
        elements.push(branch(json)?);
        Ok(())
    })?;
    if let Some(count) = count {
        assert_eq!(count, elements.len());
        return Ok(elements.into());
    }
    let object = json.object(|json, name| {
        members.insert(name.into_owned(), branch(json)?);
        Ok(())
    })?;
    if object.is_some() {
        return Ok(members.into());
    }
    let mut ahead = json.clone();
    ahead.skip()?;
    let start = json.at;
    Ok(match json.value()? {
        Value::String(text) => serde_json::Value::from(text),
        // Which number, and whether `true` or `false`, only the text tells.
        _ => serde_json::from_str(&json.text[start..ahead.at]).map_err(|_| Broken)?,
    })
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let skipped = skip(text).map_err(|Malformed(reason)| reason);
    let judged = serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|error| error.to_string());
    prop_assert_eq!(skipped, judged, "{:?}", text);
    // Here strings are read, so that lone surrogates matter to both.
    let (read, judged) = (tree(text), serde_json::from_str::<serde_json::Value>(text));
    prop_assert_eq!(read.ok(), judged.ok(), "{:?}", text);
    Ok(())
}

/// Texts of what JSON is made of, and of what it is not.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"\\n\"",
        "\"\\u0041\"",
        "\"\\ud800\"",
        "\"é\"",
        "\\",
        "\"a\":",
        "null",
        "true",
        "false",
        "nul",
        "-",
        "0",
        "1",
        "12",
        "01",
        "1.5",
        "1.",
        ".5",
        "1e3",
        "1E+",
        "-0",
        "e",
        "+",
        " ",
        "\n",
        "\t",
        "\r",
        "\u{b}",
        "\u{a0}",
        "\u{feff}",
        "\u{1}",
        "x",
        "[]",
        "{}",
        "[1]",
        "{\"a\":1}",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.concat())
}

/// Right documents, with space here and there.
fn documents() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(&["null", "true", "false", " 0", "-1 ", "1.25", "9007199254740993"][..])
            .prop_map(String::from),
        ".{0,6}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|elements| format!("[{}] ", elements.join(" ,"))),
            prop::collection::vec(("[a-c\\\\\"é]{0,2}", inner), 0..4).prop_map(|members| {
                let members =
                    members.iter().map(|(name, value)| format!("{}: {value}", serde_json::Value::from(&**name)));
                format!("{{{}\n}}", members.collect::<Vec<_>>().join(",\n"))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn pieces_are_judged_as_by_serde_json(text in pieces()) {
        check(&text)?;
    }

    #[test]
    fn documents_are_read_as_by_serde_json(text in documents()) {
        prop_assert!(skip(&text).is_ok(), "{:?}", text);
        check(&text)?;
    }

    #[test]
    fn broken_documents_are_judged_as_by_serde_json(text in documents(), piece in pieces(), cut in any::<[prop::sample::Index; 2]>()) {
        let characters: Vec<char> = text.chars().collect();
        let (start, end) = (cut[0].index(characters.len() + 1), cut[1].index(characters.len() + 1));
        let (start, end) = (start.min(end), start.max(end).min(start.min(end) + 3));
        let before: String = characters[..start].iter().collect();
        let after: String = characters[end..].iter().collect();
        check(&format!("{before}{after}"))?;
        check(&format!("{before}{piece}{after}"))?;
    }

    #[test]
    fn no_bytes_are_too_wild(bytes: Vec<u8>) {
        let _ = document(&bytes, Reader::skip);
        let _ = document(&bytes, branch);
    }
}

#[test]
fn members_come_in_order_and_as_they_were_written() {
    let text = r#" {"a": [1, "x"], "a": 1e3, "b\u0062": -0, "c" : {"d": null}} "#;
    let mut found = Vec::new();
    let read = document(text.as_bytes(), |json| {
        json.object(|json, name| {
            let (name, count) = (name.into_owned(), json.count()?);
            found.push((name, count, json.value()?));
            Ok(())
        })
    });
    assert!(matches!(read, Ok(Some(()))));
    let expected = [
        ("a", Some(2), Value::Array),
        ("a", None, Value::Number),
        ("bb", None, Value::Integer("-0")),
        ("c", None, Value::Object),
    ];
    assert_eq!(found, expected.map(|(name, count, value)| (String::from(name), count, value)));
}

#[test]
fn what_is_something_else_stays_unread() {
    let read = document(b" [7]", |json| {
        assert_eq!(json.object(|_, _| Err(Broken))?, None);
        json.array(|json, _| {
            assert_eq!(json.array(|_, _| Err(Broken))?, None);
            assert_eq!(json.value()?, Value::Integer("7"));
            Ok(())
        })
    });
    assert_eq!(read.ok(), Some(Some(1)));
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let cases = [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("[1,]", "expected value at line 1 column 4"),
        ("{}x", "trailing characters at line 1 column 3"),
        ("\u{feff}{}", "expected value at line 1 column 1"),
        ("[\nnul\n]", "expected ident at line 3 column 0"),
        ("01", "invalid number at line 1 column 2"),
        ("\"a\nb\"", "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2"),
    ];
    for (text, reason) in cases {
        let told = document(text.as_bytes(), Reader::value);
        assert!(matches!(&told, Err(Malformed(told)) if told == reason), "{text:?}: {told:?}");
    }
    assert!(matches!(document(b"\"\xff\"", Reader::skip), Err(Malformed(reason)) if reason.contains("utf-8")));
}

#[test]
fn lone_surrogates_matter_where_strings_are_looked_at() {
    for text in [r#""\ud800""#, r#""\udc00x""#, r#"{"\ud800": 1}"#, r#""\ud800\u0041""#] {
        assert!(skip(text).is_ok(), "{text}");
        let told = document(text.as_bytes(), Reader::value);
        assert!(matches!(&told, Err(Malformed(told)) if told.contains("stands for no character")), "{told:?}");
    }
    assert_eq!(document(br#""\ud83d\ude00""#, Reader::value).ok(), Some(Value::String(Cow::Borrowed("😀"))));
}

#[test]
fn nesting_is_as_deep_as_the_text_is_long() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(document(deep.as_bytes(), Reader::value).ok(), Some(Value::Array));
    assert!(skip(&deep[1..]).is_err());
    let deep = format!("{}1{}", "{\"a\":[".repeat(50_000), "]}".repeat(50_000));
    assert_eq!(document(deep.as_bytes(), Reader::value).ok(), Some(Value::Object));
    assert!(skip(&"[{\"\":".repeat(50_000)).is_err());
}

#[test]
fn plain_strings_are_borrowed() {
    assert!(matches!(document(b"\"plain\"", Reader::value), Ok(Value::String(Cow::Borrowed("plain")))));
    assert!(matches!(document(br#""\u0035""#, Reader::value), Ok(Value::String(Cow::Owned(text))) if text == "5"));
}

#[test]
fn integers_of_any_length() {
    assert_eq!(natural("18446744073709551615"), Some(u64::MAX));
    assert_eq!(natural("18446744073709551616"), None);
    assert_eq!(natural("-1"), None);
    assert_eq!(natural("-0"), Some(0));
}
