//! A device that compiles and does nothing else: to have the code of large runs for a card that has no compiler.

use crate::gpu::driver::emulated::Emulated;
use crate::gpu::driver::{Argument, Driver, Limits, Module, Shape};
use crate::gpu::stop::Done;
use std::any::Any;
use std::sync::Arc;

/// The device.
#[derive(Debug)]
pub(super) struct Dry(Emulated);

/// Kernels that do nothing.
#[derive(Debug)]
struct Nothing;

impl Module for Nothing {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Dry {
    /// One with what a card has.
    pub(super) fn like_a_card() -> Self {
        Dry(Emulated::like_a_card(512))
    }
}

impl Driver for Dry {
    fn name(&self) -> String {
        "compiler".to_owned()
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn compile(&self, kernels: &str) -> Done<Arc<dyn Module>> {
        self.0.compile_for_a_card(kernels)?;
        Ok(Arc::new(Nothing))
    }

    fn alloc(&self, _: usize) -> Done<u64> {
        Ok(16)
    }

    fn free(&self, _: u64, _: usize) {}

    fn zero(&self, _: u64, _: usize) -> Done<()> {
        Ok(())
    }

    fn upload(&self, _: u64, _: &[u8]) -> Done<()> {
        Ok(())
    }

    fn download(&self, _: u64, to: &mut [u8]) -> Done<()> {
        to.fill(0);
        Ok(())
    }

    fn launch(&self, _: &dyn Module, _: &str, _: Shape, _: &[Argument]) -> Done<()> {
        Ok(())
    }
}
