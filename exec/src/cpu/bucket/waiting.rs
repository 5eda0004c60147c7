//! Keys of rows that are dealt into the parts of a merge, and wait there to be grouped (see `dealt`).

use super::super::kernels::vectorised;
use super::direct::direct_all;
use super::firsts::firsts;
use super::grouper::{Grouper, MERGE_PARTS, part_of_hash};
use super::key::{Codes, KeyLayout, KeyWidth};
use super::table::IntegerKey;

/// The keys of some rows, as codes.
#[derive(Debug)]
pub(crate) enum WaitingKeys {
    /// Of an array over all codes, whose groups are in the order of these.
    Direct(Vec<u32>),
    /// Of a hash table, whose groups are in the order of their first rows: codes of 128 bits, or of 64.
    Hash {
        codes: Box<Codes>,
        /// For each row its number in its tile.
        tuples: Vec<u32>,
        /// Where the rows of each tile begin, and the place of the tile's first tuple; see `Firsts`.
        tiles: Vec<(usize, u64)>,
    },
}

/// The keys of a tile's tuples, as codes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TileKeys<'a> {
    Direct(&'a [u32]),
    Hash {
        codes: &'a Codes,
        width: KeyWidth,
        /// Of the first tuple.
        place: u64,
    },
}

impl TileKeys<'_> {
    /// Bytes that a row's key takes while it waits.
    pub(crate) fn width(&self) -> usize {
        match self {
            TileKeys::Direct(_) => size_of::<u32>(),
            TileKeys::Hash { width: KeyWidth::Bits128, .. } => size_of::<u128>() + size_of::<u32>(),
            TileKeys::Hash { .. } => size_of::<u64>() + size_of::<u32>(),
        }
    }
}

impl WaitingKeys {
    /// None yet; so many are to come.
    pub(crate) fn with_room(keys: &TileKeys<'_>, room: usize) -> Self {
        match keys {
            TileKeys::Direct(_) => WaitingKeys::Direct(Vec::with_capacity(room)),
            TileKeys::Hash { width, .. } => {
                let mut codes = Box::<Codes>::default();
                codes.reserve(*width, room);
                WaitingKeys::Hash { codes, tuples: Vec::with_capacity(room), tiles: Vec::new() }
            }
        }
    }

    /// How many rows wait.
    pub(crate) fn len(&self) -> usize {
        match self {
            WaitingKeys::Direct(codes) => codes.len(),
            WaitingKeys::Hash { codes, .. } => codes.len,
        }
    }

    /// Adds some of a tile's tuples, in order.
    pub(crate) fn add(&mut self, keys: TileKeys<'_>, chosen: &[u32]) {
        match (self, keys) {
            (WaitingKeys::Direct(waiting), TileKeys::Direct(codes)) => {
                waiting.extend(chosen.iter().map(|&tuple| codes[tuple as usize]));
            }
            (WaitingKeys::Hash { codes: waiting, tuples, tiles }, TileKeys::Hash { codes, width, place }) => {
                tiles.push((waiting.len, place));
                waiting.add_packed(width, codes, chosen);
                tuples.extend_from_slice(chosen);
            }
            _ => unreachable!("a reduction numbers its groups in one way"),
        }
    }
}

impl Grouper {
    /// Whether rows may be dealt by the codes of their keys, and these be told from the codes.
    pub(crate) fn deals(&self) -> bool {
        match self {
            Grouper::Direct { .. } => true,
            Grouper::Hash { layout, .. } => layout.codes_tell_keys(),
            _ => false,
        }
    }

    /// The layout of keys that are dealt.
    pub(crate) fn layout(&self) -> Option<&KeyLayout> {
        let (Grouper::Direct { layout, .. } | Grouper::Hash { layout, .. }) = self else { return None };
        Some(layout)
    }

    /// The keys of a tile's tuples with these codes, which go by and are not assigned here. `short` is memory.
    pub(crate) fn pass<'a>(&mut self, codes: &'a Codes, short: &'a mut Vec<u32>) -> TileKeys<'a> {
        if let Grouper::Hash { layout, firsts, .. } = self {
            let place = firsts.place();
            firsts.offered += codes.len as u64;
            return TileKeys::Hash { codes, width: layout.width, place };
        }
        short.clear();
        short.extend(codes.bits64.iter().map(|&code| code as u32));
        TileKeys::Direct(short)
    }

    /// The part of a merge that each of a tile's keys belongs to, as [`Grouper::part`] says of groups.
    pub(crate) fn parts_of(&self, keys: TileKeys<'_>, parts: &mut Vec<u8>) {
        parts.clear();
        match (self, keys) {
            (Grouper::Direct { entries, cuts, .. }, TileKeys::Direct(codes)) => {
                let cuts = cuts.of(entries.len(), || codes.to_vec());
                parts.extend(codes.iter().map(|&code| cuts.part(code.into())));
            }
            (Grouper::Hash { .. }, TileKeys::Hash { codes, width, .. }) => match width {
                KeyWidth::Bits32 => parts_of_hashes(codes.bits64.iter().map(|&code| code as u32), parts),
                KeyWidth::Bits128 => parts_of_hashes(codes.bits128.iter().copied(), parts),
                _ => parts_of_hashes(codes.bits64.iter().copied(), parts),
            },
            _ => unreachable!("these are not dealt"),
        }
    }

    /// The groups of rows that waited. With `mixed` they may be earlier than those of groups that are there.
    pub(crate) fn assign_waiting(&mut self, keys: WaitingKeys, mixed: bool) -> Vec<u32> {
        let mut groups = Vec::with_capacity(keys.len());
        match (self, keys) {
            (Grouper::Direct { base, entries, codes: met, .. }, WaitingKeys::Direct(codes)) => {
                direct_all(entries, *base, met, &codes, &mut groups);
            }
            (Grouper::Hash { table, firsts: places, own_index, .. }, WaitingKeys::Hash { codes, tuples, tiles }) => {
                let before = table.len();
                table.insert(&codes, &mut groups);
                let mut tile = 0;
                let place = |at: u32| {
                    while tiles.get(tile + 1).is_some_and(|&(start, _)| start <= at as usize) {
                        tile += 1;
                    }
                    tiles[tile].1.saturating_add(tuples[at as usize].into())
                };
                if *own_index {
                    // Nobody sees their order.
                } else if mixed {
                    places.earliest(&groups, place);
                } else {
                    places.places.extend(firsts(&groups, before, table.len()).into_iter().map(place));
                }
            }
            _ => unreachable!("these are not dealt"),
        }
        groups
    }
}

/// The part that each key's hash says.
fn parts_of_hashes<K: IntegerKey>(keys: impl Iterator<Item = K>, parts: &mut Vec<u8>) {
    vectorised(|| parts.extend(keys.map(|key| part_of_hash(IntegerKey::hash(key), MERGE_PARTS) as u8)));
}
