//! The devices that an engine gets.

use crate::backend::Backend;
use crate::backend::devices::Devices;
use crate::gpu::backend::Gpu;
use std::sync::Arc;

impl Devices {
    /// The first card; why there is none, if there is none.
    ///
    /// # Errors
    /// The reason, for people: no driver, no card.
    #[cfg(feature = "gpu")]
    pub fn cards() -> Result<Self, String> {
        use crate::gpu::driver::cuda::Cuda;
        match Cuda::open(0) {
            Ok(card) => Ok(Devices::new([Arc::new(Gpu::new(Arc::new(card))) as Arc<dyn Backend>])),
            Err(stop) => Err(stop.why()),
        }
    }

    /// A device that the processors emulate, of so many threads a block, for tests; and what says of each loop what became of it.
    #[cfg(feature = "gpu-emulated")]
    #[doc(hidden)]
    pub fn emulated(threads: u32) -> (Self, impl Fn() -> Vec<String>) {
        use crate::gpu::driver::emulated::Emulated;
        let gpu = Arc::new(Gpu::new(Arc::new(Emulated::new(threads, 1 << 31))));
        let notes = Arc::clone(&gpu);
        (Devices::new([gpu as Arc<dyn Backend>]), move || notes.take_notes())
    }
}
