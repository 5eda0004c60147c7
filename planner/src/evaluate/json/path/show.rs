//! Paths of SQL/JSON as PostgreSQL prints them: keys and variables in quotes, operators between blanks, parentheses where an operator
//! binds less tightly than the one around it. The text is read back as the same path.

use super::super::append_json_text;
use super::tree::{Arithmetic, Comparison, Node, Path, Step};
use crate::meter;
use crate::numeric::Numeric;
use crate::stack;

/// A path as PostgreSQL prints it.
pub(super) fn show(path: &Path) -> String {
    let mut out = String::from(if path.is_strict { "strict " } else { "" });
    node(&path.expression, true, &mut out);
    out
}

/// How tightly an operator binds, as PostgreSQL counts for its parentheses.
fn priority(of: &Node) -> u8 {
    match of {
        Node::Or(..) => 0,
        Node::And(..) => 1,
        Node::Compare(..) | Node::StartsWith(..) => 2,
        Node::Arithmetic(Arithmetic::Add | Arithmetic::Subtract, ..) => 3,
        Node::Arithmetic(..) => 4,
        Node::Sign(..) if number(of).is_none() => 5,
        _ => 6,
    }
}

fn comparison_sign(of: Comparison) -> &'static str {
    match of {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

fn arithmetic_sign(of: Arithmetic) -> &'static str {
    match of {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Modulo => "%",
    }
}

/// A number with the signs before it, which are part of it.
fn number(of: &Node) -> Option<Numeric> {
    let (mut is_negative, mut inner) = (false, of);
    while let Node::Sign(is_minus, next) = inner {
        is_negative ^= is_minus;
        inner = next;
    }
    let Node::Plain(digits) = inner else { return None };
    if !digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    Numeric::parse(&if is_negative { format!("-{digits}") } else { digits.clone() }).ok()
}

fn node(of: &Node, bracketed: bool, out: &mut String) {
    stack::more(|| {
        // A cancelled statement is told when its function ends.
        if meter::goes_on(8) {
            written(of, bracketed, out);
        }
    });
}

/// An operator and its sides, in parentheses where the place wants them.
fn sides(of: &Node, left: &Node, sign: &str, right: &Node, bracketed: bool, out: &mut String) {
    let own = priority(of);
    out.push_str(if bracketed { "(" } else { "" });
    node(left, priority(left) <= own, out);
    out.push(' ');
    out.push_str(sign);
    out.push(' ');
    node(right, priority(right) <= own, out);
    out.push_str(if bracketed { ")" } else { "" });
}

/// A node in parentheses of its own.
fn enclosed(before: &str, of: &Node, behind: &str, out: &mut String) {
    out.push_str(before);
    node(of, false, out);
    out.push_str(behind);
}

fn written(of: &Node, bracketed: bool, out: &mut String) {
    if let Some(number) = number(of) {
        return out.push_str(&number.to_string());
    }
    match of {
        Node::Root => out.push('$'),
        Node::Current => out.push('@'),
        Node::Last => out.push_str("last"),
        Node::Variable(name) => {
            out.push('$');
            append_json_text(name, out);
        }
        Node::Text(text) => append_json_text(text, out),
        Node::Plain(word) => out.push_str(word),
        Node::Steps(from, steps) => {
            let is_number = number(from).is_some();
            out.push_str(if is_number { "(" } else { "" });
            node(from, true, out);
            out.push_str(if is_number { ")" } else { "" });
            steps.iter().for_each(|each| step(each, out));
        }
        Node::Arithmetic(operator, left, right) => {
            sides(of, left, arithmetic_sign(*operator), right, bracketed, out);
        }
        Node::Compare(operator, left, right) => sides(of, left, comparison_sign(*operator), right, bracketed, out),
        Node::And(left, right) => sides(of, left, "&&", right, bracketed, out),
        Node::Or(left, right) => sides(of, left, "||", right, bracketed, out),
        Node::StartsWith(left, right) => sides(of, left, "starts with", right, bracketed, out),
        Node::Sign(is_minus, inner) => {
            out.push_str(if bracketed { "(" } else { "" });
            out.push(if *is_minus { '-' } else { '+' });
            node(inner, priority(inner) <= priority(of), out);
            out.push_str(if bracketed { ")" } else { "" });
        }
        Node::Not(inner) => enclosed("!(", inner, ")", out),
        Node::IsUnknown(inner) => enclosed("(", inner, ") is unknown", out),
        Node::Exists(inner) => enclosed("exists (", inner, ")", out),
        Node::Like { value, pattern, flags, .. } => {
            out.push_str(if bracketed { "(" } else { "" });
            node(value, true, out);
            out.push_str(" like_regex ");
            append_json_text(pattern, out);
            if !flags.is_empty() {
                out.push_str(" flag \"");
                out.push_str(flags);
                out.push('"');
            }
            out.push_str(if bracketed { ")" } else { "" });
        }
    }
}

fn step(of: &Step, out: &mut String) {
    match of {
        Step::Key(key) => {
            out.push('.');
            append_json_text(key, out);
        }
        Step::AnyKey => out.push_str(".*"),
        Step::AnyElement => out.push_str("[*]"),
        Step::Elements(all) => {
            out.push('[');
            for (at, (from, to)) in all.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                node(from, false, out);
                if let Some(to) = to {
                    out.push_str(" to ");
                    node(to, false, out);
                }
            }
            out.push(']');
        }
        Step::Any(first, last) => {
            let level = |level: u32| if level == u32::MAX { "last".to_owned() } else { level.to_string() };
            out.push_str(".**");
            if (*first, *last) != (0, u32::MAX) {
                out.push_str(&match first == last {
                    true => format!("{{{}}}", level(*first)),
                    false => format!("{{{} to {}}}", level(*first), level(*last)),
                });
            }
        }
        Step::Filter(predicate) => enclosed("?(", predicate, ")", out),
        Step::Method(method) => {
            out.push('.');
            out.push_str(method.name());
            out.push_str("()");
        }
        Step::Datetime(template) => {
            out.push_str(".datetime(");
            if let Some(template) = template {
                append_json_text(template, out);
            }
            out.push(')');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::show;

    /// The second text is PostgreSQL 15's.
    #[test]
    fn paths_are_shown_as_postgresql_shows_them() {
        for (written, shown) in [
            ("$", "$"),
            ("lax $.a", "$.\"a\""),
            ("strict $.a[*]  .b", "strict $.\"a\"[*].\"b\""),
            ("$.a ? (@.b > 1 && @.c == \"x\")", "$.\"a\"?(@.\"b\" > 1 && @.\"c\" == \"x\")"),
            ("($.a + 1) * 2", "(($.\"a\" + 1) * 2)"),
            ("$.a + 1 * 2", "($.\"a\" + 1 * 2)"),
            ("$.**{2 to last}.x", "$.**{2 to last}.\"x\""),
            ("$.** .*", "$.**.*"),
            ("$[0, 2 to last - 1]", "$[0,2 to last - 1]"),
            ("-1", "-1"),
            ("- -1.50", "1.50"),
            ("-$.a", "(-$.\"a\")"),
            ("1e3", "1000"),
            ("(1).type()", "(1).type()"),
            ("$x.b", "$\"x\".\"b\""),
            ("$ ? (@ like_regex \"^a\" flag \"mi\")", "$?(@ like_regex \"^a\" flag \"im\")"),
            ("$ ? (!(@ == 1) || exists(@.a))", "$?(!(@ == 1) || exists (@.\"a\"))"),
            ("$ ? ((@ > 1) is unknown)", "$?((@ > 1) is unknown)"),
            ("$ ? (@ starts with \"a\\nb\")", "$?(@ starts with \"a\\nb\")"),
            ("$.a.datetime()", "$.\"a\".datetime()"),
            ("true", "true"),
            ("$.a == null", "($.\"a\" == null)"),
        ] {
            let once = show(&read(written).expect("it is a path"));
            assert_eq!(once, shown, "{written}");
            assert_eq!(show(&read(&once).expect("what is shown is a path")), once, "{written}");
        }
    }
}
