//! Errors as people read them: the message, the line with a caret under the position, details, the hint.

use multiloop::Error;
use std::fmt::Write;

/// The text of an error in a script.
pub(crate) fn text(error: &Error, script: &str) -> String {
    let mut text = format!("ERROR {}: {}\n", error.sqlstate(), error.message());
    if let Some(position) = error.position() {
        point(&mut text, script, position.0 as usize);
    }
    if let Some(detail) = error.detail() {
        let _ = writeln!(text, "DETAIL: {detail}");
    }
    if let Some(hint) = error.hint() {
        let _ = writeln!(text, "HINT: {hint}");
    }
    text
}

fn point(text: &mut String, script: &str, position: usize) {
    // A position inside a character or behind the end would be a bug elsewhere; it must not become a panic here.
    let mut position = position.min(script.len());
    while !script.is_char_boundary(position) {
        position -= 1;
    }
    let start = script[..position].rfind('\n').map_or(0, |newline| newline + 1);
    let end = script[position..].find('\n').map_or(script.len(), |newline| position + newline);
    let number = script[..start].matches('\n').count() + 1;
    let label = format!("LINE {number}: ");
    // A tab stays a tab under a tab, so that the caret stands where the eye looks.
    let pad: String = script[start..position].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(text, "{label}{}", &script[start..end]);
    let _ = writeln!(text, "{}{pad}^", " ".repeat(label.len()));
}

#[cfg(test)]
mod tests {
    use multiloop::Engine;

    #[test]
    fn the_caret_stands_under_the_name() {
        let session = Engine::new().expect("an engine starts").session();
        let script = "SELECT 1;\nSELECT ä, nope";
        let error = session.sql(script).expect_err("there is no such column");
        let text = super::text(&error, script);
        assert!(text.contains("LINE 2: SELECT ä, nope\n               ^\n"), "{text}");
    }
}
