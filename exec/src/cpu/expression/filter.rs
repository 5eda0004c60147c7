//! Conditions: which tuples pass a conjunction.
//!
//! Conjuncts that cannot fail become bitmaps over all active tuples, combined word by word. When few tuples are left,
//! or when the next conjunct may fail, those that are left become a level of their own.

use super::choice::truths;
use super::node::Operation;
use crate::Result;
use crate::cpu::bitmap::Bitmap;
use crate::cpu::tile::Tile;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::ScalarId;

/// When at most one tuple in so many is left, conjuncts that follow are evaluated for those only.
const SPARSE: usize = 8;

impl Tile<'_> {
    /// Keeps the tuples that pass a conjunction: pushes a level (or more) unless all pass.
    pub fn filter(&mut self, conjuncts: &[ScalarId]) -> Result<()> {
        let numbers = self.flatten(conjuncts);
        let mut mask = Bitmap::new(self.len(), true);
        let mut passing = self.len();
        for &number in &numbers {
            if passing < self.len() && (self.is_guarded(number) || passing <= self.len() / SPARSE) {
                self.keep(&mask, passing);
                mask.reset(self.len(), true);
            }
            passing = self.restrict(number, &mut mask)?;
        }
        self.keep(&mask, passing);
        Ok(())
    }

    /// Which active tuples pass a conjunction, without selecting them: for masked kernels. Conjuncts that may fail are
    /// evaluated only for tuples that reach them.
    pub fn mask(&mut self, conjuncts: &[ScalarId], mask: &mut Bitmap) -> Result<()> {
        mask.reset(self.len(), true);
        for &number in &self.flatten(conjuncts) {
            if !self.is_guarded(number) {
                self.restrict(number, mask)?;
                continue;
            }
            let mark = self.depth();
            let mut positions = Vec::new();
            mask.push_positions(&mut positions);
            self.select(&positions);
            let mut passed = Bitmap::new(positions.len(), true);
            self.restrict(number, &mut passed)?;
            self.truncate(mark);
            for (place, &position) in positions.iter().enumerate() {
                if !passed.get(place) {
                    mask.set(position as usize, false);
                }
            }
        }
        Ok(())
    }

    /// Whether a conjunct must not be evaluated for tuples that fell away before.
    fn is_guarded(&self, number: u32) -> bool {
        let node = self.node(number);
        node.may_fail || node.volatile
    }

    /// The conjuncts, with ANDs among them taken apart: AND goes from left to right, as a conjunction does.
    fn flatten(&self, conjuncts: &[ScalarId]) -> Vec<u32> {
        let mut flat = Vec::new();
        let mut rest: Vec<u32> =
            conjuncts.iter().rev().map(|&conjunct| self.expressions.number(conjunct) as u32).collect();
        while let Some(number) = rest.pop() {
            match &self.node(number).operation {
                Operation::Call { function: Function::And, arguments } => rest.extend(arguments.iter().rev()),
                _ => flat.push(number),
            }
        }
        flat
    }

    /// Takes from a mask what does not pass a conjunct; gives how many are left.
    fn restrict(&mut self, number: u32, mask: &mut Bitmap) -> Result<usize> {
        if self.node(number).volatile {
            self.forget_volatile(number);
        }
        self.ensure(number)?;
        let vector = self.top(number);
        if vector.constant {
            let (mut truth, mut falsity) = (Bitmap::default(), Bitmap::default());
            truths(vector, mask.len(), &mut truth, &mut falsity);
            mask.and(&truth);
        } else {
            let crate::cpu::vector::VectorData::Bool(bits) = &vector.data else {
                unreachable!("conditions are booleans")
            };
            mask.and(bits);
            if let Some(valid) = &vector.nulls {
                mask.and(valid);
            }
        }
        Ok(mask.count_ones())
    }

    fn keep(&mut self, mask: &Bitmap, passing: usize) {
        if passing == self.len() {
            return;
        }
        let mut positions = std::mem::take(&mut self.caches.positions);
        positions.clear();
        mask.push_positions(&mut positions);
        self.select(&positions);
        self.caches.positions = positions;
    }
}
