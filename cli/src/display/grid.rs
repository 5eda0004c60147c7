//! Aligned columns: tables as psql's, boxes, Markdown; and rows that stand upright where they are too wide.
//!
//! Widths are those of the first rows, which are held until there are [`ROWS_LOOKED_AT`] of them, or [`BYTES_LOOKED_AT`]; from
//! then on rows are written as they come.

use super::text::{cut, lines, visible};
use super::{Columns, Expanded, Format, Style, Writer};
use multiloop::Result;
use multiloop::arrow::array::RecordBatch;
use std::io::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// Rows that decide the widths of columns, at most.
pub(super) const ROWS_LOOKED_AT: usize = 10_000;

/// Bytes of such rows, at most.
const BYTES_LOOKED_AT: usize = 16 << 20;

/// Stands in place of columns that are left out.
const DOTS: &str = "…";

/// A column is never cut narrower than this.
const CELL_COLUMNS_MIN: usize = 8;

/// What lines are drawn with.
struct Lines {
    /// Of the lines above, between, and below: their ends, what crosses a column's end, and what they are of.
    top: [&'static str; 3],
    middle: [&'static str; 3],
    bottom: [&'static str; 3],
    rule: &'static str,
    /// Between columns.
    bar: &'static str,
    /// Where a value goes on in the next line.
    goes_on: &'static str,
}

const ASCII: Lines =
    Lines { top: ["+", "+", "+"], middle: ["+", "+", "+"], bottom: ["+", "+", "+"], rule: "-", bar: "|", goes_on: "+" };

const BOXES: Lines =
    Lines {
        top: ["┌", "┬", "┐"], middle: ["├", "┼", "┤"], bottom: ["└", "┴", "┘"], rule: "─", bar: "│", goes_on: "↵"
    };

/// How rows stand.
enum Form {
    /// Beside each other, in columns of these widths.
    Aligned(Vec<usize>),
    /// A line a value: the widths of names and of values.
    Upright(usize, usize),
}

/// A table.
pub(super) struct Grid {
    style: Style,
    lines: Lines,
    border: u8,
    held: Vec<Vec<String>>,
    held_bytes: usize,
    form: Option<Form>,
    /// Columns in the middle for which there is no room: one of dots stands in their place.
    left_out: Range<usize>,
    /// Rows that are written.
    written: u64,
}

impl Grid {
    pub(super) fn new(style: Style) -> Self {
        let (lines, border) = match style.format {
            Format::Box => (BOXES, 2),
            Format::Markdown => (Lines { middle: ["|", "|", "|"], ..ASCII }, 2),
            _ => (ASCII, style.border.min(2)),
        };
        Grid { style, lines, border, held: Vec::new(), held_bytes: 0, form: None, left_out: 0..0, written: 0 }
    }

    fn is_markdown(&self) -> bool {
        self.style.format == Format::Markdown
    }

    /// A value as it is shown, with its ends of lines.
    fn shown(&self, cell: Option<String>, is_right: bool) -> String {
        let text = match cell {
            None => self.style.null_shown().to_owned(),
            Some(text) if is_right => self.style.number(text),
            Some(text) => text,
        };
        match self.is_markdown() {
            true => markdown(&text),
            false => lines(&text).join("\n"),
        }
    }

    fn name(&self, name: &str) -> String {
        if self.is_markdown() { markdown(name) } else { visible(name) }
    }

    /// Decides how rows stand, and writes what is held.
    fn settle(&mut self, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<usize> = columns.names().map(|name| self.name(name).width()).collect();
        let mut widths = names.clone();
        let mut values = vec![0; names.len()];
        for row in &self.held {
            for (width, cell) in values.iter_mut().zip(row) {
                *width = (*width).max(cell.split('\n').map(|line| line.width()).max().unwrap_or(0));
            }
        }
        widths.iter_mut().zip(&values).for_each(|(width, value)| *width = (*width).max(*value));
        let fits = |widths: &mut [usize]| match self.style.columns {
            // A column alone is in nobody's way: a plan is not cut.
            Some(columns) if !self.is_markdown() && widths.len() > 1 => fit(widths, columns, self.border),
            _ => true,
        };
        let is_upright = match self.style.expanded {
            _ if self.is_markdown() => false,
            Expanded::On => true,
            Expanded::Auto => self.style.columns.is_some_and(|columns| total(&widths, self.border) > columns),
            Expanded::Off if fits(&mut widths) => false,
            Expanded::Off => match self.style.columns.and_then(|columns| choose(&mut widths, columns, self.border)) {
                Some(left_out) => {
                    self.left_out = left_out;
                    false
                }
                None => true,
            },
        };
        self.form = Some(if is_upright {
            let name = names.iter().copied().max().unwrap_or(0);
            let value = values.iter().copied().max().unwrap_or(0);
            // A value that is wider goes on in the next line of the screen, and lines do not.
            let room = self.style.columns.map_or(usize::MAX, |columns| columns.saturating_sub(name + 3));
            Form::Upright(name, value.min(room.max(CELL_COLUMNS_MIN)))
        } else {
            Form::Aligned(widths)
        });
        self.write_head(columns, out)?;
        let held = std::mem::take(&mut self.held);
        held.iter().try_for_each(|row| self.write_row(columns, row, out))
    }

    /// What is shown of what there is of each column.
    fn seen<T>(&self, of_columns: impl Iterator<Item = T>, dots: T) -> Vec<T> {
        let mut seen: Vec<T> = of_columns.collect();
        if !self.left_out.is_empty() {
            seen.splice(self.left_out.clone(), [dots]);
        }
        seen
    }

    /// Whether what is shown in a place stands at the right.
    fn is_right(&self, columns: &Columns, place: usize) -> bool {
        match self.left_out.len() {
            0 => columns.is_right(place),
            _ if place == self.left_out.start => false,
            gone if place > self.left_out.start => columns.is_right(place + gone - 1),
            _ => columns.is_right(place),
        }
    }

    fn write_head(&self, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
        let Some(Form::Aligned(widths)) = &self.form else {
            return self.style.title_shown().map_or(Ok(()), |title| writeln!(out, "{title}"));
        };
        if let Some(title) = self.style.title_shown() {
            let pad = total(widths, self.border).saturating_sub(title.width()) / 2;
            writeln!(out, "{}{title}", " ".repeat(pad))?;
        }
        if self.border == 2 && !self.is_markdown() {
            self.write_rule(widths, &self.lines.top, out)?;
        }
        if !self.style.has_header() {
            return Ok(());
        }
        let mut line = String::new();
        for (column, (name, &width)) in self.seen(columns.names(), DOTS).into_iter().zip(widths).enumerate() {
            let name = if self.style.columns.is_some() { cut(&self.name(name), width) } else { self.name(name) };
            let pad = width.saturating_sub(name.width());
            let (left, right) = if self.is_markdown() { (0, pad) } else { (pad / 2, pad - pad / 2) };
            let cell = format!("{}{name}{}", " ".repeat(left), " ".repeat(right));
            self.put_cell(&mut line, column, &cell, false, true);
        }
        self.end_line(&mut line);
        out.write_all(line.as_bytes())?;
        if self.is_markdown() {
            let rule = |(column, &width): (usize, &usize)| match columns.is_right(column) {
                true => format!("{}:|", "-".repeat(width + 1)),
                false => format!("{}|", "-".repeat(width + 2)),
            };
            return writeln!(out, "|{}", widths.iter().enumerate().map(rule).collect::<String>());
        }
        self.write_rule(widths, &self.lines.middle, out)
    }

    fn write_rule(&self, widths: &[usize], ends: &[&str; 3], out: &mut dyn Write) -> io::Result<()> {
        let around = if self.border == 0 { 0 } else { 2 };
        let parts: Vec<String> = widths.iter().map(|&width| self.lines.rule.repeat(width + around)).collect();
        match self.border {
            0 => writeln!(out, "{}", parts.join(" ")),
            1 => writeln!(out, "{}", parts.join(ends[1])),
            _ => writeln!(out, "{}{}{}", ends[0], parts.join(ends[1]), ends[2]),
        }
    }

    /// Adds a cell to a line: `is_open` says that the value goes on in the next line, `is_padded` that blanks follow.
    fn put_cell(&self, line: &mut String, column: usize, cell: &str, is_open: bool, is_padded: bool) {
        match (self.border, column) {
            (0, 0) => {}
            (0, _) => {}
            (1, 0) => line.push(' '),
            (2, 0) => line.push_str(&format!("{} ", self.lines.bar)),
            _ => line.push_str(&format!("{} ", self.lines.bar)),
        }
        line.push_str(cell);
        if is_open {
            line.push_str(self.lines.goes_on);
        } else if is_padded {
            line.push(' ');
        }
    }

    fn end_line(&self, line: &mut String) {
        if self.border == 2 {
            line.push_str(self.lines.bar);
        }
        line.push('\n');
    }

    fn write_row(&mut self, columns: &Columns, row: &[String], out: &mut dyn Write) -> io::Result<()> {
        self.written += 1;
        match &self.form {
            Some(Form::Upright(names, values)) => self.write_upright(columns, row, (*names, *values), out),
            Some(Form::Aligned(widths)) => self.write_aligned(columns, row, widths, out),
            None => Ok(()),
        }
    }

    fn write_aligned(
        &self,
        columns: &Columns,
        row: &[String],
        widths: &[usize],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let cells = self.seen(row.iter().map(|cell| cell.split('\n').collect::<Vec<&str>>()), vec![DOTS]);
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        let is_cut = self.style.columns.is_some() && cells.len() > 1;
        let mut text = String::new();
        for number in 0..height {
            let mut line = String::new();
            for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                let value = cell.get(number).copied().unwrap_or("");
                let value = if is_cut { cut(value, width) } else { value.to_owned() };
                let (is_open, is_last) = (number + 1 < cell.len(), column + 1 == cells.len());
                let is_padded = !is_last || self.border == 2;
                let pad = " ".repeat(width.saturating_sub(value.width()));
                let is_over = number >= cell.len() && !is_padded;
                let cell = match self.is_right(columns, column) {
                    _ if is_over => String::new(),
                    true => format!("{pad}{value}"),
                    false if is_padded || is_open => format!("{value}{pad}"),
                    false => value,
                };
                self.put_cell(&mut line, column, &cell, is_open, is_padded);
            }
            self.end_line(&mut line);
            text.push_str(&line);
        }
        out.write_all(text.as_bytes())
    }

    fn write_upright(
        &self,
        columns: &Columns,
        row: &[String],
        (names, values): (usize, usize),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut text = self.record_line((names, values));
        let (left, between) = match self.border {
            0 => (String::new(), " ".to_owned()),
            1 => (String::new(), format!(" {} ", self.lines.bar)),
            _ => (format!("{} ", self.lines.bar), format!(" {} ", self.lines.bar)),
        };
        for (cell, name) in row.iter().zip(columns.names()) {
            let name = self.name(name);
            let lines: Vec<&str> = cell.split('\n').collect();
            for (number, value) in lines.iter().enumerate() {
                let name = if number == 0 { name.as_str() } else { "" };
                let pad = " ".repeat(names - name.width());
                let rest = " ".repeat(values.saturating_sub(value.width()));
                let is_open = number + 1 < lines.len();
                let end = match (self.border, is_open) {
                    (2, false) => format!("{rest} {}", self.lines.bar),
                    (2, true) => format!("{rest}{}{}", self.lines.goes_on, self.lines.bar),
                    (_, true) => format!("{rest}{}", self.lines.goes_on),
                    (_, false) => String::new(),
                };
                text.push_str(&format!("{left}{name}{pad}{between}{value}{end}\n"));
            }
        }
        out.write_all(text.as_bytes())
    }

    /// The line above an upright row: its number upon a rule.
    fn record_line(&self, (names, values): (usize, usize)) -> String {
        if self.style.tuples_only {
            return if self.border == 2 || self.written > 1 {
                self.upright_rule((names, values))
            } else {
                String::new()
            };
        }
        let (rule, number) = (self.lines.rule, self.written);
        let label = match self.border {
            0 => format!("* Record {number}"),
            1 => format!("{rule}[ RECORD {number} ]"),
            _ => format!("{}{rule}[ RECORD {number} ]", self.record_ends()[0]),
        };
        let under = self.upright_rule((names, values));
        let rest: String = under.trim_end_matches('\n').chars().skip(label.width()).collect();
        match (self.border, rest.width()) {
            (2, 0..2) => format!("{label}{rule}{}\n", self.record_ends()[2]),
            _ => format!("{label}{rest}\n"),
        }
    }

    /// What the lines between upright rows are drawn with.
    fn record_ends(&self) -> &[&'static str; 3] {
        if self.written == 1 { &self.lines.top } else { &self.lines.middle }
    }

    fn upright_rule(&self, (names, values): (usize, usize)) -> String {
        let [left, cross, right] = *self.record_ends();
        // Between rows without a frame a line crosses the bar of both.
        let cross = if self.border == 1 { self.lines.middle[1] } else { cross };
        let rule = |width: usize| self.lines.rule.repeat(width);
        match self.border {
            0 => format!("{}\n", " ".repeat(names + values)),
            1 => format!("{}{cross}{}\n", rule(names + 1), rule(values + 1)),
            _ => format!("{left}{}{cross}{}{right}\n", rule(names + 2), rule(values + 2)),
        }
    }
}

impl Writer for Grid {
    fn start(&mut self, _: &Columns, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut done = Ok(());
        columns.rows(batch, &mut |row| {
            if done.is_err() {
                return;
            }
            let cells = row.into_iter().enumerate().map(|(column, cell)| self.shown(cell, columns.is_right(column)));
            let cells: Vec<String> = cells.collect();
            if self.form.is_some() {
                done = self.write_row(columns, &cells, out);
                return;
            }
            self.held_bytes += cells.iter().map(|cell| cell.len() + size_of::<String>()).sum::<usize>();
            self.held.push(cells);
            if self.held.len() >= ROWS_LOOKED_AT || self.held_bytes >= BYTES_LOOKED_AT {
                done = self.settle(columns, out);
            }
        })?;
        Ok(done)
    }

    fn finish(&mut self, columns: &Columns, rows: u64, is_cut: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.form.is_none() {
            self.settle(columns, out)?;
        }
        let mut footers = self.style.footer_lines(rows, is_cut);
        match &self.form {
            Some(Form::Aligned(widths)) if self.border == 2 && !self.is_markdown() => {
                self.write_rule(widths, &self.lines.bottom, out)?;
            }
            Some(Form::Upright(..)) => self.end_upright((rows, is_cut), &mut footers, out)?,
            _ => {}
        }
        if !self.left_out.is_empty() && !self.style.tuples_only {
            let all = columns.names().count();
            footers.push(format!("({} of {all} columns shown; \\x shows all)", all - self.left_out.len()));
        }
        // Footers would be rows of Markdown; a blank line ends a table there, too.
        if self.is_markdown() {
            footers.clear();
        }
        footers.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)
    }
}

impl Grid {
    /// Draws the last line; the number of rows stands above each of them, and is told where there is none, or where more are.
    fn end_upright(
        &self,
        (rows, is_cut): (u64, bool),
        footers: &mut Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if rows > 0 && !is_cut && self.style.footers.is_empty() {
            footers.clear();
        }
        if let Some(Form::Upright(names, values)) = self.form
            && self.border == 2
            && rows > 0
        {
            let [left, cross, right] = self.lines.bottom;
            let rule = |width: usize| self.lines.rule.repeat(width);
            writeln!(out, "{left}{}{cross}{}{right}", rule(names + 2), rule(values + 2))?;
        }
        Ok(())
    }
}

/// Columns that a row takes.
fn total(widths: &[usize], border: u8) -> usize {
    let columns = widths.len();
    let cells: usize = widths.iter().sum();
    match border {
        0 => cells + columns.saturating_sub(1),
        1 => cells + (3 * columns).saturating_sub(1),
        _ => cells + 3 * columns + 1,
    }
}

/// Narrows the widest columns until a row fits; false if it cannot, and then they stay as they are.
fn fit(widths: &mut [usize], columns: usize, border: u8) -> bool {
    let wide = widths.to_vec();
    while total(widths, border) > columns {
        match widths.iter_mut().max() {
            Some(widest) if *widest > CELL_COLUMNS_MIN => *widest -= 1,
            _ => {
                widths.copy_from_slice(&wide);
                return false;
            }
        }
    }
    true
}

/// Keeps as many columns at both ends as there is room for, and one of dots between them; gives those that are left out. None if
/// there is no room even for one at each end.
fn choose(widths: &mut Vec<usize>, columns: usize, border: u8) -> Option<Range<usize>> {
    let all = std::mem::take(widths);
    let with = |left: usize, right: usize| {
        let ends = all[..left].iter().chain([&1]).chain(&all[all.len() - right..]);
        ends.copied().collect::<Vec<usize>>()
    };
    let (mut left, mut right) = (0, 0);
    for next in 0..all.len().saturating_sub(1) {
        let wider = if next % 2 == 0 { (left + 1, right) } else { (left, right + 1) };
        let mut chosen = with(wider.0, wider.1);
        if !fit(&mut chosen, columns, border) {
            break;
        }
        (left, right) = wider;
        *widths = chosen;
    }
    if left == 0 || right == 0 {
        *widths = all;
        return None;
    }
    Some(left..all.len() - right)
}

/// A value as a cell of Markdown: in one line, and nothing in it ends the cell or is a tag.
fn markdown(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '\\' => cell.extend(['\\', character]),
            '<' => cell.push_str("&lt;"),
            '\n' => cell.push_str("<br>"),
            '\t' => cell.push(' '),
            control if control.is_control() => cell.push_str(&visible(&control.to_string())),
            other => cell.push(other),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::{choose, fit, total};

    #[test]
    fn wide_tables_lose_from_their_widest_column() {
        let mut widths = vec![5, 100, 20];
        assert!(fit(&mut widths, 60, 1));
        assert_eq!(widths, [5, 27, 20]);
        assert!(!fit(&mut [9; 16], 60, 1));
    }

    #[test]
    fn too_many_columns_lose_those_in_the_middle() {
        let mut widths = vec![10; 19];
        assert_eq!(choose(&mut widths, 60, 1), Some(3..17));
        assert_eq!(widths.len(), 6);
        assert!(total(&widths, 1) <= 60);
        assert_eq!(choose(&mut vec![10; 19], 10, 1), None);
        let mut short = vec![3; 30];
        assert_eq!(choose(&mut short, 80, 0), Some(10..21));
    }
}
