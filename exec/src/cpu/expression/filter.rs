//! Conditions: which tuples pass a conjunction.
//!
//! Conjuncts that cannot fail become bitmaps over all active tuples, combined word by word. When few tuples are left,
//! or when the next conjunct may fail or is costly, those that are left become a level of their own.
//!
//! For reductions of few groups, from which few rows fall away, a mask is what is left, so that columns are read
//! densely and no row is moved.

use super::choice::truths;
use super::fused::{self, Test};
use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::vector::bitmap::Bitmap;
use crate::plan::nodes::Operation;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::ScalarId;

/// What a filter does at once.
enum Step {
    One(u32),
    /// Comparisons of one column with constants.
    Interval(Vec<u32>),
}

impl Step {
    fn first(&self) -> u32 {
        match self {
            Step::One(number) => *number,
            Step::Interval(numbers) => numbers[0],
        }
    }
}

/// When at most one tuple in so many is left, conjuncts that follow are evaluated for those only.
const SPARSE: usize = 8;

/// The same for comparisons of columns of a scan in their own form, many tuples at once.
const SPARSE_TEST: usize = 64;

/// What became of the tuples of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// Those that pass are the active ones.
    Selected,
    /// Many pass: all are still active, and the mask says which pass.
    Masked,
}

/// When a mask is cheaper than to select the tuples that pass.
#[derive(Clone, Copy, Debug)]
pub enum MaskIf {
    /// Fewer than one tuple in four falls away: what is done for all of them costs little more.
    FewFall,
    /// More than one tuple in eight passes: what comes next is much cheaper for tuples that stand side by side.
    ManyPass,
}

impl Tile<'_> {
    /// Keeps the tuples that pass a conjunction: pushes a level (or more) unless all pass.
    pub fn filter(&mut self, conjuncts: &[ScalarId]) -> Result<()> {
        let mut mask = std::mem::take(&mut self.caches.mask);
        let outcome = self.narrow(conjuncts, &mut mask).map(|passing| self.keep(&mask, passing));
        self.caches.mask = mask;
        outcome
    }

    /// Keeps the tuples that pass a conjunction, or says in a mask which do. What is then computed of the others must not
    /// fail.
    pub fn filter_or_mask(&mut self, conjuncts: &[ScalarId], mask_if: MaskIf, mask: &mut Bitmap) -> Result<Filtered> {
        let passing = self.narrow(conjuncts, mask)?;
        let (len, fallen) = (self.len(), self.len() - passing);
        let masks = match mask_if {
            MaskIf::FewFall => fallen * 4 < len && Technique::MaskedReductions.is_on(),
            MaskIf::ManyPass => passing * SPARSE > len && Technique::MaskedProbes.is_on(),
        };
        if fallen > 0 && masks {
            return Ok(Filtered::Masked);
        }
        self.keep(mask, passing);
        Ok(Filtered::Selected)
    }

    /// Selects tuples where few pass; of those that are active then, the mask says which pass. Gives how many do.
    fn narrow(&mut self, conjuncts: &[ScalarId], mask: &mut Bitmap) -> Result<usize> {
        mask.reset(self.len(), true);
        let mut passing = self.len();
        for step in self.steps(conjuncts) {
            if passing == 0 {
                break;
            }
            let sparse = if fused::is_dense(self, step.first()) { SPARSE_TEST } else { SPARSE };
            if passing < self.len() && (self.is_chosen_for(step.first()) || passing <= self.len() / sparse) {
                self.keep(mask, passing);
                mask.reset(self.len(), true);
            }
            passing = match step {
                Step::One(number) => self.restrict(number, mask)?,
                Step::Interval(numbers) => self.restrict_interval(&numbers, mask)?,
            };
        }
        Ok(passing)
    }

    /// The conjuncts in order, those that ask for an interval of one column together, at the place of the first.
    fn steps(&self, conjuncts: &[ScalarId]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        // The columns that have a step which may be joined, and the step.
        let mut intervals: Vec<(u32, usize)> = Vec::new();
        for number in self.flatten(conjuncts) {
            if self.is_guarded(number) {
                steps.push(Step::One(number));
                // Steps in front of this one are not joined: something behind them may fail.
                intervals.clear();
                continue;
            }
            let column = Test::of(self, number).and_then(|test| test.interval_of());
            let known = column.and_then(|column| intervals.iter().find(|(known, _)| *known == column));
            match (known.map(|(_, step)| &mut steps[*step]), column) {
                (Some(Step::Interval(numbers)), _) => numbers.push(number),
                (Some(step), _) => *step = Step::Interval(vec![step.first(), number]),
                (None, column) => {
                    intervals.extend(column.map(|column| (column, steps.len())));
                    steps.push(Step::One(number));
                }
            }
        }
        steps
    }

    /// Takes from a mask what does not pass conjuncts that ask for an interval of one column.
    fn restrict_interval(&mut self, numbers: &[u32], mask: &mut Bitmap) -> Result<usize> {
        let tests: Vec<Test> = numbers.iter().filter_map(|&number| Test::of(self, number)).collect();
        let (mut bits, mut valid) = (std::mem::take(&mut self.caches.bits), Bitmap::default());
        // A selection since may have brought the column along; then it is compared as it was loaded.
        let held = if tests.len() == numbers.len() {
            fused::hold(self, &tests, mask.len(), &mut bits, &mut valid)?
        } else {
            None
        };
        if let Some(nulls) = held {
            mask.and(&bits);
            if nulls {
                mask.and(&valid);
            }
        }
        self.caches.bits = bits;
        if held.is_none() {
            for &number in numbers {
                self.restrict(number, mask)?;
            }
        }
        Ok(mask.count_ones())
    }

    /// Which active tuples pass a conjunction, without selecting them: for masked kernels. Conjuncts that may fail are
    /// evaluated only for tuples that reach them.
    pub fn mask(&mut self, conjuncts: &[ScalarId], mask: &mut Bitmap) -> Result<()> {
        mask.reset(self.len(), true);
        for &number in &self.flatten(conjuncts) {
            if !self.is_chosen_for(number) {
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

    /// Whether tuples that fell away before are left out of a conjunct however few they are: it must not be evaluated for
    /// them, or that costs too much.
    fn is_chosen_for(&self, number: u32) -> bool {
        self.is_guarded(number) || self.node(number).costly
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
