//! Measured thresholds by which a plan chooses between ways to number and find groups. No answer depends on them. No answer
//! depends on them.

use multiloop_planner::catalog::{NEAR_CODES, NEAR_CODES_PER_ROW};
use serde::{Deserialize, Serialize};

/// Where one way ends and another begins. See `group_kind` and `index_form` for the ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Codes up to which they are the numbers of groups, however many rows there are.
    pub few_codes: u64,
    /// Numbers that are kept of Dense groups, at most (16 MiB for each worker).
    pub dense_numbers_max: u64,
    /// Rows for each code from which on groups are Dense: of each worker, since all of these have all codes.
    pub rows_per_dense_code: u64,
    /// Codes a row up to which an array over all codes beats a hash table: 4 bytes each, against about 24 a group and a
    /// hash a row.
    pub direct_codes_per_row: u64,
    /// Codes of Direct groups, at most (256 MiB for each worker).
    pub direct_codes_max: u64,
    /// Codes a row up to which a bit for every code pays: two bytes a row for each worker.
    pub set_codes_per_row: u64,
    /// Codes of a Set, at most (128 MiB for each worker).
    pub set_codes_max: u64,
    /// Codes up to which an index is Direct, whatever rows there are.
    pub near_codes: u64,
    /// Codes up to which Direct is in the cache close by; beyond, Ranked is, with its less than two bits a code.
    pub direct_index_max: u64,
    /// Codes up to which an index is Ranked, whatever rows there are: 4 MiB of bits are cheaper than to hash what probes them.
    pub ranked_codes: u64,
    /// The same of an index that is built again and again.
    pub ranked_codes_often: u64,
    /// The same for each row.
    pub ranked_codes_per_row: u64,
    /// Pieces of a last loop that are run before its first rows are handed out, if it is run while they are.
    pub first_pieces: usize,
    /// Rows of a passage from which on what may make it superfluous is done first.
    pub gated_rows: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            few_codes: 1 << 12,
            dense_numbers_max: 1 << 21,
            rows_per_dense_code: 4,
            direct_codes_per_row: 4,
            direct_codes_max: 1 << 26,
            set_codes_per_row: 16,
            set_codes_max: 1 << 30,
            near_codes: 1 << 12,
            direct_index_max: 1 << 16,
            ranked_codes: NEAR_CODES,
            ranked_codes_often: 1 << 16,
            ranked_codes_per_row: NEAR_CODES_PER_ROW,
            first_pieces: 16,
            gated_rows: 1 << 15,
        }
    }
}
