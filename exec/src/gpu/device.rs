//! A device with what it keeps: compiled kernels and columns.

use super::columns::resident::Resident;
use super::driver::{Cache, Driver, Shape};
use std::sync::Arc;

/// Rows of a piece: what a block does at once.
const PIECE_ROWS: usize = 1 << 14;

/// Blocks of a launch, for each of the device's processors.
const BLOCKS_EACH: u32 = 4;

/// A device.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) cache: Cache,
    pub(crate) resident: Resident,
    /// Rows that a block does at once.
    pub(crate) piece_rows: usize,
}

impl Device {
    /// A device that keeps nothing yet.
    pub(crate) fn new(driver: Arc<dyn Driver>) -> Self {
        Device { driver, cache: Cache::default(), resident: Resident::default(), piece_rows: PIECE_ROWS }
    }

    /// The launch of a kernel over so many pieces.
    pub(crate) fn shape(&self, pieces: usize, shared: usize) -> Shape {
        let limits = self.driver.limits();
        let most = limits.multiprocessors * BLOCKS_EACH;
        let blocks = u32::try_from(pieces).map_or(most, |pieces| pieces.min(most)).max(1);
        Shape { blocks, threads: limits.threads, shared }
    }
}
