//! The suites that share a process, and so are linked once: each links the whole engine. Those beside this folder measure the
//! memory of their process or change its folder.

#[path = "../client/mod.rs"]
mod client;
mod copies;
mod drivers;
mod limits;
mod operation;
mod protocol;
mod roles;
mod running;
mod tls;
