//! A device with what it keeps: compiled kernels and columns.

use super::columns::resident::Resident;
use super::driver::{Cache, Driver, Patience, Shape};
use super::groups::reaches::Found;
use super::lower::dictionary::Texts;
use std::sync::Arc;

/// Rows of a piece: what a block does at once.
const PIECE_ROWS: usize = 1 << 14;

/// Blocks of a launch, for each of the device's processors.
pub(crate) const BLOCKS_EACH: u32 = 4;

/// A device. Clones share what it keeps.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) cache: Cache,
    pub(crate) resident: Arc<Resident>,
    /// What was computed of dictionaries' strings.
    pub(crate) texts: Arc<Texts>,
    /// Where the bits of floats are that were computed.
    pub(crate) reaches: Arc<Found>,
    /// Rows that a block does at once.
    pub(crate) piece_rows: usize,
}

impl Device {
    /// A device that keeps nothing yet.
    pub(crate) fn new(driver: Arc<dyn Driver>) -> Self {
        let cache = Cache::new(&driver);
        Device {
            driver,
            cache,
            resident: Arc::default(),
            texts: Arc::default(),
            reaches: Arc::default(),
            piece_rows: PIECE_ROWS,
        }
    }

    /// The same one, for who waits for its compiler or does not.
    pub(crate) fn with(&self, patience: Patience) -> Self {
        Device { cache: self.cache.with(patience), ..self.clone() }
    }

    /// The launch of a kernel over so many pieces.
    pub(crate) fn shape(&self, pieces: usize, shared: usize) -> Shape {
        let limits = self.driver.limits();
        // Of blocks that share much few run at once, and these have more threads instead.
        let fit = (limits.shared / shared.max(1)).min(BLOCKS_EACH as usize).max(1) as u32;
        let threads = if fit == 1 && BLOCKS_EACH > 1 { limits.threads * 2 } else { limits.threads };
        let most = limits.multiprocessors * fit;
        let blocks = u32::try_from(pieces).map_or(most, |pieces| pieces.min(most)).max(1);
        Shape { blocks, threads, shared }
    }
}
