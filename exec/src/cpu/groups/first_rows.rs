//! The first rows of groups: an order of groups that depends on the rows alone.
//!
//! Hashed groups of one worker are written to the places that this order gives them, which is streaming; none is looked
//! for.

/// Where the first row of each group came: a place is a piece of work and the number of a tuple in it, whose order is the same
/// however rows are cut into pieces and these are spread over workers.
#[derive(Debug, Default)]
pub(crate) struct Firsts {
    pub(crate) places: Vec<u64>,
    pub(crate) piece: u64,
    /// Tuples of the piece so far.
    pub(crate) offered: u64,
    /// The piece behind all that have been begun.
    end: u64,
    /// Whether the piece at hand stands before one that has been done, as pieces of another node's share may: groups that are
    /// there may have earlier rows in it.
    goes_back: bool,
}

impl Firsts {
    /// The tuples to come are of this piece.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        (self.piece, self.offered) = (piece as u64, 0);
        self.goes_back = self.piece < self.end;
        self.end = self.end.max(self.piece + 1);
    }

    /// The same without groups: rows to come go on.
    pub(crate) fn going_on(&self) -> Self {
        Firsts { places: Vec::new(), ..*self }
    }

    /// Whether it is not enough to look at the rows that begin groups.
    pub(crate) fn goes_back(&self) -> bool {
        self.goes_back
    }

    /// The place of the next tuple.
    pub(crate) fn place(&self) -> u64 {
        // A piece has fewer than 2^40 tuples, but for joins that never end.
        self.piece << 40 | self.offered.min((1 << 40) - 1)
    }

    /// Some of a tile's tuples began groups.
    pub(crate) fn add(&mut self, new: &[u32], len: usize) {
        let first = self.place();
        self.places.extend(new.iter().map(|&tuple| first.saturating_add(tuple.into())));
        self.offered += len as u64;
    }

    /// A tile's tuples are of these groups.
    pub(crate) fn add_all(&mut self, groups: &[u32]) {
        let first = self.place();
        self.earliest(groups, |tuple| first.saturating_add(tuple.into()));
        self.offered += groups.len() as u64;
    }

    /// A group, the next new one or one that is there, has a row at a place.
    fn note(&mut self, group: u32, place: u64) {
        match self.places.get_mut(group as usize) {
            Some(first) => *first = place.min(*first),
            None => self.places.push(place),
        }
    }

    /// Takes tuples of these groups, new ones in order.
    pub(crate) fn earliest(&mut self, groups: &[u32], mut place: impl FnMut(u32) -> u64) {
        for (tuple, &group) in groups.iter().enumerate() {
            self.note(group, place(tuple as u32));
        }
    }

    /// Takes groups of another worker, whose first rows have these places; some are new.
    pub(crate) fn merge(&mut self, places: &[u64], from: &[u32], into: &[u32]) {
        for (&from, &into) in from.iter().zip(into) {
            self.note(into, places[from as usize]);
        }
    }

    /// Puts groups in the order of their first rows.
    pub(crate) fn sort(&self, groups: &mut [u32]) {
        let place = |group: &u32| self.places[*group as usize];
        if !groups.is_sorted_by_key(place) {
            // A stable sort finds the runs that each worker left.
            let mut placed: Vec<(u64, u32)> = groups.iter().map(|group| (place(group), *group)).collect();
            placed.sort();
            groups.iter_mut().zip(placed).for_each(|(group, (_, placed))| *group = placed);
        }
    }
}

/// Tuples after which it is seen whether all groups have come.
const BLOCK: usize = 1024;

/// The tuples that brought the groups from `before` to `len`, in order.
pub(crate) fn firsts(groups: &[u32], before: usize, len: usize) -> Vec<u32> {
    // One more, since every tuple is written down, and whether it counts is seen then: no branch could foretell it.
    let mut new = vec![0; len - before + 1];
    let mut count = 0;
    for (number, block) in groups.chunks(BLOCK).enumerate() {
        if before + count == len {
            break;
        }
        for (at, &group) in block.iter().enumerate() {
            new[count] = (number * BLOCK + at) as u32;
            count += usize::from(group as usize == before + count);
        }
    }
    new.truncate(count);
    new
}
