//! Files as a table.
//!
//! Types are guessed by the first rows, and every field is held against them while it is read. If some were not of their type,
//! the columns that they belong to are read once more as what all rows say that they are; the others stay.

use super::super::set::FileSet;
use super::super::unite::{Places, Union};
use super::CsvOptions;
use super::dialect::Dialect;
use super::guess::Guess;
use super::head::Head;
use super::infer::{Layout, start_in};
use super::pass::{BLOCK_BYTES, Block, Pass, Reject, Sink};
use super::source::Source;
use super::split::Shape;
use super::values::Want;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, Result};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Reads files into given columns.
pub(super) fn read_into(paths: &[PathBuf], options: &CsvOptions, fields: &[Field], context: &Context) -> Result<Table> {
    let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, context);
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    for path in paths {
        let source = Source::open_once(path, options)?;
        let head = Head::read(&source, options, context)?;
        let forced = options.forced(fields)?;
        let dialect = Dialect { forced, ..Dialect::of_columns(&head, options, fields.len()) };
        let (start, line) = start_in(&head, &dialect, options, fields)?;
        drop(head);
        let shape = shape(&dialect, fields.len(), options, false);
        let pass = pass(&source, shape, &names, (start, line), options);
        context.progress.total.fetch_add(source.file_bytes(), Ordering::Relaxed);
        pass.run(&mut Given { fields, builder: &mut builder }, context)?;
    }
    builder.finish()
}

pub(super) fn shape<'a>(dialect: &'a Dialect, columns: usize, options: &CsvOptions, lenient: bool) -> Shape<'a> {
    Shape { dialect, columns, lenient, pads: options.null_padding, drops: options.drops() }
}

pub(super) fn pass<'a>(
    source: &'a Source,
    shape: Shape<'a>,
    names: &'a [String],
    (start, line): (u64, u64),
    options: &CsvOptions,
) -> Pass<'a> {
    let row_bytes_max = options.row_bytes_max();
    let block_bytes = options.block_bytes.unwrap_or(BLOCK_BYTES);
    Pass { source, shape, names, start, line, block_bytes, row_bytes_max, keeps_rejects: options.rejects }
}

/// Columns of given types.
struct Given<'a> {
    fields: &'a [Field],
    builder: &'a mut TableBuilder,
}

impl Sink for Given<'_> {
    fn wants(&self) -> Vec<Want> {
        self.fields.iter().map(|field| Want::Read(field.data_type)).collect()
    }

    fn take(&mut self, block: Block) -> Result<()> {
        let lost = || Error::internal("a column that was asked for has not been read");
        let columns = block.columns.into_iter().map(|made| made.column).collect::<Option<Vec<Column>>>();
        self.builder.push_columns(block.rows, columns.ok_or_else(lost)?)
    }
}

/// Files, and the columns that they have together.
#[derive(Debug)]
pub(super) struct Guessed {
    pub(super) options: CsvOptions,
    pub(super) layouts: Vec<Layout>,
    pub(super) union: Union,
    /// By column of the union: what its fields are in all files, by their first rows.
    pub(super) guesses: Vec<Guess>,
    pub(super) said: Vec<Option<DataType>>,
}

impl Guessed {
    /// By the first rows of files.
    pub(super) fn of(paths: &FileSet, options: &CsvOptions, context: &Context) -> Result<Self> {
        let layouts = paths.iter().map(|path| Layout::of(path, options, context)).collect::<Result<Vec<_>>>()?;
        let mut union = Union::default();
        let mut guesses: Vec<Guess> = Vec::new();
        let mut said: Vec<Option<DataType>> = Vec::new();
        for layout in &layouts {
            let field = |name: &String| Field::new(name.clone(), DataType::Text, true);
            union.add(layout.names.iter().map(field).collect());
            guesses.resize(union.fields.len(), Guess::default());
            said.resize(union.fields.len(), None);
            let places = union.places.last().map_or(&[][..], |places| &places[..]);
            for (index, &at) in places.iter().enumerate() {
                guesses[at].merge(&layout.guesses[index]);
                said[at] = said[at].or(layout.said[index]);
            }
        }
        union.add_constants(paths)?;
        guesses.resize(union.fields.len(), Guess::default());
        said.resize(union.fields.len(), None);
        for (at, said) in said.iter_mut().enumerate() {
            if union.constant(at).is_some() {
                *said = Some(union.fields[at].data_type);
            }
        }
        let mut guessed = Guessed { options: options.clone(), layouts, union, guesses, said };
        guessed.name_types();
        Ok(guessed)
    }

    /// Gives columns the types that are known of them.
    pub(super) fn name_types(&mut self) {
        for (index, field) in self.union.fields.iter_mut().enumerate() {
            field.data_type = self.said[index].unwrap_or_else(|| self.guesses[index].data_type());
        }
    }

    /// The columns.
    pub(super) fn fields(&self) -> Vec<Field> {
        self.union.fields.clone()
    }

    /// All rows.
    pub(super) fn read(&mut self, context: &Context) -> Result<Table> {
        let mut builder = TableBuilder::new(self.fields(), Storage::Compact, context);
        let mut totals = self.guesses.clone();
        let all: Vec<bool> = vec![true; totals.len()];
        let mut others = vec![false; totals.len()];
        self.pass_all(&all, Some((&mut totals, &mut others)), &mut builder, context)?;
        let table = builder.finish()?;
        let first = self.fields();
        self.guesses = totals;
        self.name_types();
        for (other, (before, now)) in others.iter_mut().zip(first.iter().zip(&self.union.fields)) {
            *other |= before.data_type != now.data_type;
        }
        if !others.contains(&true) {
            return Ok(table);
        }
        let columns: Vec<usize> = (0..others.len()).filter(|&index| others[index]).collect();
        let fields = columns.iter().map(|&index| self.union.fields[index].clone()).collect();
        let mut builder = TableBuilder::new(fields, Storage::Compact, context);
        self.pass_all(&others, None, &mut builder, context)?;
        table.with_columns(&columns, builder.finish()?)
    }

    /// The columns in which words stand for missing values.
    pub(super) fn placeholder_columns(&self) -> Vec<String> {
        let has = |at: &usize| self.said[*at].is_none() && self.guesses[*at].has_placeholders();
        (0..self.union.fields.len()).filter(has).map(|at| self.union.fields[at].name.clone()).collect()
    }

    /// The rows that are wrong, as a table: where they are, and what is wrong with them.
    pub(super) fn rejects(&self, context: &Context) -> Result<Table> {
        let text = |name: &str| Field::new(name, DataType::Text, true);
        let number = |name: &str| Field::new(name, DataType::BigInt, true);
        let fields = vec![
            text("file"),
            number("line"),
            number("byte_position"),
            text("column_name"),
            text("error_message"),
            text("csv_line"),
        ];
        let mut builder = TableBuilder::new(fields, Storage::Compact, context);
        for (layout, places) in self.layouts.iter().zip(&self.union.places) {
            let source = Source::open(&layout.path, &self.options)?;
            let shape = shape(&layout.dialect, layout.names.len(), &self.options, true);
            let pass = pass(&source, shape, &layout.names, (layout.start, layout.line), &self.options);
            context.progress.total.fetch_add(source.file_bytes(), Ordering::Relaxed);
            let said = places.iter().map(|&at| self.said[at]).collect();
            pass.run(&mut Rejected { layout, said, builder: &mut builder }, context)?;
        }
        builder.finish()
    }

    /// Passes over all files for some of their columns. If their types are only guessed, `seen` is what all fields have been, and
    /// which columns have fields that were not as was guessed.
    fn pass_all(
        &self,
        chosen: &[bool],
        mut seen: Option<(&mut Vec<Guess>, &mut Vec<bool>)>,
        builder: &mut TableBuilder,
        context: &Context,
    ) -> Result<()> {
        for (layout, places) in self.layouts.iter().zip(&self.union.places) {
            let source = Source::open(&layout.path, &self.options)?;
            source.check(&layout.identity)?;
            let shape = shape(&layout.dialect, layout.names.len(), &self.options, true);
            let pass = pass(&source, shape, &layout.names, (layout.start, layout.line), &self.options);
            context.progress.total.fetch_add(source.file_bytes(), Ordering::Relaxed);
            let seen = seen.as_mut().map(|(totals, others)| (&mut **totals, &mut **others));
            let mut sink = Load { of: self, places, chosen, seen, builder };
            pass.run(&mut sink, context)?;
            source.check(&layout.identity)?;
        }
        Ok(())
    }
}

/// Rows of one of several files on their way into a table.
struct Load<'a> {
    of: &'a Guessed,
    /// Where the file's columns are among those of all.
    places: &'a Places,
    /// Which of these are read.
    chosen: &'a [bool],
    /// If types are guessed, what all fields have been, and which columns have others than was guessed.
    seen: Option<(&'a mut Vec<Guess>, &'a mut Vec<bool>)>,
    builder: &'a mut TableBuilder,
}

impl Sink for Load<'_> {
    fn wants(&self) -> Vec<Want> {
        let want = |&at: &usize| {
            let data_type = self.of.union.fields[at].data_type;
            let said = self.of.said[at].is_some();
            // A bad value in it leaves its row out of every pass.
            let drops = said && self.of.options.drops();
            match &self.seen {
                _ if self.of.union.constant(at).is_some() => Want::Skip,
                _ if !self.chosen[at] && !drops => Want::Skip,
                Some((totals, others)) if !said => match totals[at] {
                    // It will be read again.
                    total if others[at] && total.is_settled() => Want::Skip,
                    total if others[at] => Want::See(total),
                    total if total.is_settled() => Want::ReadGuessed(data_type),
                    total => Want::SeeAndRead(total),
                },
                _ if said => Want::Read(data_type),
                _ => Want::ReadGuessed(data_type),
            }
        };
        self.places.iter().map(want).collect()
    }

    fn take(&mut self, block: Block) -> Result<()> {
        let mut made: Vec<Option<Column>> = Vec::new();
        made.resize_with(self.chosen.len(), || None);
        for (column, &at) in block.columns.into_iter().zip(self.places.iter()) {
            if let Some((totals, others)) = &mut self.seen {
                totals[at].merge(&column.guess);
                let is_other = totals[at].data_type() != self.of.union.fields[at].data_type;
                others[at] |= self.of.said[at].is_none() && (column.column.is_none() || is_other);
            }
            made[at] = column.column;
        }
        let absent = |at: usize| match self.of.union.constant(at) {
            Some(constants) => constants.column(self.places.file, block.rows),
            None => Column::from_values(self.of.union.fields[at].data_type, &vec![Value::Null; block.rows]),
        };
        let chosen = (0..made.len()).filter(|&at| self.chosen[at]).collect::<Vec<_>>();
        let columns = chosen.into_iter().map(|at| made[at].take().unwrap_or_else(|| absent(at))).collect();
        self.builder.push_columns(block.rows, columns)
    }
}

/// Rows of a file that are wrong on their way into a table.
struct Rejected<'a> {
    layout: &'a Layout,
    said: Vec<Option<DataType>>,
    builder: &'a mut TableBuilder,
}

impl Sink for Rejected<'_> {
    fn wants(&self) -> Vec<Want> {
        self.said.iter().map(|said| said.map_or(Want::Skip, Want::Read)).collect()
    }

    fn take(&mut self, block: Block) -> Result<()> {
        let row = |reject: Reject| {
            vec![
                Value::text(self.layout.path.display().to_string()),
                Value::Int(reject.line as i64),
                Value::Int(reject.place as i64),
                reject.column.map_or(Value::Null, |column| Value::text(self.layout.names[column].as_str())),
                Value::text(reject.message),
                Value::text(reject.text),
            ]
        };
        self.builder.push_values(&block.rejects.into_iter().map(row).collect::<Vec<_>>())
    }
}
