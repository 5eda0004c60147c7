//! The folder that keeps data, as the shell and the server open it.

use anyhow::{Result, anyhow};
use clap::Args;
use multiloop::{Engine, EngineBuilder};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct DataArguments {
    /// Folder that keeps what is committed; an empty one, or one that there is not yet, becomes one
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Open what is whole of a damaged folder, for reading alone
    #[arg(long, requires = "data")]
    salvage: bool,
}

impl DataArguments {
    /// Starts an engine with the folder. How far that has come, and what is left out, is said on standard error.
    pub(crate) fn open(&self, mut builder: EngineBuilder) -> Result<Engine> {
        if let Some(folder) = &self.data {
            builder = builder.data(folder).salvage(self.salvage).on_recovery(|now| {
                let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
                let (bytes, total, records) = (mebibytes(now.bytes), mebibytes(now.total), now.records);
                warn!("recovering: {bytes} of {total} MiB of the log, {records} records");
            });
        }
        let engine = builder.build().map_err(|error| match error.hint() {
            Some(hint) => anyhow!("{error}\nhint: {hint}"),
            None => error.into(),
        })?;
        for error in engine.left_out() {
            warn!("warning: {error}");
        }
        Ok(engine)
    }
}
