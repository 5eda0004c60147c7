//! The devices that an engine gets, and what there is to say of them.

use crate::backend::Backend;
use crate::backend::devices::Devices;
use crate::gpu::backend::Gpu;
#[cfg(any(feature = "gpu", feature = "gpu-emulated"))]
use crate::gpu::several::Several;
use std::sync::Arc;

impl Devices {
    /// This machine's cards, for statements that wait until code is compiled for them, and for those that do not; why there is none, if there is
    /// none.
    ///
    /// # Errors
    /// The reason, for people: no driver, no card.
    #[cfg(feature = "gpu")]
    pub(crate) fn cards() -> Result<[Self; 2], String> {
        use crate::gpu::driver::cuda::Cuda;
        let mut cards = Cuda::open_all().map_err(|stop| stop.why())?.into_iter().map(|card| Gpu::new(Arc::new(card)));
        match (cards.next(), cards.next()) {
            (Some(first), Some(second)) => {
                let several = Several::new([first, second].into_iter().chain(cards).collect());
                let hasty = several.in_a_hurry();
                Ok([several, hasty].map(|several| Devices::new([Arc::new(several) as Arc<dyn Backend>])))
            }
            (Some(card), None) => Ok(Devices::patient_and_hasty(card)),
            (None, _) => Err("there is no card".to_owned()),
        }
    }

    /// Whether there is something to open cards with: CUDA's driver.
    #[cfg(feature = "gpu")]
    pub(crate) fn may_have_cards() -> bool {
        crate::gpu::driver::cuda::is_there()
    }

    /// A device, for statements that wait until code is compiled for them, and for those that do not.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn patient_and_hasty(gpu: Gpu) -> [Self; 2] {
        let hasty = gpu.in_a_hurry();
        [gpu, hasty].map(|gpu| Devices::new([Arc::new(gpu) as Arc<dyn Backend>]))
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

    /// So many cards that the processors emulate, which split tables from so many rows on, for tests.
    #[cfg(feature = "gpu-emulated")]
    #[doc(hidden)]
    pub fn emulated_cards(cards: usize, threads: u32, rows_min: u64) -> Self {
        use crate::gpu::driver::emulated::Emulated;
        let card = |_| Gpu::new(Arc::new(Emulated::new(threads, 1 << 31)));
        let several = Several::new((0..cards).map(card).collect()).that_split_from(rows_min);
        Devices::new([Arc::new(several) as Arc<dyn Backend>])
    }
}

/// What there is to say of cards, and of what compiles for them.
#[cfg(feature = "gpu")]
pub(crate) fn about() -> Vec<(String, String)> {
    use crate::gpu::driver::{cuda, disk, nvrtc};
    let mut lines = Vec::new();
    match cuda::about() {
        Ok(cards) => lines.extend(cards.into_iter().enumerate().map(|(at, card)| (format!("card {at}"), card))),
        Err(stop) => lines.push(("cards".to_owned(), format!("none: {}", stop.why()))),
    }
    let compiler = nvrtc::Nvrtc::of_environment().and_then(|nvrtc| nvrtc.version());
    let compiler = match compiler {
        Ok((major, minor)) => format!("NVRTC {major}.{minor}"),
        Err(stop) => format!("none: {}", stop.why()),
    };
    lines.push(("compiler".to_owned(), compiler));
    lines.push(("compiled".to_owned(), disk::about()));
    lines
}

/// What the cards are called; why there are none.
#[cfg(feature = "gpu")]
pub(crate) fn names() -> Result<Vec<String>, String> {
    crate::gpu::driver::cuda::names().map_err(|stop| stop.why())
}
