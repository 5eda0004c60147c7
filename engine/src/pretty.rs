//! Results as tables of text, for a terminal or a log: values in the session's own text forms, columns aligned.

use crate::format::text_of;
use crate::stream::ResultStream;
use crate::{DataType, Result};
use unicode_width::UnicodeWidthStr as _;

/// What stands for NULL.
const NULL: &str = "NULL";

impl ResultStream {
    /// The rows as a table of text: names above, numbers at the right, and how many rows there are. Values are shown as the session
    /// that ran the statement shows them; control characters are escaped, so that no value draws on the terminal. A statement
    /// without rows gives its tag.
    ///
    /// All rows are held at once: [`ResultStream::pretty_of`] shows the first ones.
    ///
    /// # Errors
    /// Those of the query's rows.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// let session = Engine::new()?.session();
    /// let fruit = "SELECT * FROM (VALUES ('apple', 1.20), ('pear', NULL)) fruit (name, price)";
    /// let shown = session.sql(fruit)?.pretty()?;
    /// assert_eq!(shown, "
    ///  name  | price
    /// -------+-------
    ///  apple |  1.20
    ///  pear  |  NULL
    /// (2 rows)
    /// ".trim_start_matches('\n'));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn pretty(self) -> Result<String> {
        self.pretty_of(usize::MAX)
    }

    /// As [`ResultStream::pretty`], of the first rows alone; the last line says so if there are more. The others are not computed
    /// where they need not be.
    ///
    /// # Errors
    /// Those of the query's rows.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// let session = Engine::new()?.session();
    /// let shown = session.sql("SELECT n FROM generate_series(1, 1000) r (n)")?.pretty_of(2)?;
    /// assert_eq!(shown, " n\n---\n 1\n 2\n(the first 2 rows)\n");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn pretty_of(mut self, rows_max: usize) -> Result<String> {
        if let Some(tag) = self.tag() {
            return Ok(format!("{tag}\n"));
        }
        let (fields, sight) = (self.fields().to_vec(), self.sight().clone());
        let names = fields.iter().map(|field| visible(&field.name)).collect();
        let is_right = fields.iter().map(|field| is_number(field.data_type)).collect();
        let mut table = Table { names, is_right, cells: Vec::new() };
        let (mut rows, mut is_all) = (0, true);
        for batch in self.by_ref() {
            let batch = batch?;
            let shown = batch.num_rows().min(rows_max - rows);
            text_of(&fields, &batch.slice(0, shown), &sight, &mut |_, text| {
                table.cells.push(text.map_or_else(|| NULL.to_owned(), |text| visible(&text)));
            })?;
            rows += shown;
            if shown < batch.num_rows() {
                is_all = false;
                break;
            }
        }
        let mut shown = table.shown();
        let s = if rows == 1 { "" } else { "s" };
        shown.push_str(&if is_all { format!("({rows} row{s})\n") } else { format!("(the first {rows} row{s})\n") });
        Ok(shown)
    }
}

/// What is shown, row by row.
struct Table {
    names: Vec<String>,
    is_right: Vec<bool>,
    cells: Vec<String>,
}

impl Table {
    fn shown(&self) -> String {
        let count = self.names.len();
        if count == 0 {
            return "--\n".to_owned();
        }
        let mut widths: Vec<usize> = self.names.iter().map(|name| name.width()).collect();
        for row in self.cells.chunks(count) {
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(cell.width()));
        }
        let mut shown = String::new();
        self.put_row(&self.names, &widths, &mut shown);
        let rules: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
        shown.push_str(&rules.join("+"));
        shown.push('\n');
        self.cells.chunks(count).for_each(|row| self.put_row(row, &widths, &mut shown));
        shown
    }

    fn put_row(&self, row: &[String], widths: &[usize], shown: &mut String) {
        let start = shown.len();
        for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            shown.push_str(if at == 0 { " " } else { " | " });
            let (left, right) = if self.is_right[at] { (&pad[..], "") } else { ("", &pad[..]) };
            [left, cell, right].into_iter().for_each(|part| shown.push_str(part));
        }
        shown.truncate(start + shown[start..].trim_end_matches(' ').len());
        shown.push('\n');
    }
}

/// Whether values stand at the right.
fn is_number(data_type: DataType) -> bool {
    data_type.is_numeric() || data_type.is_oid()
}

/// A text as a terminal may see it.
fn visible(text: &str) -> String {
    if !text.chars().any(is_unseen) {
        return text.to_owned();
    }
    let escaped = |character: char| {
        if is_unseen(character) { character.escape_default().to_string() } else { character.to_string() }
    };
    text.chars().map(escaped).collect()
}

/// Whether a character does something to a terminal: controls, and those that turn the direction of what stands beside them or are
/// not to be seen. What joins letters to others (U+200C, U+200D) is a part of words.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0001}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use crate::Engine;

    fn shown(sql: &str) -> String {
        Engine::new().and_then(|engine| engine.session().sql(sql)?.pretty()).expect("rows")
    }

    #[test]
    fn nothing_turns_the_direction() {
        assert_eq!(super::visible("a\u{202e}b\u{feff}é\u{200d}"), "a\\u{202e}b\\u{feff}é\u{200d}");
    }

    #[test]
    fn nothing_draws_on_the_terminal() {
        let sql =
            "SELECT E'a\\x1b[31m\\n\\tb' AS \"x\ty\", true AS \"日本\", '{1,NULL}'::int[] AS l, 1e300::float8 AS f";
        let expected = " x\\ty             | 日本 | l        |      f\n------------------+------+----------+--------\n \
                        a\\u{1b}[31m\\n\\tb | t    | {1,NULL} | 1e+300\n(1 row)\n";
        assert_eq!(shown(sql), expected);
    }

    #[test]
    fn without_rows() {
        assert_eq!(shown("CREATE TABLE t (a int)"), "CREATE TABLE\n");
        assert_eq!(shown("SELECT 1 AS a WHERE false"), " a\n---\n(0 rows)\n");
    }
}
