//! A server over an [`Engine`] for whoever speaks PostgreSQL's protocol: psql, drivers, BI tools, notebooks.
//!
//! ```no_run
//! use multiloop::Engine;
//! use multiloop_server::{Error, Options, serve_blocking};
//!
//! let engine = Engine::new()?;
//! engine.session().sql("CREATE TABLE fruit (name text, price decimal(6,2))")?;
//! serve_blocking(engine, Options::default(), |server| {
//!     println!("listening on {:?}", server.addresses());
//!     Ok::<(), Error>(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The source, low to high: `fault` is what a client is told went wrong, `types` PostgreSQL's numbers of types, `wire`
//! the messages as bytes, `encode` and `decode` the values in them; `cancel` stops what runs, `output` gathers what is
//! sent, `engine` is all that is asked of the engine; `metrics` and `record` note what happens; `conversation` answers
//! messages, whatever carries them; `options` are its settings, `error` why it does not start, `tls` and `scram` how clients
//! encrypt and prove who they are; `strangers` counts those that have not, `shared` is what its connections share, `channel` has their bytes, `connection` carries
//! messages, `enter` lets clients in, `scrape` tells who watches; `server` is what users call.
//!
//! Tokio's threads carry messages, and run statements that have a plan already by which they are short: a hop to another thread
//! and back takes as long. All others are planned and run on threads of their own, one each, which wait for the engine's
//! workers, and for clients that read slowly.

mod cancel;
mod channel;
mod connection;
mod conversation;
mod copy;
mod decode;
mod encode;
mod engine;
mod enter;
mod error;
mod fault;
mod metrics;
mod options;
mod output;
mod record;
mod scram;
mod scrape;
mod server;
mod shared;
mod strangers;
mod tls;
mod types;
mod wire;

pub use copy::{CopyData, CopyFault, copy_out};
pub use error::{Error, Result};
pub use options::{Limits, Options, PORT, Tls, Trust};
pub use server::{Control, Server};

use multiloop::Engine;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Threads beside those of statements that the runtime may have.
const THREADS_BESIDE: usize = 8;

/// Threads that it may have in all.
const THREADS_MAX: usize = 1 << 16;

/// How long statements that were stopped may take to end.
const END: Duration = Duration::from_secs(2);

/// Serves an engine until the process is told to end: SIGTERM or SIGINT drains (see [`Control::drain`]), a second one
/// ends.
///
/// Statements run on the runtime's blocking threads, of which it must have one for each session, and short ones on those
/// that carry messages. A thread with a stack of less than [`multiloop::STATEMENT_BYTES`] makes one for each statement.
///
/// Errors: those of [`Server::bind`].
pub async fn serve(engine: Engine, options: Options) -> Result<()> {
    run(Server::bind(engine, options).await?).await
}

async fn run(server: Server) -> Result<()> {
    let control = server.control();
    let (mut terminated, mut interrupted) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut running = std::pin::pin!(server.run());
    let mut is_draining = false;
    loop {
        tokio::select! {
            () = &mut running => return Ok(()),
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        if is_draining {
            control.end();
        }
        control.drain();
        is_draining = true;
    }
}

/// As [`serve`], on a runtime of its own. `ready` is called when the server has its addresses, and no client is let in
/// before it returns: the time to load what takes long, and to say where the server is.
///
/// Errors: those of [`Server::bind`], and what `ready` gives.
pub fn serve_blocking<E: From<Error>>(
    engine: Engine,
    options: Options,
    ready: impl FnOnce(&Server) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let threads = options.limits.connections.saturating_add(THREADS_BESIDE).min(THREADS_MAX);
    builder.enable_all().thread_name("multiloop-server").max_blocking_threads(threads);
    // Of which only what is used takes memory: a statement needs no stack of its own.
    builder.thread_stack_size(multiloop::STATEMENT_BYTES);
    let runtime = builder.build().map_err(Error::from)?;
    let served = runtime.block_on(async {
        let server = Server::bind(engine, options).await?;
        ready(&server)?;
        Ok(run(server).await?)
    });
    runtime.shutdown_timeout(END);
    served
}
