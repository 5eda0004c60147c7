//! Random choices as a tree, so that what was written with them can be made smaller without knowing what it is.
//!
//! Whoever writes a random thing asks for numbers, 0 being the simplest, and says where a part begins and ends. The
//! numbers are kept in a tree of these parts. Writing again with a changed tree gives a changed thing; a part without
//! numbers is all zeros. To shrink is to leave out parts, to put a part in the place of the one of its kind around it,
//! and to lower numbers, as long as what comes of it still fails.

/// What was chosen within one part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    label: &'static str,
    values: Vec<usize>,
    parts: Vec<Tree>,
}

/// A source of choices: a generator of random numbers, or a tree that is followed.
pub(crate) struct Choices {
    random: Option<u64>,
    open: Vec<Open>,
}

struct Open {
    written: Tree,
    followed: Tree,
}

impl Choices {
    /// Random choices.
    pub(crate) fn random(seed: u64) -> Self {
        Self { random: Some(seed), open: vec![Open { written: Tree::default(), followed: Tree::default() }] }
    }

    /// The choices of a tree, and 0 where it has none.
    pub(crate) fn follow(tree: Tree) -> Self {
        Self { random: None, open: vec![Open { written: Tree::default(), followed: tree }] }
    }

    /// What was chosen.
    ///
    /// # Panics
    /// If a part was not ended.
    pub(crate) fn into_tree(mut self) -> Tree {
        assert_eq!(self.open.len(), 1, "every part is ended");
        self.open.pop().map(|open| open.written).unwrap_or_default()
    }

    /// A number below `count`.
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        self.choose(count, |random| (random % count as u64) as usize)
    }

    /// A number below the number of weights, each as often as its weight says.
    pub(crate) fn weighted(&mut self, weights: &[usize]) -> usize {
        let total: usize = weights.iter().sum();
        self.choose(weights.len(), |random| {
            let mut left = (random % total as u64) as usize;
            weights
                .iter()
                .position(|weight| {
                    let here = left < *weight;
                    left = left.saturating_sub(*weight);
                    here
                })
                .unwrap_or(0)
        })
    }

    /// True once in `of` times.
    pub(crate) fn once_in(&mut self, of: usize) -> bool {
        self.choose(2, |random| usize::from(random % of as u64 == 0)) == 1
    }

    /// One of some.
    pub(crate) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.pick(of.len())]
    }

    fn choose(&mut self, count: usize, choice: impl FnOnce(u64) -> usize) -> usize {
        let open = self.open.last_mut().expect("the whole is never ended");
        let value = match &mut self.random {
            Some(state) => choice(next(state)),
            None => open.followed.values.get(open.written.values.len()).copied().unwrap_or(0).min(count - 1),
        };
        open.written.values.push(value);
        value
    }

    /// Begins a part.
    pub(crate) fn enter(&mut self, label: &'static str) {
        let open = self.open.last_mut().expect("the whole is never ended");
        let followed = open.followed.parts.get_mut(open.written.parts.len()).map(std::mem::take).unwrap_or_default();
        self.open.push(Open { written: Tree { label, ..Tree::default() }, followed });
    }

    /// Ends the part that was begun last.
    ///
    /// # Panics
    /// If none was.
    pub(crate) fn leave(&mut self) {
        let part = self.open.pop().expect("a part was begun").written;
        self.open.last_mut().expect("the whole is never ended").written.parts.push(part);
    }
}

/// The next number of `splitmix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Makes a tree smaller as long as `fails` says that it does: it gives the tree that was followed.
pub(crate) fn shrink(tree: Tree, mut tries: usize, fails: &mut dyn FnMut(&Tree) -> Option<Tree>) -> Tree {
    let mut best = tree;
    loop {
        let before = best.clone();
        let mut at = 0;
        // Paths are found anew after each success: what follows has moved.
        while let Some(path) = paths(&best).into_iter().nth(at) {
            at += 1;
            for candidate in candidates(&best, &path) {
                if tries == 0 {
                    return best;
                }
                tries -= 1;
                if let Some(followed) = fails(&candidate)
                    && followed != best
                {
                    best = followed;
                    at = at.saturating_sub(1);
                    break;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

fn paths(tree: &Tree) -> Vec<Vec<usize>> {
    fn add(tree: &Tree, path: &mut Vec<usize>, to: &mut Vec<Vec<usize>>) {
        to.push(path.clone());
        for (index, part) in tree.parts.iter().enumerate() {
            path.push(index);
            add(part, path, to);
            path.pop();
        }
    }
    let mut found = Vec::new();
    add(tree, &mut Vec::new(), &mut found);
    found
}

fn part_at<'a>(tree: &'a mut Tree, path: &[usize]) -> &'a mut Tree {
    path.iter().fold(tree, |tree, index| &mut tree.parts[*index])
}

fn candidates(tree: &Tree, path: &[usize]) -> Vec<Tree> {
    let mut whole = tree.clone();
    let part = part_at(&mut whole, path).clone();
    let with = |changed: Tree| {
        let mut whole = tree.clone();
        *part_at(&mut whole, path) = changed;
        whole
    };
    let mut found = Vec::new();
    if !part.parts.is_empty() || part.values.iter().any(|value| *value > 0) {
        found.push(with(Tree { label: part.label, ..Tree::default() }));
    }
    for inner in &part.parts {
        for candidate in std::iter::once(inner).chain(&inner.parts) {
            if candidate.label == part.label {
                found.push(with(candidate.clone()));
            }
        }
    }
    for (index, value) in part.values.iter().enumerate().filter(|(_, value)| **value > 0) {
        for smaller in [0, value / 2, value - 1] {
            let mut changed = part.clone();
            changed.values[index] = smaller;
            found.push(with(changed));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum of numbers, each in brackets or not.
    fn write(choices: &mut Choices) -> String {
        choices.enter("sum");
        let mut text = choices.pick(100).to_string();
        while text.len() < 60 && choices.pick(3) > 0 {
            text = format!("{text}+({})", write(choices));
        }
        choices.leave();
        text
    }

    #[test]
    fn a_tree_is_followed() {
        let mut choices = Choices::random(7);
        let text = write(&mut choices);
        let tree = choices.into_tree();
        let mut again = Choices::follow(tree.clone());
        assert_eq!(write(&mut again), text);
        assert_eq!(again.into_tree(), tree);
    }

    #[test]
    fn what_is_left_still_fails_and_is_small() {
        for seed in 0..50 {
            let mut choices = Choices::random(seed);
            let text = write(&mut choices);
            if !text.contains('4') {
                continue;
            }
            let smallest = shrink(choices.into_tree(), 1000, &mut |tree| {
                let mut choices = Choices::follow(tree.clone());
                write(&mut choices).contains('4').then(|| choices.into_tree())
            });
            let mut choices = Choices::follow(smallest);
            let left = write(&mut choices);
            // A number alone; which of those that have a 4 in them depends on where it began.
            assert!(left.contains('4') && left.parse::<u64>().is_ok(), "{left}");
        }
    }
}
