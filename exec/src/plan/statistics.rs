//! What each let of a program did, for EXPLAIN ANALYZE.

use std::fmt;
use std::time::Duration;

/// In notes the generator of code that a device has compiled for the whole loop: none.
pub(crate) const CODE: usize = usize::MAX;

/// What one let did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LetStatistics {
    /// What it goes over and what it defines, in the numbers of the program's text.
    pub name: String,
    /// Rows of the outermost source, or of the inputs.
    pub rows_in: u64,
    /// Chunks of the outermost source that the loop did not look at.
    pub chunks_pruned: u64,
    /// Rows (of buckets: their members) of each collection that it defines.
    pub rows_out: Vec<u64>,
    /// Wall time.
    pub time: Duration,
    /// Bytes of memory that the statement holds more than before.
    pub bytes: u64,
    /// What became of the plan's adaptive choices: of which of the loop's generators, and what.
    pub notes: Vec<(usize, String)>,
}

/// Without the name.
impl fmt::Display for LetStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<String> = self.rows_out.iter().map(u64::to_string).collect();
        let milliseconds = self.time.as_secs_f64() * 1e3;
        write!(f, "{} rows in, ", self.rows_in)?;
        if self.chunks_pruned > 0 {
            write!(f, "{} chunks pruned, ", self.chunks_pruned)?;
        }
        write!(f, "{} rows out, ", rows.join(" + "))?;
        write!(f, "{milliseconds:.3} ms, {} bytes", self.bytes)
    }
}
