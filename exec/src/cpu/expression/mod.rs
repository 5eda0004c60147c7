//! Expressions: the scalars of one loop, compiled once, evaluated tile by tile.

use super::bitmap::Bitmap;
use super::tile::Tile;
use super::vector::Register;
use crate::Result;
use multiloop_planner::analysis::ranges::Ranges;
use multiloop_planner::multiloop::{Index, Program, ScalarId};

/// The scalars of one loop.
#[derive(Debug)]
pub struct Expressions {}

/// What evaluation remembers from tile to tile.
#[derive(Debug, Default)]
pub(super) struct Caches {}

impl Expressions {
    /// Compiles these scalars (and all below them) of a loop with this nest. Columns of other indices are fields of
    /// enclosing rows, and come from `Bindings::captured`.
    pub fn compile(program: &Program, nest: &[Index], roots: &[ScalarId], ranges: &Ranges) -> Result<Self> {
        let _ = (program, nest, roots, ranges);
        Err(crate::Error::internal("not built yet"))
    }

    /// How many expressions.
    pub fn len(&self) -> usize {
        0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many indices the nest has.
    pub fn indices(&self) -> usize {
        0
    }

    /// The number of a compiled scalar.
    pub(super) fn number(&self, scalar: ScalarId) -> usize {
        scalar.0 as usize
    }

    /// The register in which a compiled scalar is computed.
    pub fn register(&self, scalar: ScalarId) -> Register {
        let _ = scalar;
        Register::I64
    }

    /// How many indices must be reached before a compiled scalar can be evaluated: 0 if it reads none.
    pub fn reach(&self, scalar: ScalarId) -> usize {
        let _ = scalar;
        0
    }

    /// Whether evaluating a compiled scalar may fail, as far as ranges know.
    pub fn may_fail(&self, scalar: ScalarId) -> bool {
        let _ = scalar;
        true
    }
}

impl Tile<'_> {
    /// Computes a scalar for all active tuples, all of which must reach it. Then `vector` gives it.
    pub fn evaluate(&mut self, scalar: ScalarId) -> Result<()> {
        let _ = scalar;
        Ok(())
    }

    /// Keeps the tuples that pass a conjunction: pushes a level unless all pass.
    pub fn filter(&mut self, conjuncts: &[ScalarId]) -> Result<()> {
        let _ = conjuncts;
        Ok(())
    }

    /// Which active tuples pass a conjunction, without selecting them: for masked kernels. A scalar that may fail
    /// must not be evaluated for tuples that fall away; `filter` first where there is one.
    pub fn mask(&mut self, conjuncts: &[ScalarId], mask: &mut Bitmap) -> Result<()> {
        let _ = (conjuncts, mask);
        Ok(())
    }
}
