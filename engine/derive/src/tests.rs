//! What a derive says of structs that are no rows.

use crate::expand;
use syn::{DeriveInput, parse_str};

/// The errors of a declaration.
fn said(declaration: &str) -> String {
    let input: DeriveInput = parse_str(declaration).expect("it is Rust");
    expand(&input).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_is_no_row() {
    for (declaration, expected) in [
        ("enum Kind { A }", "a row is a struct with named fields, and this is an enum"),
        ("union Both { a: i32 }", "this is a union"),
        ("struct Pair(i32, String);", "fields of a tuple struct do not: name them"),
        ("struct Nothing;", "a row has at least one column"),
        ("struct Nothing {}", "a row has at least one column"),
        ("struct Of<T> { a: T }", "without type parameters and lifetimes"),
        ("struct Lent<'a> { a: &'a str }", "`String` instead of `&str`"),
        ("#[row(table = 5)] struct A { a: i32 }", "expected string literal"),
        ("#[row(tables = \"t\")] struct A { a: i32 }", "a struct has `table = \"…\"`, `prefix = \"…\"` and `untyped`"),
        ("#[row(name = \"t\")] struct A { a: i32 }", "`name` belongs to a field"),
        ("#[row(table = \"t\", table = \"u\")] struct A { a: i32 }", "this is said twice"),
        ("struct A { #[row(rename = \"b\")] a: i32 }", "a field has `name = \"…\"`"),
        ("struct A { #[row(name = \"\")] a: i32 }", "this name is empty"),
        ("struct A { #[row(name = \"b\")] a: i32, b: i32 }", "column \"b\" is that of the field `a`, too"),
        (
            "#[row(prefix = \"x_\")] struct A { a: i32, #[row(name = \"x_a\")] b: i32 }",
            "column \"x_a\" is that of the field `a`, too",
        ),
    ] {
        let said = said(declaration);
        assert!(said.contains(expected), "{declaration}: {said}");
    }
}

#[test]
fn what_is_a_row() {
    let code = |declaration: &str| expand(&parse_str(declaration).expect("it is Rust")).expect("a row").to_string();
    let twin = code("#[row(prefix = \"l_\")] pub(crate) struct Line { /** The key. */ pub r#type: i64, b: String }");
    assert!(twin.contains("pub (crate) struct LineExpr"), "{twin}");
    assert!(
        twin.contains("\"l_type\" , \"l_b\"") && twin.contains(" The key. ") && twin.contains("The column `l_b`."),
        "{twin}"
    );
    let untyped = code("#[row(untyped)] struct Line { a: u8 }");
    assert!(untyped.contains("FromRow") && !untyped.contains("LineExpr"), "{untyped}");
}
