//! One loop of a program, row by row, over collections that somebody else has made.

use super::collection::{Data, Form, Row};
use super::{Cursor, Interpreter, fixed, scalar};
use crate::collections::given::{Given, Inputs, Residence};
use crate::collections::rows::RowSet;
use crate::column::Table;
use crate::workers::context::Reservation;
use crate::{Error, Result};
use multiloop_planner::multiloop::{CollectionId, Let, Program, Shape};
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// What the loop gives that defines these collections; lets of the program's body come from `inputs`.
pub(crate) fn run_loop(program: &Program, defines: &[CollectionId], inputs: &dyn Inputs) -> Result<Vec<Given>> {
    let is_it = |each: &&Let| each.defines() == defines;
    let lets = program.blocks.iter().flat_map(|block| &block.lets);
    let Some(Let::Loop { multiloop, .. }) = lets.into_iter().find(is_it) else {
        return Err(Error::internal("no loop defines these"));
    };
    let given = |id: CollectionId| given(program, inputs, id);
    let mut interpreter = Interpreter {
        program,
        tables: &|_| unreachable!("tables are given"),
        parameters: inputs.parameters(),
        context: inputs.context(),
        definitions: fixed::definitions(program),
        collections: vec![None; program.collections.len()],
        cursors: vec![Cursor::Nowhere; program.indices as usize],
        found: vec![FxHashSet::default(); program.indices as usize],
        random: scalar::Random::new(),
        given: Some(&given),
    };
    let made = interpreter.multiloop(defines, multiloop)?;
    made.into_iter().zip(defines).map(|(data, &id)| handed_over(program, id, data)).collect()
}

/// A collection of the body, or a table; none if a nested block defines it.
fn given(program: &Program, inputs: &dyn Inputs, id: CollectionId) -> Result<Option<Data>> {
    let collection = program.collection(id);
    let of_body = program.body().lets.iter().any(|each| each.defines().contains(&id));
    if !of_body && !matches!(collection.shape, Shape::Table { .. }) {
        return Ok(None);
    }
    let position = |rows: &[Row], keys: usize| -> FxHashMap<Row, usize> {
        let key = |row: &Row| row[..keys].iter().cloned().map(Value::group_key).collect::<Row>();
        rows.iter().enumerate().map(|(at, row)| (key(row), at)).collect()
    };
    if inputs.residence(id)? != Residence::Host {
        return Err(Error::internal("rows are read where they are not"));
    }
    let form = match &collection.shape {
        Shape::Table { .. } | Shape::Rows | Shape::Single => Form::Rows(values(&inputs.rows(id)?, &collection.fields)),
        Shape::Groups { keys } => {
            let rows = values(&inputs.rows(id)?, &collection.fields);
            Form::Groups { positions: position(&rows, *keys as usize), rows, empty: inputs.empty(id)? }
        }
        Shape::Buckets { members: fields } => {
            let grouped = inputs.buckets(id)?;
            let keys = values(&grouped.keys, &collection.fields);
            let all = values(&grouped.members, fields);
            let bucket = |span: &[u32]| all[span[0] as usize..span[1] as usize].to_vec();
            let members = grouped.starts.windows(2).map(bucket).collect();
            Form::Buckets { positions: position(&keys, collection.fields.len()), keys, members }
        }
    };
    Ok(Some(Data::new(form, Reservation::new(&inputs.context().memory))))
}

/// The rows as values.
fn values(rows: &RowSet, fields: &[Field]) -> Vec<Row> {
    let of_chunk = |chunk: &Arc<crate::column::Chunk>| {
        let value = |row: usize, (field, of): (u32, &Field)| {
            chunk.columns[rows.position(field) as usize].value(row, of.data_type)
        };
        let row = |row| (0..).zip(fields).map(|field| value(row, field)).collect();
        (0..chunk.rows).map(row).collect::<Vec<Row>>()
    };
    rows.chunks.iter().flat_map(of_chunk).collect()
}

fn handed_over(program: &Program, id: CollectionId, data: Data) -> Result<Given> {
    let fields = &program.collection(id).fields;
    let rows = |fields: &[Field], rows: &[Row]| RowSet {
        rows: rows.len(),
        ..RowSet::new(Table::from_values(fields.to_vec(), rows).chunks)
    };
    Ok(match data.into_form() {
        Form::Rows(made) => Given::Rows(rows(fields, &made)),
        Form::Groups { rows: made, .. } => Given::Groups(rows(fields, &made)),
        Form::Buckets { keys, members, .. } => {
            let all: Vec<Field> = fields.iter().chain(program.members(id)).cloned().collect();
            let with_key = |(key, members): (Row, Vec<Row>)| {
                members.into_iter().map(move |member| key.iter().cloned().chain(member).collect())
            };
            let made: Vec<Row> = keys.into_iter().zip(members).flat_map(with_key).collect();
            Given::Members(rows(&all, &made))
        }
        Form::Table { .. } => return Err(Error::internal("a loop does not make tables")),
    })
}

/// What [`Interpreter::collection`] asks first.
pub(super) type GivenBy<'a> = &'a dyn Fn(CollectionId) -> Result<Option<Data>>;

impl Interpreter<'_> {
    /// A collection that somebody else has made.
    pub(super) fn given(&mut self, id: CollectionId) -> Result<Option<Rc<Data>>> {
        let Some(given) = self.given else { return Ok(None) };
        let Some(data) = given(id)? else { return Ok(None) };
        let data = Rc::new(data);
        self.collections[id.0 as usize] = Some(Rc::clone(&data));
        Ok(Some(data))
    }
}
