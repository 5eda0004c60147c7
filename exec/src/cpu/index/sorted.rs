//! Ranked indexes of keys that increase from row to row, as those of most tables do: keys are read once, in place, and nothing
//! is partitioned or sorted.

use crate::Result;
use crate::column::Column;
use crate::cpu::keys::integer::{BLOCK, Codes, IntegerKeys};
use crate::cpu::simd::kernel::{kernel, pack};
use crate::cpu::table::ranks::Ranks;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::rows::Rows;
use crate::plan::code_range::CodeRange;
use crate::workers::schedule::{Morsel, Workers, morsels};

/// The bits of some keys, and the first and the last code.
struct Part {
    words: Vec<u64>,
    first: u32,
    last: u32,
}

/// Keys of one integer a row.
#[derive(Clone, Copy)]
pub(crate) enum Keys<'a> {
    /// A table's column, a part of it a chunk.
    Columns(&'a [&'a Column]),
    I32(&'a [i32]),
    I64(&'a [i64]),
}

/// Rows that are looked at before it is tried whether keys increase.
const SAMPLE: usize = 64;

impl<'a> Keys<'a> {
    /// The values of a column and the range that they have if they increase; none if it is soon seen that they do not.
    pub(crate) fn of_builder(column: &'a ColumnBuilder) -> Option<(Self, (i128, i128))> {
        fn range<T: Copy + Ord + Into<i128>>(values: &[T]) -> Option<(i128, i128)> {
            let (&low, &high) = (values.first()?, values.last()?);
            let step = values.len().div_ceil(SAMPLE);
            let increase = |pair: &[T]| pair[0] < pair[1];
            let near = &values[..SAMPLE.min(values.len())];
            let far: Vec<T> = values.iter().copied().step_by(step).collect();
            let all = near.windows(2).all(increase) && far.windows(2).all(increase) && low <= high;
            all.then(|| (low.into(), high.into()))
        }
        match &column.data {
            _ if column.valid.is_some() => None,
            BuilderData::I32(values) => Some((Keys::I32(values), range(values)?)),
            BuilderData::I64(values) => Some((Keys::I64(values), range(values)?)),
            _ => None,
        }
    }

    fn rows(&self) -> Vec<usize> {
        match self {
            Keys::Columns(columns) => columns.iter().map(|column| column.rows()).collect(),
            Keys::I32(values) => vec![values.len()],
            Keys::I64(values) => vec![values.len()],
        }
    }

    /// Those of a morsel; none if they cannot be read where they are, or one is NULL.
    fn of_morsel(
        &self,
        morsel: &Morsel,
        range: CodeRange,
        look: impl FnOnce(&IntegerKeys<'_>) -> Option<Part>,
    ) -> Option<Part> {
        let rows = morsel.rows.clone();
        match self {
            Keys::Columns(columns) => {
                let start = Rows::Range(rows.start as u32);
                let column = columns[morsel.chunk];
                if column.nulls.is_some() {
                    return None;
                }
                look(&IntegerKeys::of_column(column, &start, rows.len(), range, false)?)
            }
            Keys::I32(values) => look(&IntegerKeys::of_i32(&values[rows], range)),
            Keys::I64(values) => look(&IntegerKeys::of_i64(&values[rows], range)),
        }
    }
}

/// Ranks keys whose codes lie below `size`. None if they do not increase from row to row, if one is NULL or out of range, or
/// if they are a column's whose form holds no integers that can be read in place.
pub(crate) fn rank(keys: Keys<'_>, range: CodeRange, size: u64, workers: Workers<'_>) -> Result<Option<Ranks>> {
    let rows = keys.rows();
    let piece = workers.piece_rows(rows.iter().sum());
    let morsels = morsels(rows, piece);
    let part = |morsel: Morsel| Ok(keys.of_morsel(&morsel, range, |keys| Part::of(keys, morsel.rows.len(), size)));
    let parts: Option<Vec<Part>> = workers.map(morsels, part)?.into_iter().collect();
    let Some(parts) = parts.filter(|parts| parts.windows(2).all(|pair| pair[0].last < pair[1].first)) else {
        return Ok(None);
    };
    let words: Vec<(usize, Vec<u64>)> =
        parts.into_iter().map(|part| (part.first as usize / BLOCK, part.words)).collect();
    Ok(Some(Ranks::of_sorted(size, &words, workers)?))
}

impl Part {
    /// The bits of keys that increase; none if they do not, or if one has no code below `size`.
    fn of(keys: &IntegerKeys<'_>, len: usize, size: u64) -> Option<Self> {
        let mut part = Part { words: Vec::new(), first: 0, last: 0 };
        let mut increasing = true;
        let mut flags = [0; FLAGS];
        keys.each_block(|start, codes: &Codes| {
            let codes = &codes[..BLOCK.min(len - start)];
            if start == 0 {
                part.first = codes[0];
            } else {
                increasing &= part.last < codes[0];
            }
            increasing &= increase(codes);
            part.last = codes[codes.len() - 1];
            if !increasing || u64::from(part.last) >= size {
                increasing = false;
                return;
            }
            let first = part.first as usize / BLOCK;
            part.words.resize(part.last as usize / BLOCK - first + 1, 0);
            set_bits(&mut part.words[codes[0] as usize / BLOCK - first..], codes, &mut flags);
        });
        increasing.then_some(part)
    }
}

kernel! {
    /// Whether each code, of which there is one at least, is greater than the one before.
    fn increase[](codes: &[u32]) -> bool {
        // Without a branch: a comparison of all neighbours.
        codes.iter().zip(&codes[1..]).fold(true, |all, (code, next)| all & (code < next))
    }
}

/// Codes near to each other that are a byte each before they are bits.
const FLAGS: usize = 16 * BLOCK;

/// Sets the bits of increasing codes; the first word has the first one's. `flags` are 0 before and after.
///
/// A byte for each is written without a look at the one before; 64 of them then make a word at once.
fn set_bits(words: &mut [u64], codes: &[u32], flags: &mut [u8; FLAGS]) {
    let base = codes[0] / BLOCK as u32 * BLOCK as u32;
    if words.len() > FLAGS / BLOCK {
        for &code in codes {
            let at = (code - base) as usize;
            words[at / BLOCK] |= 1 << (at % BLOCK);
        }
        return;
    }
    for &code in codes {
        flags[(code - base) as usize % FLAGS] = 0xFF;
    }
    let (blocks, _) = flags.as_chunks_mut::<BLOCK>();
    for (word, flags) in words.iter_mut().zip(blocks) {
        *word |= pack(flags);
        *flags = [0; BLOCK];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::ColumnData;
    use crate::cpu::vector::rows::NO_GROUP;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use crate::workers::schedule::MORSEL_ROWS;
    use multiloop_planner::analysis::ranges::Grid;

    fn rank_of(chunks: &[Vec<i64>], low: i64, high: i64, threads: usize) -> Option<Ranks> {
        let column = |values: &Vec<i64>| Column::new(ColumnData::Int64(values.clone().into()), None);
        let columns: Vec<Column> = chunks.iter().map(column).collect();
        let (pool, context) = (Pool::new(threads).unwrap(), Context::new(Memory::new(usize::MAX)));
        let workers = Workers { pool: Some(&pool), context: &context };
        let range = CodeRange::new(Grid::of_range(low.into(), high.into())).expect("a range of codes");
        let columns: Vec<&Column> = columns.iter().collect();
        rank(Keys::Columns(&columns), range, (high - low + 2) as u64, workers).unwrap()
    }

    #[test]
    fn ranks_are_rows() {
        for rows in [1, 63, 64, 65, MORSEL_ROWS as i64 - 1, 3 * MORSEL_ROWS as i64 + 1] {
            for step in [1, 2, 63, 64, 65, 1_000] {
                let keys: Vec<i64> = (0..rows).map(|row| 5 + row * step + row % 3 * (step / 4)).collect();
                let (head, tail) = keys.split_at(keys.len() / 3);
                let high = keys[keys.len() - 1];
                for (chunks, low) in [(vec![keys.clone()], 5), (vec![head.to_vec(), tail.to_vec(), vec![]], -70)] {
                    let mut ranks = rank_of(&chunks, low, high + 9, 2).expect("they increase");
                    assert_eq!(i64::from(ranks.count().unwrap()), rows);
                    for (row, key) in keys.iter().enumerate() {
                        assert_eq!(ranks.group((key - low + 1) as u64), row as u32);
                    }
                    assert_eq!(ranks.group(0), NO_GROUP);
                    assert_eq!(ranks.group((high - low + 2) as u64), NO_GROUP);
                }
            }
        }
    }

    #[test]
    fn built_keys_have_the_range_of_their_ends() {
        let many: Vec<i64> = (-50..200).map(|row| row * 3).collect();
        let range = |values: &[i64], valid| {
            let column = ColumnBuilder::from_i64(values.to_vec(), valid);
            Keys::of_builder(&column).map(|(_, range)| range)
        };
        assert_eq!(range(&many, None), Some((-150, 597)));
        assert_eq!(range(&many[..1], None), Some((-150, -150)));
        assert_eq!(range(&[], None), None);
        assert_eq!(range(&[3, 2], None), None);
        assert_eq!(range(&[2, 2], None), None);
        assert_eq!(range(&[1, 2], Some(vec![true, false])), None);
        let falls: Vec<i64> = many.iter().rev().copied().collect();
        assert_eq!(range(&falls, None), None);
    }

    #[test]
    fn what_does_not_increase_is_refused() {
        let many: Vec<i64> = (0..2 * MORSEL_ROWS as i64).collect();
        for at in [0, 1, 62, 63, 64, MORSEL_ROWS - 1, MORSEL_ROWS, many.len() - 2] {
            for other in [at as i64 + 1, -3] {
                let mut broken = many.clone();
                broken[at + usize::from(other < 0)] = other;
                assert!(rank_of(&[broken], -3, many.len() as i64, 2).is_none(), "row {at} is {other}");
            }
        }
        assert!(rank_of(&[vec![1, 2], vec![2, 3]], 0, 9, 1).is_none());
        assert!(rank_of(&[vec![1, 20]], 0, 9, 1).is_none(), "out of range");
    }
}
