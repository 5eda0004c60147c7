//! A limit on the changes that a rule, and all rounds together, may make.
//!
//! The rules end by themselves: each page says what a rule makes less of. Where one is mistaken, two that undo each other
//! or one that finds work in what it has made would keep a query planning for ever. So there is a bound that no program is
//! known to come near; behind it the program runs as it is, which is valid after every change, and a debug build says so.

use crate::multiloop::live::live_blocks;
use crate::multiloop::{BlockId, Program};

/// Changes that a rule may make in one go: some, and so many for each let.
const CHANGES_MIN: usize = 32;
const CHANGES_PER_LET: usize = 8;
/// Lets that a program may have for each of those that lowering has made, and beyond them.
const GROWTH_MAX: usize = 4;
const LETS_MIN: usize = 64;

/// What a rule may still do before it is stopped.
pub(in crate::rewrite) struct ChangeLimit {
    changes_left: usize,
}

impl ChangeLimit {
    /// What one go of a rule may do to a program.
    pub(in crate::rewrite) fn of(program: &Program) -> Self {
        ChangeLimit { changes_left: CHANGES_MIN + CHANGES_PER_LET * lets(program) }
    }

    /// What a rule has found to do next; nothing any more once it has done too much.
    pub(in crate::rewrite) fn next<S>(&mut self, site: Option<S>) -> Option<S> {
        let site = site?;
        debug_assert!(self.changes_left > 0, "bug: a rule goes on for ever");
        self.changes_left = self.changes_left.checked_sub(1)?;
        Some(site)
    }
}

/// Changes each live block as long as something is found in it; whether there was anything.
pub(in crate::rewrite) fn change_blocks<S>(
    program: &mut Program,
    find: impl Fn(&Program, BlockId) -> Option<S>,
    change: impl Fn(&mut Program, BlockId, S),
) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        while let Some(site) = limit.next(find(program, block)) {
            change(program, block, site);
            changed = true;
        }
    }
    changed
}

/// How many lets a program may come to have.
pub(in crate::rewrite) fn lets_max(program: &Program) -> usize {
    LETS_MIN + GROWTH_MAX * lets(program)
}

/// How many lets a program has, dead blocks' included: few, and gone after each round.
pub(in crate::rewrite) fn lets(program: &Program) -> usize {
    program.blocks.iter().map(|block| block.lets.len()).sum()
}
