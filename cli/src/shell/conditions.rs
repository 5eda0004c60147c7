//! `\if`, `\elif`, `\else`, `\endif`: which parts of a script count.

/// The conditions that are open, the outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions(Vec<Branch>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    /// This branch counts.
    Taken,
    /// None has counted yet.
    Waiting,
    /// One has counted, or what is around does not: no other will.
    Done,
    /// The last branch, which counts, or not.
    Else(bool),
}

impl Conditions {
    /// Whether what stands here counts.
    pub(super) fn is_active(&self) -> bool {
        self.0.last().is_none_or(|branch| matches!(branch, Branch::Taken | Branch::Else(true)))
    }

    /// Whether the condition of an `\elif` here has to be known.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.last() == Some(&Branch::Waiting)
    }

    /// `\if`; within a branch that does not count none does.
    pub(super) fn open(&mut self, is_true: bool) {
        let branch = match (self.is_active(), is_true) {
            (false, _) => Branch::Done,
            (true, true) => Branch::Taken,
            (true, false) => Branch::Waiting,
        };
        self.0.push(branch);
    }

    /// `\elif`.
    pub(super) fn otherwise_if(&mut self, is_true: bool) -> Result<(), String> {
        let branch = self.0.last_mut().ok_or("\\elif: no matching \\if")?;
        *branch = match *branch {
            Branch::Else(_) => return Err("\\elif: cannot occur after \\else".to_owned()),
            Branch::Waiting if is_true => Branch::Taken,
            Branch::Waiting => Branch::Waiting,
            Branch::Taken | Branch::Done => Branch::Done,
        };
        Ok(())
    }

    /// `\else`.
    pub(super) fn otherwise(&mut self) -> Result<(), String> {
        let branch = self.0.last_mut().ok_or("\\else: no matching \\if")?;
        *branch = match *branch {
            Branch::Else(_) => return Err("\\else: cannot occur after \\else".to_owned()),
            waiting => Branch::Else(waiting == Branch::Waiting),
        };
        Ok(())
    }

    /// `\endif`.
    pub(super) fn close(&mut self) -> Result<(), String> {
        self.0.pop().map(drop).ok_or_else(|| "\\endif: no matching \\if".to_owned())
    }

    /// A script begins; it ends the conditions that it opens. Gives those around it.
    pub(super) fn enter(&mut self) -> Conditions {
        std::mem::take(self)
    }

    /// The script has ended: those around it count again. Gives whether some of its own are open.
    pub(super) fn leave(&mut self, around: Conditions) -> bool {
        let own = std::mem::replace(self, around);
        !own.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Conditions;

    #[test]
    fn one_branch_counts() {
        let mut conditions = Conditions::default();
        assert!(conditions.is_active());
        conditions.open(false);
        assert!(!conditions.is_active());
        conditions.open(true);
        assert!(!conditions.is_active(), "within one that does not count");
        conditions.close().expect("one is open");
        conditions.otherwise_if(true).expect("one is open");
        assert!(conditions.is_active());
        conditions.otherwise_if(true).expect("one is open");
        assert!(!conditions.is_active());
        conditions.otherwise().expect("one is open");
        assert!(!conditions.is_active());
        assert!(conditions.otherwise().is_err());
        conditions.close().expect("one is open");
        assert!(conditions.is_active() && conditions.close().is_err());
    }
}
