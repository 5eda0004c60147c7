//! Which proofs about rows outlive what is done with the rows: one table ([`kept`]), which everybody asks who concludes
//! something about the rows that come out of a loop or a join from what is proven of those that go in.
//!
//! Proofs are of a column, over rows in their order:
//!
//! * *clustered*: equal values, NULLs being equal, stand next to each other;
//! * *sorted*: values never decrease, and NULLs are last;
//! * *unique*: no two rows have the same value;
//! * *dense*: the values are the rows' numbers, in some steps, without a gap;
//! * *not null*.
//!
//! All of them begin with the statistics of a table, which are exact for its snapshot. Order is a matter of execution, since
//! that of a loop's rows is free: what the table says of it is what `exec/src/cpu/multiloop/nest/mod.rs` promises to whoever asks, no matter
//! how rows are cut into pieces and tiles.
//!
//! ```sql
//! -- t is in the order of g, and i is unique. Of a tile those rows come first that have a partner, and then the others.
//! SELECT a.g, count(*) FROM t a LEFT JOIN t b ON a.i = b.g AND a.m > 50 GROUP BY a.g
//! ```

use crate::catalog::ColumnStatistics;
use crate::join_kind::JoinKind;
use crate::multiloop::{CollectionId, Index, Multiloop, Program, Scalar, ScalarId, Shape, Source};

/// What is proven of a column's values, over rows in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    /// Equal values stand next to each other.
    pub clustered: bool,
    /// Values never decrease, and NULLs are last.
    pub sorted: bool,
    /// No two rows have the same value.
    pub unique: bool,
    /// The values are the rows' numbers, in some steps, without a gap.
    pub dense: bool,
    /// There is no NULL.
    pub not_null: bool,
}

/// What happens to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The outermost index of a loop stands on them.
    Outermost,
    /// Conditions leave some of them.
    Chosen,
    /// A further index, over such a source, goes over its rows for each of them.
    InFrontOf(Behind),
    /// They are what a further index goes over.
    Of(Behind),
    /// They are the left side of a join.
    Left(JoinKind),
    /// They are the right side of a join.
    Right(JoinKind),
}

/// What a further index goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// All rows of a collection.
    Rows,
    /// The bucket of a key.
    Bucket,
    /// The same, or no row: nothing is asked of the bucket's rows.
    BucketOrNull,
    /// The same, or no row, with conditions.
    MatchesOrNull,
    /// The bucket of a key, and at the end what no key found.
    BucketAndRest,
    /// Numbers up to one.
    Count,
}

/// Whether a proof is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// It is.
    Yes,
    /// It is where each row finds at most one: each has a copy at most.
    IfOne,
    /// It is not.
    No,
}

/// For each proof whether it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of Proofs")]
pub struct Kept {
    pub clustered: Keeps,
    pub sorted: Keeps,
    pub unique: Keeps,
    pub dense: Keeps,
    pub not_null: Keeps,
}

/// The table.
#[rustfmt::skip]
pub fn kept(step: Step) -> Kept {
    use Keeps::{IfOne, No, Yes};
    let row = |clustered, sorted, unique, dense, not_null| Kept { clustered, sorted, unique, dense, not_null };
    match step {
        //                                             clustered sorted unique dense not null
        Step::Outermost                          => row(Yes,     Yes,   Yes,   Yes,  Yes),
        Step::Chosen                             => row(Yes,     Yes,   Yes,   No,   Yes),
        // A tile's tuples with the rows of the first chunk, then with those of the next.
        Step::InFrontOf(Behind::Rows)            => row(No,      No,    No,    No,   Yes),
        // A tuple with all rows of its bucket, then the next one; those that find nothing fall away.
        Step::InFrontOf(Behind::Bucket)          => row(Yes,     Yes,   IfOne, No,   Yes),
        // None falls away.
        Step::InFrontOf(Behind::BucketOrNull)    => row(Yes,     Yes,   IfOne, IfOne, Yes),
        // A tile's tuples that have a match, then those that have none.
        Step::InFrontOf(Behind::MatchesOrNull)   => row(No,      No,    IfOne, No,   Yes),
        // Behind all tuples comes the rest, on no row of the indices in front.
        Step::InFrontOf(Behind::BucketAndRest)   => row(No,      No,    No,    No,   No),
        // Many numbers come in rounds, each for all tuples of a tile.
        Step::InFrontOf(Behind::Count)           => row(No,      No,    No,    No,   Yes),
        // Rows come again and again, in the order of the tuples in front.
        Step::Of(Behind::Rows)
        | Step::Of(Behind::Bucket)
        | Step::Of(Behind::Count)                => row(No,      No,    No,    No,   Yes),
        Step::Of(Behind::BucketOrNull)
        | Step::Of(Behind::MatchesOrNull)        => row(No,      No,    No,    No,   No),
        // A rest is of rows, which is why only the indices in front are NULL.
        Step::Of(Behind::BucketAndRest)          => row(No,      No,    No,    No,   Yes),
        // Of a join as such nothing says in which order its rows come.
        Step::Left(JoinKind::Inner)              => row(No,      No,    IfOne, No,   Yes),
        Step::Right(JoinKind::Inner)             => row(No,      No,    IfOne, No,   Yes),
        Step::Left(JoinKind::Left)               => row(No,      No,    IfOne, No,   Yes),
        Step::Right(JoinKind::Left)              => row(No,      No,    No,    No,   No),
        Step::Left(JoinKind::Full)
        | Step::Right(JoinKind::Full)            => row(No,      No,    No,    No,   No),
        Step::Left(JoinKind::Semi)
        | Step::Left(JoinKind::Anti)             => row(No,      No,    Yes,   No,   Yes),
        // Its columns are not among the join's.
        Step::Right(JoinKind::Semi)
        | Step::Right(JoinKind::Anti)            => row(No,      No,    No,    No,   No),
    }
}

impl Keeps {
    /// Whether the proof is kept, if each row finds at most one where `is_one` says so.
    pub fn holds(self, is_one: impl FnOnce() -> bool) -> bool {
        match self {
            Keeps::Yes => true,
            Keeps::IfOne => is_one(),
            Keeps::No => false,
        }
    }
}

impl Behind {
    /// What an index over this source goes over.
    pub fn of(source: &Source) -> Self {
        match source {
            Source::Rows(_) => Behind::Rows,
            Source::Bucket { .. } => Behind::Bucket,
            Source::BucketOrNull { condition, .. } if condition.is_empty() => Behind::BucketOrNull,
            Source::BucketOrNull { .. } => Behind::MatchesOrNull,
            Source::BucketAndRest { .. } => Behind::BucketAndRest,
            Source::Count(_) => Behind::Count,
        }
    }
}

impl Proofs {
    /// What a table's statistics prove of a column: it is asked, if they might.
    pub fn of_table(column: &ColumnStatistics) -> Self {
        let not_null = column.proofs.nulls == 0;
        // Without NULLs none stands elsewhere; sorted ones are last.
        let clustered = column.proofs.sorted || (not_null && column.proofs.is_clustered());
        Proofs { clustered, sorted: column.proofs.sorted, unique: column.proofs.is_unique(), dense: false, not_null }
    }

    /// What is left of them after a step; `is_one` says whether each row finds at most one.
    pub fn after(self, step: Step, is_one: impl Fn() -> bool) -> Self {
        let kept = kept(step);
        Proofs {
            clustered: self.clustered && kept.clustered.holds(&is_one),
            sorted: self.sorted && kept.sorted.holds(&is_one),
            unique: self.unique && kept.unique.holds(&is_one),
            dense: self.dense && kept.dense.holds(&is_one),
            not_null: self.not_null && kept.not_null.holds(&is_one),
        }
    }
}

/// A table's column that a scalar is, in a loop whose outermost index goes over the table: what its statistics are.
pub fn outermost_column<'p>(program: &'p Program, nest: &[Index], scalar: ScalarId) -> Option<&'p ColumnStatistics> {
    let Scalar::Column { index, field } = program.scalars.get(scalar) else { return None };
    let Some(Index { id, source: Source::Rows(collection) }) = nest.first() else { return None };
    (id == index).then_some(())?;
    table_column(program, *collection, *field)
}

/// What is known of a field of a table.
pub fn table_column(program: &Program, collection: CollectionId, field: u32) -> Option<&ColumnStatistics> {
    let Shape::Table { columns, statistics, .. } = &program.collection(collection).shape else { return None };
    statistics.columns.get(*columns.get(field as usize)? as usize)
}

/// What is proven of a scalar over all tuples of a nest, in their order: nothing, unless it is a column of a table that the
/// outermost index goes over. `is_one` says whether an index finds at most one row for each tuple in front.
pub fn proven(program: &Program, nest: &[Index], scalar: ScalarId, is_one: impl Fn(&Index) -> bool) -> Proofs {
    let Some(column) = outermost_column(program, nest, scalar) else { return Proofs::default() };
    let proofs = Proofs::of_table(column).after(Step::Outermost, || true);
    nest[1..]
        .iter()
        .fold(proofs, |proofs, index| proofs.after(Step::InFrontOf(Behind::of(&index.source)), || is_one(index)))
}

/// Whether a scalar is a column in whose order the rows of the outermost index are. Who needs that, too, asks here first: no proof
/// is asked for.
pub fn is_sorted(program: &Program, nest: &[Index], scalar: ScalarId) -> bool {
    outermost_column(program, nest, scalar).is_some_and(|column| column.proofs.sorted)
}

/// Whether further indices over these sources leave tuples in the order of the rows in front, wherever these are cut.
pub fn keep_order<'s>(sources: impl IntoIterator<Item = &'s Source>) -> bool {
    sources.into_iter().all(|source| kept(Step::InFrontOf(Behind::of(source))).sorted == Keeps::Yes)
}

/// Whether what a generator of a loop makes is by a key in whose order the rows of a whole table are, each with one of its
/// own: such buckets can leave their rows where they are.
pub fn is_whole_sorted_table(program: &Program, multiloop: &Multiloop, generator: usize) -> bool {
    let generator = &multiloop.generators[generator];
    let ([_], [], &[key]) = (&multiloop.nest[..], generator.condition(), generator.key()) else { return false };
    is_sorted(program, &multiloop.nest, key) && proven(program, &multiloop.nest, key, |_| false).unique
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiloop::parse::parse;
    use crate::multiloop::{Generator, Let};

    /// What is proven of the key of the groups of a loop over t, whose column k is sorted and unique, that goes on with these.
    fn proofs(indices: &str) -> Proofs {
        let text = format!(
            "table %0 t(k#0 bigint sorted unique, x#1 integer) rows 1000
loop
  i0 in %0
  %1 bucket_collect
    key k = i0.k
    x = i0.x
loop
  i1 in %0
{indices}  %2 bucket_reduce
    key k = i1.k
    n = count_rows()
result %2
output k, n
"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let made = program.body().lets.iter().find_map(|each| match each {
            Let::Loop { multiloop, .. } => match &multiloop.generators[0] {
                Generator::BucketReduce { key, .. } => Some((multiloop, key[0])),
                _ => None,
            },
            _ => None,
        });
        let (multiloop, key) = made.expect("the program has groups");
        proven(&program, &multiloop.nest, key, |_| true)
    }

    #[test]
    fn order_ends_where_tuples_of_a_tile_are_passed_by() {
        let all = Proofs { clustered: true, sorted: true, unique: true, dense: false, not_null: true };
        assert_eq!(proofs(""), all);
        assert_eq!(proofs("  i2 in %1[i1.k]\n"), all);
        assert_eq!(proofs("  i2 in %1[i1.k] or null\n"), all);
        let set = Proofs { clustered: false, sorted: false, ..all };
        assert_eq!(proofs("  i2 in %1[i1.k] or null\n    if i1.x > 3\n"), set);
        assert_eq!(proofs("  i2 in %0\n"), Proofs { unique: false, ..set });
        assert_eq!(proofs("  i2 in count(i1.k)\n"), Proofs { unique: false, ..set });
        assert_eq!(proofs("  i2 in %1[i1.k] and rest\n"), Proofs::default());
        // What is lost stays lost.
        assert_eq!(proofs("  i2 in %1[i1.k] or null\n    if i1.x > 3\n  i3 in %1[i1.k]\n"), set);
    }

    #[test]
    fn a_proof_that_all_rows_keep_some_keep() {
        for behind in [
            Behind::Rows,
            Behind::Bucket,
            Behind::BucketOrNull,
            Behind::MatchesOrNull,
            Behind::BucketAndRest,
            Behind::Count,
        ] {
            let kept = kept(Step::InFrontOf(behind));
            // What is in order has equal values together, and no gap only where no row is twice.
            assert!(kept.sorted == Keeps::No || kept.clustered != Keeps::No, "{behind:?}");
            assert!(kept.dense == Keeps::No || kept.unique != Keeps::No, "{behind:?}");
        }
    }
}
