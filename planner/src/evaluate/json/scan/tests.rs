//! The scan against the parser.

use super::*;
use crate::evaluate::json::{check, member, normal};

const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    " true ",
    "false",
    "nul",
    "nulll",
    "null.",
    "True",
    "-0",
    "-0.0",
    "0.50",
    "01",
    "1.",
    ".5",
    "+1",
    "-",
    "1e5",
    "1E-3",
    "1e",
    "1a",
    "12_",
    "1é",
    "nullé",
    "[]",
    "[ ]",
    "[1,]",
    "[,1]",
    "[1",
    "[1 2]",
    "{",
    "{}",
    "{ }",
    "[}",
    "{]",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "{\"a\":1,}",
    "{\"a\":1 \"b\":2}",
    "\"",
    "\"a",
    "\"\n\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u00e9\"",
    "\"\\ud83d\"",
    "\"\\u0000\"",
    "\"\\u00é0\"",
    "1 2",
    "'a'",
    "{\"a\":1}{",
    "{\"a\":1}]",
    "[1]x",
    r#"{"b":1.50,"a":[1,2,{"x":null}],"b":2e3,"aa":"\u00e9\n\/"}"#,
    r#"{"b":1.50,"a":[1,2,{"x":null}],"b":-2,"aa":"é/","a":{"z":1,"y":{},"z":[]}, "":""}"#,
    r#" {"a" : {"b":[1, "x",null]},"é":"\u00e9\n", "a\"": [1 , 2], "a":3}"#,
    r#"{"\u0061":1,"abcdefgh":"12345678","abcdefg":"1234567\\","abcdefghi":"12345678\"9"}"#,
    r#"[1,[2],{"a":3},"x",null,"é\\","","12345678é"]"#,
    r#"{"a":1,"\ud83d":2}"#,
    "\"\u{7f}\u{80}\u{ff}é😀 and so on\"",
];

/// Texts that are JSON, and some that are none.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    for depth in [1, 63, 64, 65, 200] {
        texts.push(format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        texts.push(format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        texts.push(format!("{}]", "[".repeat(depth)));
    }
    // Each beginning of them, and each with a byte left out or made another.
    let whole = texts.clone();
    for text in whole.iter().filter(|text| text.len() < 100) {
        for (at, letter) in text.char_indices() {
            let behind = at + letter.len_utf8();
            texts.push(text[..at].to_owned());
            texts.push(format!("{}{}", &text[..at], &text[behind..]));
            for other in ["\"", "\\", ",", "{", "]", " ", "0", "\u{1f}"] {
                texts.push(format!("{}{other}{}", &text[..at], &text[behind..]));
            }
        }
    }
    texts
}

/// Several fields found at once are what each is by itself, of texts that are JSON.
fn fields_agree(text: &str, steps: &[Step<'_>]) {
    let wanted: Vec<Field<'_>> =
        [false, true].iter().flat_map(|&as_text| steps.iter().map(move |&step| Field::new(step, as_text))).collect();
    let mut spots = vec![Spot::Unknown; wanted.len()];
    if !fields(text, &wanted, false, &mut spots) {
        // A key whose escapes are no characters is left to the parser.
        return assert!(!is_json(text) || text.contains("\\u"), "{text}");
    }
    assert!(check(text).is_ok(), "{text}");
    for (field, spot) in wanted.iter().zip(spots) {
        let expected = match part(text, field.step()) {
            // It nests a level too deep for that.
            Found::Unknown => continue,
            Found::At(range) if field.is_text() => match characters(&text[range.clone()]) {
                Found::At(inner) => Found::At(range.start + inner.start..range.start + inner.end),
                other => other,
            },
            other => other,
        };
        let found = match spot {
            Spot::At(start, end) => Found::At(start as usize..end as usize),
            Spot::Nowhere => Found::Nowhere,
            Spot::Unknown => Found::Unknown,
        };
        assert_eq!(found, expected, "{text} {field:?}");
    }
}

/// Fields of the jsonb that a text is are those of its normal form.
fn strict_fields_agree(text: &str, steps: &[Step<'_>]) {
    let wanted: Vec<Field<'_>> =
        [false, true].iter().flat_map(|&as_text| steps.iter().map(move |&step| Field::new(step, as_text))).collect();
    let mut spots = vec![Spot::Unknown; wanted.len()];
    if !fields(text, &wanted, true, &mut spots) {
        return;
    }
    let normal = normal(text).expect("it is known");
    for (field, spot) in wanted.iter().zip(spots) {
        let found = match spot {
            Spot::At(start, end) => Some(&text[start as usize..end as usize]),
            Spot::Nowhere => None,
            Spot::Unknown => continue,
        };
        let expected = match part(&normal, field.step()) {
            Found::At(range) if field.is_text() => match characters(&normal[range.clone()]) {
                Found::At(inner) => Some(&normal[range.start + inner.start..range.start + inner.end]),
                other => {
                    assert_eq!((other, found), (Found::Nowhere, None), "{text} {field:?}");
                    continue;
                }
            },
            Found::At(range) => Some(&normal[range]),
            Found::Unknown => continue,
            other => {
                assert_eq!((other, found), (Found::Nowhere, None), "{text} {field:?}");
                continue;
            }
        };
        assert_eq!(found, expected, "{text} {field:?}");
    }
}

#[test]
fn eights() {
    let bytes = b"0123456789a";
    for len in 0..=bytes.len() {
        for at in 0..=len + 3 {
            let expected: Vec<u8> = (at..at + 8).map(|at| bytes[..len].get(at).copied().unwrap_or(0)).collect();
            assert_eq!(eight_at(&bytes[..len], at).to_le_bytes(), *expected, "{len} {at}");
        }
    }
    for other in 0..=u8::MAX {
        for at in 0..8 {
            let mut eight = *b"01928374";
            eight[at] = other;
            let expected = eight.iter().take_while(|byte| byte.is_ascii_digit()).count();
            assert_eq!(digits_of(u64::from_le_bytes(eight)), expected, "{other} {at}");
        }
    }
}

#[test]
fn scan_agrees_with_the_parser() {
    for text in texts() {
        let deep = text.len() > 100;
        assert!(is_json(&text) == check(&text).is_ok() || (deep && !is_json(&text)), "{text}");
        let mut out = b"before".to_vec();
        if append_normal(&text, &mut out) {
            assert_eq!(std::str::from_utf8(&out[6..]).unwrap(), normal(&text).expect("it is JSON"), "{text}");
        } else if let Ok(normal) = normal(&text) {
            assert!(deep || text.contains(['\\', 'e', 'E', '-']), "{text}: {normal}");
        }
        let keys = ["a", "b", "", "aa", "é", "a\"", "x", "abcdefgh", "abcdefg"].map(Step::Key);
        let steps: Vec<Step<'_>> = keys.into_iter().chain([0, 1, 2, -1, -3, 7, -9, i64::MIN].map(Step::At)).collect();
        fields_agree(&text, &steps);
        strict_fields_agree(&text, &steps);
        for step in steps {
            let expected = match step {
                Step::Key(key) => member::member(&text, member::Step::Key(key)),
                Step::At(at) => member::member(&text, member::Step::At(at)),
            };
            match part(&text, step) {
                Found::At(range) => {
                    let found = &text[range];
                    assert_eq!(expected, Ok(Some(found)), "{text} {step:?}");
                    let shown = member::text_of(found);
                    match characters(found) {
                        Found::At(inner) => assert_eq!(shown.unwrap(), crate::value::Value::text(&found[inner])),
                        Found::Nowhere => assert!(shown.unwrap().is_null(), "{text}"),
                        Found::Unknown => assert!(found.contains('\\'), "{text}"),
                    }
                }
                Found::Nowhere => assert_eq!(expected, Ok(None), "{text} {step:?}"),
                Found::Unknown => assert!(deep || check(&text).is_err() || text.contains('\\'), "{text}"),
            }
        }
    }
}

#[test]
fn long_texts_are_left_to_the_parser() {
    let text = format!("{{\"a\":\"{}\"}}", "x".repeat(BYTES_MAX));
    assert!(!is_json(&text) && !append_normal(&text, &mut Vec::new()));
    assert_eq!(part(&text, Step::Key("a")), Found::Unknown);
}
