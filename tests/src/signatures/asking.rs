//! A call asked in every way: with constants, columns and parameters, by the interpreter and on the CPU.

use super::nasty::{Nasty, ROWS};
use super::shapes::{Kind, Shape};
use super::values::{Random, TYPES, literal};
use crate::WAYS;
use crate::rows::cells;
use multiloop::{DataType, Engine, Result, Session};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes that a statement may take, so that a text of billions of letters is refused soon.
const MEMORY: usize = 256 << 20;

/// Rows of functions that give sets.
const FIRST: usize = 50;

/// What a statement gave: types and rows, or a SQLSTATE with its message.
type Outcome = std::result::Result<(Vec<DataType>, Vec<Vec<Option<String>>>), Refusal>;

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refusal {
    state: String,
    message: String,
}

/// What a call of one row gave: rows of cells, mostly one of one.
type Value = std::result::Result<Vec<Vec<Option<String>>>, String>;

/// The states of what is too large or too long: which of these limits is met first is not part of what a call means.
const LIMITS: [&str; 4] = ["53200", "54000", "57014", "54001"];

/// What stands for any of them.
const LIMIT: &str = "a limit";

fn value_of(outcome: &Outcome) -> Value {
    match outcome {
        Ok((_, rows)) => Ok(rows.clone()),
        Err(refusal) if LIMITS.contains(&refusal.state.as_str()) => Err(LIMIT.to_owned()),
        Err(refusal) => Err(refusal.state.clone()),
    }
}

/// A difference, or an internal error.
#[derive(Debug)]
pub struct Finding {
    /// What was called.
    pub name: String,
    /// What is wrong.
    pub text: String,
}

/// Asks, and keeps what was found.
pub(super) struct Asker {
    cpu: Session,
    interpreter: Session,
    nasty: Nasty,
    random: Random,
    pub(super) findings: Vec<Finding>,
}

impl Asker {
    pub(super) fn new(seed: u64) -> Self {
        let engine = Engine::builder().threads(1).memory_limit(MEMORY).build().expect("an engine starts");
        let (mut cpu, mut interpreter) = (engine.session(), engine.session());
        WAYS[2].set(&mut cpu);
        WAYS[0].set(&mut interpreter);
        let nasty = Nasty::new(seed);
        for sql in nasty.tables() {
            cpu.sql(&sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
        }
        for session in [&cpu, &interpreter] {
            session.sql("SET statement_timeout = '4s'").expect("it is a setting");
        }
        Self { cpu, interpreter, nasty, random: Random::new(seed), findings: Vec::new() }
    }

    /// What random choices start from.
    pub(super) fn start_from(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// Asks for a call with the arguments of so many rows. Whether it is a call at all for these types.
    pub(super) fn ask(&mut self, shape: &Shape, rows: usize) -> bool {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < rows {
            let row = self.random.below(ROWS);
            if !chosen.contains(&row) {
                chosen.push(row);
            }
        }
        chosen.sort_unstable();
        match shape.kind {
            Kind::Plain => self.ask_plain(shape, &chosen),
            Kind::Aggregate | Kind::Window => self.ask_many(shape, &chosen),
            Kind::Rows => self.ask_rows(shape, &chosen),
        }
    }

    fn find(&mut self, shape: &Shape, text: String) {
        self.findings.push(Finding { name: shape.name.clone(), text });
    }

    /// What a statement gives; internal errors are findings.
    fn run(&mut self, shape: &Shape, on_cpu: bool, sql: &str) -> Outcome {
        let session = if on_cpu { &self.cpu } else { &self.interpreter };
        let run = || -> Result<_> {
            let result = session.sql(sql)?;
            let types = result.fields().iter().map(|field| field.data_type).collect();
            Ok((types, cells(result, usize::MAX)?))
        };
        let outcome = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(outcome) => outcome
                .map_err(|error| Refusal { state: error.sqlstate().to_owned(), message: error.message().to_owned() }),
            Err(_) => Err(Refusal { state: "XX000".to_owned(), message: "a panic".to_owned() }),
        };
        if let Err(refusal) = &outcome
            && refusal.state.starts_with("XX")
        {
            let way = if on_cpu { "cpu" } else { "interpreter" };
            self.find(shape, format!("{} {} ({way})\n  {}", refusal.state, refusal.message, short(sql)));
        }
        outcome
    }

    /// Whether a row's arguments have a NULL.
    fn has_null(&self, shape: &Shape, row: usize) -> bool {
        shape.types.iter().enumerate().any(|(place, of)| self.nasty.value(*of, place, row).is_none())
    }

    /// As [`Asker::compare`], of a row with a NULL: it may spare an error that another argument has, or not.
    fn compare_row(&mut self, shape: &Shape, row: usize, values: [&Value; 2], texts: [&str; 2]) {
        let is_null = |value: &Value| *value == Ok(vec![vec![None]]);
        let is_error = |value: &Value| value.as_ref().is_err_and(|state| state.starts_with("22") || state == LIMIT);
        let [expected, got] = values;
        let is_spared = (is_null(expected) && is_error(got)) || (is_error(expected) && is_null(got));
        if !(is_spared && self.has_null(shape, row)) {
            self.compare(shape, expected, got, texts[0], texts[1]);
        }
    }

    /// A finding, if a value is another one than it was as constants.
    fn compare(&mut self, shape: &Shape, expected: &Value, got: &Value, sql: &str, expected_sql: &str) {
        // What needs constants, or has no other form yet, is refused.
        let is_refused = [expected, got].iter().any(|value| **value == Err("0A000".to_owned()));
        if expected != got && !is_refused && !shape.is_volatile() {
            let show = |value: &Value| short(&format!("{value:?}"));
            let text = format!("{}\n  {}\n  but {}\n  {}", show(got), short(sql), show(expected), short(expected_sql));
            self.find(shape, text);
        }
    }

    fn constants(&self, shape: &Shape, row: usize) -> String {
        let argument = |(place, of): (usize, &usize)| literal(*of, self.nasty.value(*of, place, row));
        shape.with(&shape.types.iter().enumerate().map(argument).collect::<Vec<_>>())
    }

    /// The call over columns, of which what may be none is as in a row.
    fn columns(&self, shape: &Shape, row: usize) -> String {
        let argument = |(place, of): (usize, &usize)| match shape.fixed.contains(&place) {
            true => literal(*of, self.nasty.value(*of, place, row)),
            false => Nasty::column(*of, place),
        };
        shape.with(&shape.types.iter().enumerate().map(argument).collect::<Vec<_>>())
    }

    /// Some arguments as columns, the others as the constants of a row.
    fn mixed(&mut self, shape: &Shape, row: usize) -> String {
        let mask = 1 + self.random.below((1 << shape.types.len()).max(3) - 2);
        let argument = |(place, of): (usize, &usize)| match mask & (1 << place) {
            0 => literal(*of, self.nasty.value(*of, place, row)),
            _ => Nasty::column(*of, place),
        };
        shape.with(&shape.types.iter().enumerate().map(argument).collect::<Vec<_>>())
    }

    fn ask_plain(&mut self, shape: &Shape, rows: &[usize]) -> bool {
        let mut expected: Vec<Value> = Vec::new();
        let calls: Vec<String> = rows.iter().map(|row| self.constants(shape, *row)).collect();
        let at_once = self.run(shape, true, &format!("SELECT {}", calls.join(", ")));
        let mut data_type = None;
        if let Ok((types, cells)) = &at_once {
            expected.extend(cells[0].iter().map(|cell| Ok(vec![vec![cell.clone()]])));
            data_type = types.first().copied();
        } else {
            for call in &calls {
                let outcome = self.run(shape, true, &format!("SELECT {call}"));
                data_type = data_type.or_else(|| outcome.as_ref().ok().and_then(|(types, _)| types.first().copied()));
                expected.push(value_of(&outcome));
            }
        }
        if expected.iter().all(is_unbound) {
            return false;
        }
        self.as_parameters(shape, rows, &calls, &expected);
        let columns = self.columns(shape, rows[0]);
        for ((row, value), call) in rows.iter().zip(&expected).zip(&calls) {
            if value.is_err() {
                for on_cpu in [true, false] {
                    let sql = format!("SELECT {columns} FROM nasty WHERE id = {row}");
                    let got = value_of(&self.run(shape, on_cpu, &sql));
                    self.compare_row(shape, *row, [value, &got], [&sql, call]);
                }
            }
        }
        let mut fine: Vec<(usize, Value, String)> = Vec::new();
        for ((row, value), call) in rows.iter().zip(expected).zip(calls) {
            // A NULL may have spared an error, which would be that of all rows.
            let is_spared = value == Ok(vec![vec![None]]) && self.has_null(shape, *row) && {
                self.run(shape, true, &format!("SELECT {columns} FROM nasty WHERE id = {row}")).is_err()
            };
            if value.is_ok() && !is_spared {
                fine.push((*row, value, call));
            }
        }
        if fine.is_empty() || shape.types.is_empty() {
            return true;
        }
        self.as_columns(shape, &columns, &fine);
        self.in_clauses(shape, &columns, &fine, data_type);
        true
    }

    fn as_parameters(&mut self, shape: &Shape, rows: &[usize], calls: &[String], expected: &[Value]) {
        if shape.types.is_empty() {
            return;
        }
        let types: Vec<&str> = shape.types.iter().map(|of| TYPES[*of].sql).collect();
        let parameters: Vec<String> = (1..=types.len()).map(|number| format!("${number}")).collect();
        let text = if shape.kind == Kind::Rows {
            format!("SELECT * FROM {} LIMIT {FIRST}", shape.with(&parameters))
        } else {
            format!("SELECT {}", shape.with(&parameters))
        };
        let _ = self.run(shape, true, "DEALLOCATE ALL");
        let prepare = format!("PREPARE p ({}) AS {text}", types.join(", "));
        let prepared = self.run(shape, true, &prepare);
        for ((row, value), call) in rows.iter().zip(expected).zip(calls) {
            let argument = |(place, of): (usize, &usize)| literal(*of, self.nasty.value(*of, place, *row));
            let arguments: Vec<String> = shape.types.iter().enumerate().map(argument).collect();
            let got = match &prepared {
                Ok(_) if shape.kind == Kind::Rows => {
                    sorted(value_of(&self.run(shape, true, &format!("EXECUTE p ({})", arguments.join(", ")))))
                }
                Ok(_) => value_of(&self.run(shape, true, &format!("EXECUTE p ({})", arguments.join(", ")))),
                Err(_) => value_of(&prepared),
            };
            self.compare_row(shape, *row, [value, &got], [&format!("{prepare} -- {}", arguments.join(", ")), call]);
        }
    }

    /// As columns: of several rows at once, a row that fails alone.
    fn as_columns(&mut self, shape: &Shape, columns: &str, fine: &[(usize, Value, String)]) {
        let ids = ids(fine);
        let temporary = self.random.below(3) == 0;
        let (table, filter) = if temporary {
            // A table of these rows alone, whose chunks and statistics are theirs.
            let _ = self.run(shape, true, "DROP TABLE IF EXISTS few");
            let _ = self.run(shape, true, &self.nasty.copy(shape, &ids));
            ("few", "true".to_owned())
        } else {
            ("nasty", format!("id IN ({ids})"))
        };
        for on_cpu in [true, false] {
            if temporary && !on_cpu {
                continue;
            }
            let sql = format!("SELECT {columns} FROM {table} WHERE {filter} ORDER BY id");
            let got = self.run(shape, on_cpu, &sql);
            self.compare_each(shape, fine, &got, &sql);
        }
        if shape.types.len() > 1 {
            let mixed: Vec<String> = fine
                .iter()
                .map(|(row, ..)| format!("max(CASE WHEN id = {row} THEN ({})::text END)", self.mixed(shape, *row)))
                .collect();
            let whole: Vec<String> =
                fine.iter().map(|(row, ..)| format!("max(CASE WHEN id = {row} THEN ({columns})::text END)")).collect();
            let from = format!("FROM nasty WHERE id IN ({ids})");
            let expected = self.run(shape, true, &format!("SELECT {} {from}", whole.join(", ")));
            let sql = format!("SELECT {} {from}", mixed.join(", "));
            let on_cpu = self.random.below(3) > 0;
            let got = value_of(&self.run(shape, on_cpu, &sql));
            self.compare(shape, &value_of(&expected), &got, &sql, columns);
        }
    }

    fn compare_each(&mut self, shape: &Shape, fine: &[(usize, Value, String)], got: &Outcome, sql: &str) {
        for (place, (_, value, call)) in fine.iter().enumerate() {
            match got {
                Ok((_, rows)) if rows.len() == fine.len() => {
                    self.compare(shape, value, &Ok(vec![rows[place].clone()]), sql, call);
                }
                Ok((_, rows)) => return self.find(shape, format!("{} rows\n  {}", rows.len(), short(sql))),
                Err(_) => return self.compare(shape, value, &value_of(got), sql, call),
            }
        }
    }

    /// In clauses other than the select list.
    fn in_clauses(
        &mut self,
        shape: &Shape,
        columns: &str,
        fine: &[(usize, Value, String)],
        data_type: Option<DataType>,
    ) {
        let ids = ids(fine);
        let filter = format!("FROM nasty WHERE id IN ({ids})");
        if data_type == Some(DataType::Boolean) {
            let sql = format!("SELECT id {filter} AND {columns} ORDER BY id");
            let got = value_of(&self.run(shape, true, &sql));
            let true_rows = fine.iter().filter(|(_, value, _)| *value == Ok(vec![vec![Some("t".to_owned())]]));
            let expected = Ok(true_rows.map(|(row, ..)| vec![Some(row.to_string())]).collect());
            self.compare(shape, &expected, &got, &sql, "the rows for which it is true as constants");
        }
        let sql = match self.random.below(6) {
            0 => format!("SELECT id {filter} AND {columns} IS NULL ORDER BY id"),
            1 => format!("SELECT {columns}, count(*), min(id) {filter} GROUP BY 1 ORDER BY 3"),
            2 => format!("SELECT id {filter} ORDER BY {columns}, id"),
            3 => format!(
                "SELECT DISTINCT {columns} IS NULL, id FROM nothing UNION ALL SELECT {columns} IS NULL, id {filter}"
            ),
            4 => format!("SELECT {columns} FROM nothing"),
            _ => {
                let _ = self.run(shape, true, "DROP TABLE IF EXISTS kept");
                let made = self.run(shape, true, &format!("CREATE TABLE kept AS SELECT id, {columns} AS x {filter}"));
                if made.is_err() {
                    return;
                }
                let sql = "SELECT x FROM kept ORDER BY id";
                let got = self.run(shape, true, sql);
                return self.compare_each(shape, fine, &got, &format!("{sql} -- {columns}"));
            }
        };
        self.both(shape, &sql);
    }

    /// The interpreter and the CPU give the same.
    fn both(&mut self, shape: &Shape, sql: &str) {
        let expected = value_of(&self.run(shape, false, sql));
        let got = value_of(&self.run(shape, true, sql));
        self.compare(shape, &expected, &got, sql, "by the interpreter");
    }

    /// Aggregates and window functions.
    fn ask_many(&mut self, shape: &Shape, rows: &[usize]) -> bool {
        let columns = self.columns(shape, rows[0]);
        let over = if shape.kind == Kind::Window { " OVER (ORDER BY id)" } else { "" };
        let (mut calls, mut expected) = (Vec::new(), Vec::new());
        for row in rows {
            let call = format!("{}{}", self.constants(shape, *row), over.replace("ORDER BY id", ""));
            expected.push(value_of(&self.run(shape, true, &format!("SELECT {call}"))));
            calls.push(call);
        }
        if expected.iter().all(is_unbound) {
            return false;
        }
        let shown = Shape { text: format!("{}{}", shape.text, over.replace("ORDER BY id", "")), ..shape.clone() };
        self.as_parameters(&shown, rows, &calls, &expected);
        for ((row, value), call) in rows.iter().zip(&expected).zip(&calls) {
            let columns = self.columns(shape, *row);
            for on_cpu in [true, false] {
                let sql = format!("SELECT {columns}{over} FROM nasty WHERE id = {row}");
                let got = value_of(&self.run(shape, on_cpu, &sql));
                self.compare(shape, value, &got, &sql, call);
            }
        }
        let ids = rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        for from in ["nasty", &format!("nasty WHERE id IN ({ids})"), "nothing", "nasty WHERE false"] {
            self.both(shape, &format!("SELECT {columns}{over} FROM {from}"));
        }
        let framed = [
            "PARTITION BY id % 4",
            "ORDER BY id % 5, id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            "ORDER BY id % 5 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES",
        ];
        let frame = framed[self.random.below(framed.len())];
        let few = if self.random.below(2) == 0 { format!("WHERE id IN ({ids})") } else { String::new() };
        if !columns.contains("WITHIN GROUP") {
            self.both(shape, &format!("SELECT id, {columns} OVER ({frame}) FROM nasty {few} ORDER BY id"));
        }
        if shape.kind == Kind::Aggregate {
            self.both(shape, &format!("SELECT id % 4, {columns} FROM nasty {few} GROUP BY 1 ORDER BY 1"));
            self.both(shape, &format!("SELECT {columns} FILTER (WHERE id % 3 = 1) FROM nasty {few}"));
            if let [_] = shape.types[..] {
                self.both(shape, &format!("SELECT {} FROM nasty {few}", columns.replacen('(', "(DISTINCT ", 1)));
            }
        }
        true
    }

    /// Functions that give rows.
    fn ask_rows(&mut self, shape: &Shape, rows: &[usize]) -> bool {
        let columns = self.columns(shape, rows[0]);
        let (mut calls, mut expected) = (Vec::new(), Vec::new());
        for row in rows {
            let call = self.constants(shape, *row);
            let sql = format!("SELECT * FROM {call} LIMIT {FIRST}");
            expected.push(sorted(value_of(&self.run(shape, true, &sql))));
            calls.push(call);
        }
        if expected.iter().all(is_unbound) {
            return false;
        }
        self.as_parameters(shape, rows, &calls, &expected);
        for ((row, value), call) in rows.iter().zip(&expected).zip(&calls) {
            for on_cpu in [true, false] {
                let sql = format!("SELECT x.* FROM nasty, LATERAL {columns} AS x WHERE id = {row} LIMIT {FIRST}");
                let got = sorted(value_of(&self.run(shape, on_cpu, &sql)));
                self.compare(shape, value, &got, &sql, call);
            }
            self.both(shape, &format!("SELECT {columns} FROM nasty WHERE id = {row} LIMIT {FIRST}"));
        }
        true
    }
}

/// Whether there is no such call.
fn is_unbound(value: &Value) -> bool {
    value.as_ref().is_err_and(|state| state.starts_with("42") || state == "0A000")
}

/// Rows in an order of their own, as a table's rows have none; of more than are asked for, how many they are.
fn sorted(value: Value) -> Value {
    value.map(|mut rows| {
        rows.sort();
        if rows.len() < FIRST { rows } else { vec![vec![None]; FIRST] }
    })
}

fn ids(fine: &[(usize, Value, String)]) -> String {
    fine.iter().map(|(row, ..)| row.to_string()).collect::<Vec<_>>().join(", ")
}

/// A text without what is too long to read.
fn short(text: &str) -> String {
    let text = text.replace(&"äx€ ".repeat(700), "<long>");
    match text.char_indices().nth(600) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
