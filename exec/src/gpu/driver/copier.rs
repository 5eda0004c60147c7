//! What is copied from one device to another.

use super::{Buffer, Driver};
use crate::gpu::stop::Done;
use std::sync::{Arc, Mutex, PoisonError};

/// A buffer, and its copy.
type Copy = (Arc<Buffer>, Arc<Buffer>);

/// What is copied to a device: each buffer once, however many have it.
#[derive(Debug)]
pub(crate) struct Copier<'d> {
    driver: &'d Arc<dyn Driver>,
    copies: Mutex<Vec<Copy>>,
}

impl<'d> Copier<'d> {
    /// Nothing yet.
    pub(crate) fn to(driver: &'d Arc<dyn Driver>) -> Self {
        Copier { driver, copies: Mutex::default() }
    }

    /// The copy of a buffer.
    pub(crate) fn buffer(&self, of: &Arc<Buffer>) -> Done<Arc<Buffer>> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, copy)) = copies.iter().find(|(from, _)| Arc::ptr_eq(from, of)) {
            return Ok(Arc::clone(copy));
        }
        let copy = of.copied(self.driver)?;
        copies.push((Arc::clone(of), Arc::clone(&copy)));
        Ok(copy)
    }
}
