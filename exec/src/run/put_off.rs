//! Puts off lets of a body until somebody asks for them (see `plan::put_off`).

use super::On;
use super::asked::rows_over;
use crate::collections::made::Made;
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::frame::Frame;
use crate::plan::tree::{Device, LetKind, LetPlan, PutOff};
use crate::{Error, Result};
use multiloop_planner::multiloop::{BlockId, CollectionId, Source};

/// How many times fewer rows a reader goes over that begins again where it needs what was put off.
const FEWER: u64 = 8;

impl<'a> Frame<'a> {
    /// How many rows a let of the body goes over that is to be put off; nothing of one that is to be made.
    pub(super) fn puts_off(&self, of: &PutOff, number: usize) -> Option<u64> {
        let rows = self.rows_put_off(of, number);
        (rows >= self.shared.plan.limits.gated_rows && self.waits(of, number, rows)).then_some(rows)
    }

    /// Rows that a let goes over, with those of what it reads that was put off.
    fn rows_put_off(&self, of: &PutOff, number: usize) -> u64 {
        // Who counts rows asks what is put off, too.
        let own = rows_over(self, number);
        let put_off = self.shared.put_off();
        of.reads[number].iter().filter_map(|read| put_off.rows.get(read)).copied().fold(own, u64::max)
    }

    /// Whether all who read a let that goes over so many rows can wait for it.
    fn waits(&self, of: &PutOff, number: usize, rows: u64) -> bool {
        let waits = |&(reader, by_rows): &(usize, bool)| match by_rows {
            true => self.begins_again(of, reader, rows),
            false => self.waits(of, reader, rows),
        };
        of.readers[number].as_ref().is_some_and(|readers| !readers.is_empty() && readers.iter().all(waits))
    }

    /// Whether a loop may begin again if it has to have a let made that goes over so many rows.
    fn begins_again(&self, of: &PutOff, reader: usize, rows: u64) -> bool {
        let plan = self.shared.plan;
        let LetKind::Loop(each) = &plan.block(plan.body).lets[reader].kind else { return false };
        let outer = match each.levels.first().map(|level| &level.source) {
            None => 1,
            Some(Source::Rows(id)) if self.is_made(*id) => rows_over(self, reader),
            Some(_) => return false,
        };
        let fewer = if of.asks_blocks[reader] { outer == 0 } else { outer.saturating_mul(FEWER) <= rows };
        each.device.of == Device::Host && fewer
    }

    /// Has what a let defines stand for something that was put off.
    pub(super) fn put_off(&mut self, number: usize, definition: &LetPlan, rows: u64) {
        for &id in &definition.defines {
            self.shared.put_off().put(id, number, rows);
            self.own.insert(id, Err(Error::internal(format!("collection {} is put off, and read", id.0))));
        }
    }

    /// Makes lets that were put off, for a let that has asked for them; whether there were any.
    pub(super) fn make_asked(&mut self, block: BlockId, on: On<'_>) -> Result<bool> {
        let asked = self.shared.put_off().take_asked();
        for &number in &asked {
            self.make_put_off(block, number, on)?;
        }
        Ok(!asked.is_empty())
    }

    fn make_put_off(&mut self, block: BlockId, number: usize, on: On<'_>) -> Result<()> {
        let definition = &self.shared.plan.block(block).lets[number];
        for id in &definition.defines {
            self.shared.put_off().forget(*id);
            self.own.remove(id);
        }
        self.make_let(block, (number, definition), on)
    }

    /// Makes what the lets from a number on may ask for, of which somebody else has the rows made, unless they have none.
    pub(super) fn make_for_rest(&mut self, block: BlockId, first: usize, on: On<'_>) -> Result<()> {
        let plan = self.shared.plan;
        let Some(of) = &plan.put_off else { return Ok(()) };
        for reader in first..plan.block(block).lets.len() {
            let source = match &plan.block(block).lets[reader].kind {
                LetKind::Loop(each) => each.levels.first().and_then(|level| level.source.collection()),
                _ => None,
            };
            if source.is_some_and(|source| self.is_without_rows(source)) {
                continue;
            }
            for read in &of.reads[reader] {
                let number = self.shared.put_off().let_of(*read);
                if let Some(number) = number {
                    self.make_put_off(block, number, on)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a collection is known to have no rows.
    fn is_without_rows(&self, id: CollectionId) -> bool {
        match self.made(id) {
            Ok(Made::Host(stored)) => matches!(&*stored, Stored::Rows(rows) if rows.rows == 0),
            _ => false,
        }
    }
}
