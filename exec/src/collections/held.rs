//! Results that stay where they were made.

use crate::Result;
use crate::collections::given::Given;
use crate::column::Dictionary;
use crate::workers::context::Context;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// What a backend made and keeps: its other loops read it there, and it comes to the host once, when somebody there asks. Dropped
/// when nothing can ask any more.
pub(crate) trait Held: Any + Send + Sync + Debug {
    /// How many rows; of buckets how many members. May wait for the device.
    ///
    /// # Errors
    /// The statement's, as of [`Held::fetch`].
    fn rows(&self) -> Result<usize>;

    /// The range in which all keys are that are not NULL, if they are one integer each and it is known without waiting; the least is
    /// above the greatest if there are none.
    fn key_range(&self) -> Option<(i128, i128)>;

    /// The dictionary that has all strings of a field (of buckets a field of the members), if there is one.
    fn dictionary(&self, field: u32) -> Option<Arc<Dictionary>> {
        let _ = field;
        None
    }

    /// What the generator gave, in host memory, which is never [`Given::Held`]. Called once, by the first who asks there; loops of
    /// the device may still read what it keeps.
    ///
    /// # Errors
    /// The statement's: the memory limit (53200), cancellation (57014), a device that is lost (58000).
    fn fetch(&self, context: &Context) -> Result<Given>;

    /// For its backend, which knows it again.
    fn as_any(&self) -> &dyn Any;
}
