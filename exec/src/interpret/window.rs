//! Windows, as the words say it: each partition is put in order, and of each of its rows every function is asked anew.

use super::Interpreter;
use super::collection::Row;
use super::order::compare_rows;
use super::reduce::Accumulator;
use crate::Result;
use multiloop_planner::evaluate::window::{Frames, Peers, Windowed};
use multiloop_planner::multiloop::{WindowCallee, WindowField};
use multiloop_planner::types::{Field, SortOrder};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;

impl Interpreter<'_> {
    /// The rows, partition by partition, each with its functions' values behind its own.
    pub(super) fn window(
        &self,
        (rows, fields): (Vec<Row>, &[Field]),
        partition: &[u32],
        order: &[(u32, SortOrder)],
        functions: &[WindowField],
    ) -> Result<Vec<Row>> {
        let mut numbers: FxHashMap<Row, usize> = FxHashMap::default();
        let mut partitions: Vec<Vec<Row>> = Vec::new();
        for row in rows {
            let key = partition.iter().map(|&field| row[field as usize].clone().group_key()).collect();
            let number = *numbers.entry(key).or_insert(partitions.len());
            if number == partitions.len() {
                partitions.push(Vec::new());
            }
            partitions[number].push(row);
        }
        let mut all = Vec::new();
        for mut rows in partitions {
            rows.sort_by(|a, b| compare_rows(a, b, order));
            let peers = Peers::new(rows.len(), |row| compare_rows(&rows[row - 1], &rows[row], order).is_ne());
            let descending = order.first().is_some_and(|(_, order)| order.descending);
            let values = functions.iter().map(|field| self.window_field(field, (&rows, fields), &peers, descending));
            let values = values.collect::<Result<Vec<_>>>()?;
            for (number, row) in rows.iter_mut().enumerate() {
                row.extend(values.iter().map(|values| values[number].clone()));
            }
            all.append(&mut rows);
        }
        Ok(all)
    }

    /// What a function says of each row of a partition.
    fn window_field(
        &self,
        field: &WindowField,
        (rows, fields): (&[Row], &[Field]),
        peers: &Peers,
        descending: bool,
    ) -> Result<Vec<Value>> {
        let argument = |&field: &u32| -> Vec<Value> { rows.iter().map(|row| row[field as usize].clone()).collect() };
        let arguments: Vec<Vec<Value>> = field.arguments.iter().map(argument).collect();
        let arguments: Vec<&[Value]> = arguments.iter().map(Vec::as_slice).collect();
        let (arguments, bounds) = arguments.split_at(field.arity());
        let frames = Frames::new(peers, field.frame, bounds, descending);
        let of_row = |row: usize| {
            self.context.check()?;
            match &field.function {
                WindowCallee::Function(function) => Windowed::new(*function, arguments, frames).value(row),
                WindowCallee::Aggregate(reduction) => {
                    let data_type = field.taken().first().map(|&argument| fields[argument as usize].data_type);
                    let mut accumulator = Accumulator::new(reduction, data_type);
                    for seen in frames.rows(row) {
                        accumulator.fold(arguments.iter().map(|values| values[seen].clone()).collect())?;
                    }
                    accumulator.finish(field.data_type)
                }
            }
        };
        (0..rows.len()).map(of_row).collect()
    }
}
