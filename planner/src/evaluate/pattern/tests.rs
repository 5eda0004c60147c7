//! Regular expressions beside what PostgreSQL 15 answers.

use super::similar::regular;
use super::*;
use crate::evaluate::array::Array;
use crate::evaluate::testing::{expect_error, integer, text};
use crate::types::DataType;

fn options(letters: &str) -> Options {
    Options::of_argument(letters).expect("these are options")
}

fn is_match(value: &str, pattern: &str) -> bool {
    super::is_match(value, pattern, false).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

/// The groups of the first match, `-` for one that took no part.
fn groups(value: &str, pattern: &str, letters: &str) -> String {
    let pattern = Pattern::new(pattern, options(letters)).expect("it is a regular expression");
    let Some(found) = pattern.find(value, 0, pattern.groups()).expect("it is small") else { return "none".to_owned() };
    let shown = |group: usize| found.group(group).map_or("-", |(start, end)| &value[start..end]);
    (0..=pattern.groups()).map(shown).collect::<Vec<_>>().join(",")
}

#[test]
fn what_matches() {
    for (value, pattern) in [
        ("abc", "b"),
        ("abc", "^abc$"),
        ("", ""),
        ("a", "b||c"),
        ("a", "()"),
        ("x", "a{0}"),
        ("a{,2}", "^a{,2}$"),
        ("aaa", "^a{2,3}$"),
        ("a\nb", "a.b"),
        ("a\nb", "a[^x]b"),
        ("a1_", r"^\w\d\w$"),
        ("é", r"^\w$"),
        ("ÀB", "(?i)^àb$"),
        ("a b", r"a\sb"),
        ("foo bar", r"\mbar\M"),
        ("foo bar", "[[:<:]]bar[[:>:]]"),
        ("foobar", r"o\Yb"),
        ("a.b", "***=a.b"),
        ("A", "***:(?i)a"),
        ("ab", "(?x)a b # both"),
        ("ab", "a(?#c)b"),
        ("a\nb", "(?n)^b"),
        ("a\\b", r"a\Bb"),
        ("A", r"\x41"),
        ("A", r"\u0041"),
        ("A", r"\101"),
        ("\t", r"[\t]"),
        ("]", "[]]"),
        ("-", "[a-]"),
        ("-", "[-a]"),
        ("^", "[a^]"),
        ("b", "[^a]"),
        ("[", r"[\[]"),
        ("1", r"[\d]"),
        ("x", r"[^\W]"),
        ("b", "[[:alpha:]]"),
        (".", "[[...]]"),
        ("é", "[[:lower:]]"),
        ("!", "[[:punct:]]"),
        ("日本", "^..$"),
        ("a&&b", "^a[&-&]{2}b$"),
        ("~", "[--~]"),
    ] {
        assert!(is_match(value, pattern), "{value} ~ {pattern}");
    }
    for (value, pattern) in [
        ("abc", "^b"),
        ("axb", "***=a.b"),
        ("A", "a"),
        ("a\nb", "(?n)a.b"),
        ("a\nb", "(?p)a[^x]b"),
        ("a\nb", "^b"),
        ("a\n", "a$"),
        ("٣", r"\d"),
        ("foobar", r"\mbar"),
        ("ß", "(?i)SS"),
        ("d", "[&&a]"),
    ] {
        assert!(!is_match(value, pattern), "{value} !~ {pattern}");
    }
}

#[test]
fn what_is_taken() {
    for (value, pattern, letters, taken) in [
        ("foobar", "foo|foobar", "", "foobar"),
        ("XY1234Z", "Y*([0-9]{1,3})", "", "Y123,123"),
        ("XY1234Z", "Y*?([0-9]{1,3})", "", "Y1,1"),
        ("abc01234xyz", "(.*)(\\d+)(.*)", "", "abc01234xyz,abc0123,4,xyz"),
        ("abc01234xyz", "(.*?)(\\d+)(.*)", "", "abc0,abc,0,"),
        ("abc01234xyz", "(?:(.*?)(\\d+)(.*)){1,1}", "", "abc01234xyz,abc,01234,xyz"),
        ("foobar", "o(.)b", "", "oob,o"),
        ("foobar", "(?:o)(x)?", "", "o,-"),
        ("ab", "a??(ab)?", "", ",-"),
        ("ab", "a?(ab)?", "", "ab,ab"),
        ("aaa", "a{2}", "", "aa"),
        ("Été", "é", "i", "É"),
        ("x", "y", "", "none"),
        ("日本語", "本.", "", "本語"),
    ] {
        assert_eq!(groups(value, pattern, letters), taken, "{pattern} in {value}");
    }
}

#[test]
fn what_is_no_expression() {
    for pattern in [
        "(",
        ")",
        "*a",
        "a**",
        "a|*",
        "[a",
        "[b-a]",
        "[a-c-e]",
        "[[:foo:]]",
        "a{2,1}",
        "a{256}",
        "a\\",
        "a{1",
        "a{1,x}",
        r"\xzz",
        r"\8",
        r"\q",
        "(?z)a",
        "(?i",
        "***",
        "***a",
        r"\Z{2}",
        "^*",
        "(?x) * a",
        "[[.hyphen.]]",
        r"[a-\d]",
        r"[\m]",
        "(?P<a>b)",
    ] {
        let error = Pattern::new(pattern, Options::default()).err().map(|error| error.sqlstate());
        assert_eq!(error, Some("2201B"), "{pattern}");
    }
    for pattern in [r"(a)\1", "a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b", "(?b)a", "(?e)a"] {
        let error = Pattern::new(pattern, Options::default()).err().map(|error| error.sqlstate());
        assert_eq!(error, Some("0A000"), "{pattern}");
    }
    let huge = format!("{}a{}", "(".repeat(6), "){255}".repeat(6));
    let deep = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    for pattern in [huge, deep] {
        let error = Pattern::new(&pattern, Options::default()).err().map(|error| error.sqlstate());
        assert_eq!(error, Some("2201B"));
    }
    assert_eq!(Options::of_argument("z").unwrap_err().sqlstate(), "22023");
}

#[test]
fn patterns_of_sql() {
    for (pattern, escape, expected) in [
        ("%#\"o_b#\"%", Some("#"), "^(?:.*){1,1}?(o.b){1,1}(?:.*)$"),
        ("a.b(c|d)[%_]$^\\x{2}*?", None, "^(?:a\\.b(?:c|d)[%_]\\$\\^\\x{2}*?)$"),
        ("a[^]%b]c_", None, "^(?:a[^]%b]c.)$"),
        ("[[:alpha:]_%]%", None, "^(?:[[:alpha:]_%].*)$"),
        ("[a[_]%", None, "^(?:[a[_]%)$"),
        ("[\\]_]%", None, "^(?:[\\]_].*)$"),
        ("a\\", None, "^(?:a)$"),
        ("a#\"\"#x%", Some("#"), "^(?:a){1,1}?(\"\\x.*)$"),
        ("[\\d]", Some("#"), "^(?:[\\\\d])$"),
        ("a\\d", Some(""), "^(?:a\\\\d)$"),
    ] {
        assert_eq!(regular(pattern, escape).unwrap(), expected, "{pattern}");
    }
    assert_eq!(regular("a", Some("ab")).unwrap_err().sqlstate(), "22025");
    assert_eq!(regular("a#\"b#\"c#\"", Some("#")).unwrap_err().sqlstate(), "2200C");
}

fn value(function: PatternFunction, arguments: &[Value]) -> Value {
    let types: Vec<DataType> = arguments
        .iter()
        .map(|argument| if matches!(argument, Value::Int(_)) { DataType::Integer } else { DataType::Text })
        .collect();
    crate::evaluate::evaluate(Function::Pattern(function), arguments, &types, DataType::Text).expect("it has a value")
}

#[test]
fn replaced() {
    let replaced = |arguments: &[&str]| {
        let arguments: Vec<Value> = arguments.iter().map(|text| Value::text(*text)).collect();
        value(PatternFunction::Replace, &arguments)
    };
    for (arguments, expected) in [
        (&["abc", "b*", "-", "g"][..], "-a--c-"),
        (&["abc", "x*", "-", "g"], "-a-b-c-"),
        (&["éa", "x*", "-", "g"], "-é-a-"),
        (&["foobar", "(o+)", r"[\1\&\\\q\0\9]"], r"f[oooo\\q\0]bar"),
        (&["foobar", "o", "\\"], "f\\obar"),
        (&["foobarbaz", "b(..)", r"X\1Y", "g"], "fooXarYXazY"),
        (&["Thomas", ".[mN]a.", "M"], "ThM"),
        (&["ABab", "a", "x", "gi"], "xBxb"),
        (&["", "", "x"], "x"),
    ] {
        assert_eq!(replaced(arguments), Value::text(expected), "{arguments:?}");
    }
    let text = Value::text;
    let by_place = [text("foobarbaz"), text("b.."), text("X"), Value::Int(1), Value::Int(2)];
    assert_eq!(value(PatternFunction::Replace, &by_place), text("foobarX"));
    let all = [text("foobarbaz"), text("b.."), text("X"), Value::Int(5), Value::Int(0), text("i")];
    assert_eq!(value(PatternFunction::Replace, &all), text("foobarX"));
}

#[test]
fn searched() {
    use PatternFunction as P;
    let (t, i) = (|text: &str| Value::text(text), Value::Int);
    let foo = || t("foobarbaz");
    assert_eq!(value(P::Count, &[t("abc"), t("b*")]), i(4));
    assert_eq!(value(P::Count, &[t("ababab"), t("ab"), i(2)]), i(2));
    assert_eq!(value(P::Count, &[t("ab"), t("a"), i(9)]), i(0));
    assert_eq!(value(P::Place, &[foo(), t("ba.")]), i(4));
    assert_eq!(value(P::Place, &[foo(), t("ba."), i(1), i(2)]), i(7));
    assert_eq!(value(P::Place, &[foo(), t("b(a)(.)"), i(1), i(2), i(0), t("i"), i(2)]), i(9));
    assert_eq!(value(P::Place, &[foo(), t("ba."), i(1), i(1), i(1)]), i(7));
    assert_eq!(value(P::Place, &[t("éé"), t("é$")]), i(2));
    assert_eq!(value(P::Part, &[foo(), t("ba(.)"), i(1), i(2), t(""), i(1)]), t("z"));
    assert_eq!(value(P::Part, &[t("x"), t("y")]), Value::Null);
    assert_eq!(value(P::Part, &[t("x"), t("x"), i(1), i(1), t(""), i(1)]), Value::Null);
    let array =
        |parts: &[&str]| Value::text(Array::of(parts.iter().map(|part| t(part)).collect()).encode(DataType::Text));
    assert_eq!(value(P::Split, &[t("the quick  fox"), t(r"\s+")]), array(&["the", "quick", "fox"]));
    assert_eq!(value(P::Split, &[t("aéc"), t("")]), array(&["a", "é", "c"]));
    assert_eq!(value(P::Split, &[t("abc"), t("b*")]), array(&["a", "c"]));
    assert_eq!(value(P::Split, &[t(""), t("x")]), array(&[""]));
    assert_eq!(value(P::Split, &[t(" a "), t(" ")]), array(&["", "a", ""]));
    let count = |start| vec![text("a"), text("a"), integer(start)];
    expect_error(Function::Pattern(P::Count), count(0), DataType::Integer, "22023");
    expect_error(Function::Pattern(P::Like), vec![text("a"), text("a"), text("g")], DataType::Boolean, "22023");
}

/// Each thread keeps some expressions; those that do not fit are read again.
#[test]
fn kept() {
    for round in 0..3 {
        for number in 0..2 * KEPT_MAX {
            assert!(is_match(&number.to_string(), &format!("^{number}$")), "{round}");
        }
    }
}

/// Long texts are searched step by step, which finds the same.
#[test]
fn long_texts_have_the_same_matches() {
    let rest = "ß foo12 bar\nfoo3 ".repeat(5);
    for text in [format!("{}{rest}", "x".repeat(LONG)), format!("{rest}{}{rest}", "xé".repeat(LONG / 2))] {
        for expression in [
            "foo",
            "fo+(\\d*)",
            "(foo|foo12) b",
            "x*?o",
            "^foo",
            "o$",
            "\\s",
            "x{3}$",
            "[^x]+",
            "(x|é){2}ß",
            "",
            "nowhere",
            "\\mfoo",
            "ß\\y",
        ] {
            let pattern = Pattern::new(expression, options("n")).expect("it is a regular expression");
            for from in [0, rest.len() + 3] {
                let all = |found: Option<Found>| {
                    found.map(|found| (0..=pattern.groups()).map(|at| found.group(at)).collect::<Vec<_>>())
                };
                let found = pattern.find(&text, from, pattern.groups()).expect("it is not too long");
                let expected = pattern.find_at_once(&text, from).expect("it is not too long");
                assert_eq!(all(found), all(expected), "{expression} from {from}");
            }
            let is_in = pattern.is_in(&text).expect("it is not too long");
            assert_eq!(is_in, pattern.search.is_match(&text), "{expression}");
        }
    }
}

/// Automata made ahead find the same, which takes some searches before, and so does a condition that is shortened.
#[test]
fn automata_made_ahead_have_the_same_matches() {
    let expressions = [
        "a",
        "ab?",
        "a?(ab)?",
        "(a|ab)(c|bcd)",
        "(a*)(ab)*",
        "a.*b",
        "(a.*?)b",
        "[ab]+?c",
        "(a+)-(b+)-.*",
        "^a+",
        "a+$",
        "^(a|b)*$",
        "",
        "b*",
        "(b*?)",
        "x*y|é",
        ".",
        "\\mab",
        "b\\M",
        "\\yé",
        "\\w+",
        "[^a]+",
        "(?n)^b",
        "(?n)a$",
        ".*a.*",
        ".*(ab|ba).*",
        "^.*b.*$",
        "(a)(b)?c|d",
        "(?i)AB",
        "é+",
        "((a)|b)+",
        "(a|b){2,3}c?",
        "\\s",
    ];
    let letters = ["a", "b", "c", "é", "-", " ", "\n", "ab", "x"];
    // Numbers in the base of the letters: all short texts, and some longer ones.
    let text = |mut number: usize| {
        let mut text = String::new();
        while number > 0 {
            text.push_str(letters[number % letters.len()]);
            number /= letters.len();
        }
        text
    };
    let mut texts: Vec<String> = (0..300).chain((0..200).map(|at| at * 7_919_373 + 5)).map(text).collect();
    texts.extend(["a".repeat(500), "ab".repeat(200) + "c", "é".repeat(200) + "b"]);
    for expression in expressions {
        let pattern = Pattern::new(expression, options("")).expect("it is a regular expression");
        (0..=SEARCHES).for_each(|_| _ = pattern.quick());
        for text in &texts {
            let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]).step_by(text.len() / 8 + 1);
            for from in starts {
                let all = |found: Option<Found>| {
                    found.map(|found| (0..=pattern.groups()).map(|at| found.group(at)).collect::<Vec<_>>())
                };
                let expected = pattern.find_at_once(text, from).unwrap();
                let whole = expected.as_ref().map(Found::whole);
                assert_eq!(
                    pattern.find(text, from, 0).unwrap().map(|found| found.whole()),
                    whole,
                    "{expression} {text}"
                );
                let expected = all(expected);
                for wanted in 1..=pattern.groups() {
                    let some =
                        all(pattern.find(text, from, wanted).unwrap()).map(|mut all| all.drain(..=wanted).collect());
                    let wanted: Option<Vec<_>> = expected.as_ref().map(|all| all[..=wanted].to_vec());
                    assert_eq!(some, wanted, "{expression} {text} {from}");
                }
            }
            assert_eq!(pattern.is_in(text).unwrap(), pattern.search.is_match(text), "{expression} {text}");
        }
    }
}

/// A statement that has been cancelled.
#[derive(Debug)]
struct Cancelled;

impl meter::Statement for Cancelled {
    fn check(&self) -> Result<()> {
        Err(crate::error::Error::new(crate::error::ErrorKind::Cancelled, "canceling statement due to user request"))
    }

    fn reserve(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn release(&self, _: usize) {}
}

#[test]
fn one_search_hears_its_statement() {
    let text = "ab ".repeat(LONG);
    let _entered = meter::enter(std::sync::Arc::new(Cancelled));
    for expression in ["nowhere", "b$a", "(b a|ab)*$"] {
        let pattern = Pattern::new(expression, options("")).expect("it is a regular expression");
        let state = pattern.is_in(&text).map_err(|error| error.sqlstate());
        assert_eq!(state, Err("57014"), "{expression}");
        let state = pattern.find(&text, 0, pattern.groups()).map(|_| ()).map_err(|error| error.sqlstate());
        assert_eq!(state, Err("57014"), "{expression}");
    }
}
