//! One loop of a program, row by row, over collections that somebody else has made; for the tests' device.

use super::collection::{Data, Form, Row};
use super::{Cursor, Interpreter, fixed, scalar};
use crate::workers::context::{Context, Reservation};
use crate::{Error, Result};
use multiloop_planner::multiloop::{CollectionId, Generator, Let, Program, Shape};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A collection as rows.
pub(crate) enum Made {
    Rows(Vec<Row>),
    /// Rows begin with the fields of the key; `empty` is what a lookup gives that finds nothing.
    Groups {
        rows: Vec<Row>,
        empty: Row,
    },
    /// For each key its rows.
    Buckets {
        keys: Vec<Row>,
        members: Vec<Vec<Row>>,
    },
    /// What a reduction was offered, and has not folded.
    Offered(Vec<Offered>),
}

/// A row that a reduction takes: its key, and for each aggregate its arguments, unless its condition drops the row.
pub(crate) struct Offered {
    pub(crate) key: Row,
    pub(crate) arguments: Vec<Option<Row>>,
}

/// What a loop reads.
pub(crate) struct Given<'a> {
    pub(crate) collection: &'a dyn Fn(CollectionId) -> Result<Made>,
    pub(crate) parameters: &'a [Value],
    pub(crate) context: &'a Context,
}

/// What the loop gives that defines these collections; tables and lets of the program's body are given. Of generators at
/// these positions, which are reductions without a top-k, it is what they were offered.
pub(crate) fn run_loop(
    program: &Program,
    defines: &[CollectionId],
    from: &Given<'_>,
    unfolded: &[usize],
) -> Result<Vec<Made>> {
    let is_it = |each: &&Let| each.defines() == defines;
    let lets = program.blocks.iter().flat_map(|block| &block.lets);
    let Some(Let::Loop { multiloop, .. }) = lets.into_iter().find(is_it) else {
        return Err(Error::internal("no loop defines these"));
    };
    let given = |id: CollectionId| given(program, from, id);
    let mut interpreter = Interpreter {
        program,
        tables: &|_| unreachable!("tables are given"),
        parameters: from.parameters,
        context: from.context,
        definitions: fixed::definitions(program),
        collections: vec![None; program.collections.len()],
        cursors: vec![Cursor::Nowhere; program.indices as usize],
        found: vec![FxHashSet::default(); program.indices as usize],
        random: scalar::Random::new(),
        given: Some(&given),
    };
    let mut offered: Vec<Vec<Offered>> = multiloop.generators.iter().map(|_| Vec::new()).collect();
    let mut partials = multiloop.generators.iter().map(|each| interpreter.start(each)).collect::<Result<Vec<_>>>()?;
    interpreter.settings(multiloop, &mut |interpreter| {
        for (number, generator) in multiloop.generators.iter().enumerate() {
            match unfolded.contains(&number) {
                true => offered[number].extend(interpreter.offered(generator)?),
                false => interpreter.offer(&mut partials[number])?,
            }
        }
        Ok(())
    })?;
    let made = partials.into_iter().zip(offered).enumerate().map(|(number, (partial, offered))| {
        if unfolded.contains(&number) {
            return Ok(Made::Offered(offered));
        }
        Ok(match interpreter.finish(partial)?.into_form() {
            Form::Rows(rows) => Made::Rows(rows),
            Form::Groups { rows, empty, .. } => Made::Groups { rows, empty },
            Form::Buckets { keys, members, .. } => Made::Buckets { keys, members },
            Form::Table { .. } => return Err(Error::internal("a loop does not make tables")),
        })
    });
    made.collect()
}

/// A collection of the body, or a table; none if a nested block defines it.
fn given(program: &Program, from: &Given<'_>, id: CollectionId) -> Result<Option<Data>> {
    let collection = program.collection(id);
    let of_body = program.body().lets.iter().any(|each| each.defines().contains(&id));
    if !of_body && !matches!(collection.shape, Shape::Table { .. }) {
        return Ok(None);
    }
    let position = |rows: &[Row], keys: usize| -> FxHashMap<Row, usize> {
        let key = |row: &Row| row[..keys].iter().cloned().map(Value::group_key).collect::<Row>();
        rows.iter().enumerate().map(|(at, row)| (key(row), at)).collect()
    };
    let form = match ((from.collection)(id)?, &collection.shape) {
        (Made::Groups { rows, empty }, Shape::Groups { keys }) => {
            Form::Groups { positions: position(&rows, *keys as usize), rows, empty }
        }
        (Made::Buckets { keys, members }, Shape::Buckets { .. }) => {
            Form::Buckets { positions: position(&keys, collection.fields.len()), keys, members }
        }
        (Made::Rows(rows), Shape::Table { .. } | Shape::Rows | Shape::Single) => Form::Rows(rows),
        _ => return Err(Error::internal("a collection of another shape was given")),
    };
    Ok(Some(Data::new(form, Reservation::new(&from.context.memory))))
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

    /// What a reduction takes of the row on which all indices stand.
    fn offered(&mut self, generator: &Generator) -> Result<Option<Offered>> {
        if !self.passes(generator.condition())? {
            return Ok(None);
        }
        let key = match generator {
            Generator::BucketReduce { key, .. } => self.row(key)?,
            _ => Vec::new(),
        };
        let mut arguments = Vec::with_capacity(generator.aggregates().len());
        for aggregate in generator.aggregates() {
            let passes = self.passes(&aggregate.condition)?;
            arguments.push(if passes { Some(self.row(&aggregate.arguments)?) } else { None });
        }
        Ok(Some(Offered { key, arguments }))
    }
}
